// An error before a stream may come as JSON or as the only event of a stream: the judge looks at status and error, not
// at that choice.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { certify, resultsOf } from '../../src/judge/index.ts'
import { type A2AServer, createServer } from '../../src/server/index.ts'
import type { Mutation } from '../mutants/mutant.ts'
import { type MutatingProxy, startProxy } from '../mutants/mutating-proxy.ts'

let server: A2AServer
let inner: string
let proxy: MutatingProxy | undefined

beforeAll(async () => {
  const forward = () => Promise.reject(new Error('nothing is relayed here'))
  server = createServer({
    agents: referenceAgents({ relay: { target: undefined, allowsChosenTargets: false, forward } }),
  })
  inner = (await server.listen()).url
})

afterEach(() => proxy?.close())
afterAll(() => server.close({ graceMs: 0 }))

/** Errors of streaming calls as one event, with the status they have. */
const asEvent: Mutation = {
  reply: (reply, call) => {
    if (call.op !== 'streamMessage' && call.op !== 'subscribeTask') return
    if (!reply.headers['content-type']?.endsWith('json')) return
    reply.headers['content-type'] = 'text/event-stream'
    reply.text = `data: ${reply.text}\n\n`
  },
}

const CHECKS = ['stream-error-jsonrpc', 'stream-error-rest', 'stream-unknown-task', 'subscribe-unknown']

async function verdicts(mutation: Mutation): Promise<string[]> {
  proxy = await startProxy(inner, mutation)
  const report = await certify(`${proxy.url}/spec`, { only: CHECKS, timeoutMs: 5_000 })
  return resultsOf(report)
    .filter(({ key }) => key.includes('@1.0'))
    .map(({ key, verdict }) => `${verdict} ${key}`)
    .sort((a, b) => a.localeCompare(b))
}

/** The way of an SDK of 0.3: status 200, and an event with a name. */
const asNamedEvent: Mutation = {
  reply: (reply, call) => {
    if (call.op !== 'subscribeTask' || call.isRpc) return
    reply.status = 200
    reply.headers['content-type'] = 'text/event-stream'
    reply.text = 'data: {"error":"TaskNotFoundError","message":"Task not found"}\n\n'
  },
}

describe('errors before a stream', () => {
  test('are no events, whatever their form', async () => {
    proxy = await startProxy(inner, asNamedEvent)
    const only = ['subscribe-unknown', 'schema-event']
    const results = resultsOf(await certify(`${proxy.url}/spec03`, { only, timeoutMs: 5_000 }))
    const about = (key: string) => results.find((result) => result.key === key)
    expect(about('schema-event@0.3/rest')?.verdict).not.toBe('fail')
    expect(about('subscribe-unknown@0.3/rest')?.message).toContain('"Task not found"')
  })

  test('pass in either form', async () => {
    const asJson = await verdicts({})
    await proxy?.close()
    expect(asJson).toContain('pass stream-error-rest@1.0/rest')
    expect(asJson.filter((row) => !row.startsWith('pass'))).toEqual([])
    expect(await verdicts(asEvent)).toEqual(asJson)
  })
})
