// Every fault of the catalogue, done by the proxy to its callers: our client and the official JavaScript SDK's, 1.3 and
// 0.3, streaming and not. What each did is kept in proxy-fault-reactions.txt: a change there is a change in behaviour.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAULT_NAMES, type FaultName } from '../../src/mock/faults/catalogue.ts'
import { createMockAgent, type MockAgent } from '../../src/mock/index.ts'
import { createProxy } from '../../src/proxy/proxy.ts'
import { parseProxyConfig } from '../../src/proxy/proxy-config.ts'
import {
  FAULT_PARAMS,
  FAULT_SCRIPT,
  ourStream,
  ourUnary,
  type Probe,
  sdk03Stream,
  sdk03Unary,
  sdkStream,
  sdkUnary,
} from '../peers/fault-reactions.ts'

let agent: MockAgent
beforeAll(async () => {
  agent = await createMockAgent({ scriptText: FAULT_SCRIPT }).start()
})
afterAll(() => agent.stop())

const PROBES: readonly (readonly [string, Probe, 'translate: [1.0]' | 'translate: [0.3]'])[] = [
  ['ours, one answer', ourUnary, 'translate: [1.0]'],
  ['ours, stream', ourStream, 'translate: [1.0]'],
  ['SDK, one answer', sdkUnary, 'translate: [1.0]'],
  ['SDK, stream', sdkStream, 'translate: [1.0]'],
  ['SDK 0.3, one answer', sdk03Unary, 'translate: [0.3]'],
  ['SDK 0.3, stream', sdk03Stream, 'translate: [0.3]'],
]

/** What a caller of a proxy with this fault saw, and which faults struck. */
async function react(
  name: FaultName,
  probe: Probe,
  generations: string,
): Promise<{ reaction: string; struck: string[] }> {
  const fault = JSON.stringify([{ do: name, with: FAULT_PARAMS[name] }])
  const config = parseProxyConfig(`agents: [{ name: app, url: "${agent.url}" }]\n${generations}\nfaults: ${fault}\n`)
  const struck: string[] = []
  const { agents, faults, translate = [] } = config
  const proxy = createProxy({
    ...{ agents, faults, translate },
    log: (_level, event, fields) => void (event === 'fault' && struck.push(JSON.stringify(fields?.name))),
  })
  try {
    const { url } = await proxy.listen()
    await proxy.readiness()
    return { reaction: await probe(url), struck }
  } finally {
    await proxy.close({ graceMs: 0 })
  }
}

const rows: string[] = []

describe('each fault', () => {
  test.each(FAULT_NAMES)('%s acts, and callers react', async (name) => {
    const reactions = await Promise.all(PROBES.map(([, probe, generations]) => react(name, probe, generations)))
    for (const [index, { reaction, struck }] of reactions.entries()) {
      const who = PROBES[index]?.[0] ?? ''
      rows.push(`${name.padEnd(26)}${who.padEnd(21)}${reaction}`)
      expect(struck, `${name} struck a request of ${who}`).toContain(JSON.stringify(name))
    }
  })

  test('the reactions are the known ones', async () => {
    const title = 'Each fault of the proxy against our client and the official JavaScript SDK, 1.3 and 0.3.14.'
    await expect(`${title}\n\n${rows.join('\n')}\n`).toMatchFileSnapshot('proxy-fault-reactions.txt')
  })
})
