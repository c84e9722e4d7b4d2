// What an interface speaks, found out by one harmless question: errors mean what the generation says they mean.

import { afterEach, expect, test } from 'vitest'
import { Wire } from '../../src/judge/probe/wire.ts'
import { triage } from '../../src/judge/runner/triage.ts'
import { HttpClient } from '../../src/net/http-client.ts'
import { type ScriptedServer, sendJson, startScriptedServer } from '../peers/scripted-server.ts'

const stops: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** An agent of 0.3 that answers whatever it is asked with this error. */
async function generationsOf(error: object): Promise<string[]> {
  const agent: ScriptedServer = await startScriptedServer((request, res) => {
    if (request.method === 'GET')
      return sendJson(res, 200, {
        ...{ name: 'Old', description: 'An agent.', version: '1', protocolVersion: '0.3.0', url: agent.url },
        ...{ capabilities: {}, defaultInputModes: ['text'], defaultOutputModes: ['text'], skills: [] },
      })
    sendJson(res, 200, { jsonrpc: '2.0', id: (JSON.parse(request.body) as { id: number }).id, error })
  })
  stops.push(() => agent.close())
  const http = new HttpClient()
  stops.push(() => http.close())
  const { facts } = await triage(agent.url, new Wire(http), {
    ...{ timeoutMs: 5_000, signal: new AbortController().signal, credentials: {} },
    ...{ generations: [], bindings: [], tenant: undefined },
  })
  return facts.surfaces.map(({ generation }) => generation)
}

test.each([
  ['an error of its own number', { code: -32009, message: 'Nothing of that name.' }, ['0.3']],
  ['the number with the words', { code: -32009, message: 'Protocol version 0.3 is not supported.' }, []],
  ['the reason', { code: -32000, message: 'no', data: [{ reason: 'VERSION_NOT_SUPPORTED' }] }, []],
])('an agent of 0.3 that answers with %s', async (_, error, generations) => {
  expect(await generationsOf(error)).toEqual(generations)
})
