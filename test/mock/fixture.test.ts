// The fixture as a test author uses it: rules, journal, verification, credentials, one-shot errors, sessions.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { A2AClient, A2AError, type ClientOptions, type Message, textOf } from '../../src/client/index.ts'
import { createMockAgent, type MockAgent } from '../../src/mock/index.ts'

const SCRIPT = `
agent: { name: reports, security: [{ bearer: secret }, { apiKey: { value: key } }] }
rules:
  - id: csv-report
    match: { text: { regex: "report (?<name>\\\\w+)" } }
    turns:
      - - { status: working, text: "Working on {{captures.name}}" }
        - { artifact: { name: "{{captures.name}}.csv", mediaType: text/csv, text: "a,b\\n1,2", chunks: 3 } }
        - { status: input-required, text: "Include totals?" }
      - - { complete: "Done." }
    times: { min: 1 }
  - { id: reply, match: { text: { equals: hello }, headers: { x-team: blue } }, turns: [[{ message: "Hi, {{headers.x-team}}." }]] }
  - { id: slow, match: { text: slow }, turns: [[{ status: working }, { delay: 5m }, { complete: late }]] }
  - { id: refused, match: { text: refuse }, turns: [[{ error: { kind: UnsupportedOperation, message: "Not today." } }]] }
`

function said(text: string, more: Partial<Message> = {}): { message: Message } {
  return { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more } }
}

describe('a scripted agent', () => {
  let mock: MockAgent
  let client: A2AClient
  const connect = (url: string, options: ClientOptions = {}) =>
    A2AClient.connect(url, { bearer: 'secret', transports: ['jsonrpc'], ...options })

  beforeAll(async () => {
    mock = await createMockAgent({ scriptText: SCRIPT }).start()
    client = await connect(mock.url)
  })
  afterAll(async () => {
    client.close()
    await mock.stop()
  })
  beforeEach(() => mock.reset())

  test('plays the rule that fits, turn by turn, with its captures', async () => {
    const first = await client.sendMessage(said('report sales'))
    if (!('task' in first)) throw new Error('expected a task')
    expect(first.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    expect(first.task.artifacts?.[0]).toMatchObject({ name: 'sales.csv' })
    expect(first.task.artifacts?.[0]?.parts.map((part) => ('text' in part ? part.text : '')).join('')).toBe('a,b\n1,2')
    const second = await client.sendMessage(said('yes', { taskId: first.task.id }))
    expect('task' in second && textOf(second.task.status.message)).toBe('Done.')
    mock.verify()
    mock.verify('csv-report', { times: 1 })
  })

  test('matches headers and replies with a message', async () => {
    using blue = await connect(mock.url, { headers: [['X-Team', 'blue']] })
    const result = await blue.sendMessage(said('hello'))
    expect('message' in result && textOf(result.message)).toBe('Hi, blue.')
  })

  test('answers an unmatched message with an A2A error that names the nearest rule', async () => {
    const refusal = client.sendMessage(said('hello'))
    await expect(refusal).rejects.toThrow("the nearest is 'reply', but the header x-team is absent")
    await expect(refusal).rejects.toMatchObject({ kind: 'InvalidParams' })
    expect(() => mock.verify()).toThrow(/request #\d+: No rule of the script matches this message/)
  })

  test('answers with the error a script asks for', async () => {
    await expect(client.sendMessage(said('refuse'))).rejects.toMatchObject({
      kind: 'UnsupportedOperation',
      message: 'Not today.',
    })
  })

  test('keeps every request, also cards and refused ones, with what was answered', async () => {
    using stranger = await A2AClient.connect(mock.url, { transports: ['rest'] })
    await expect(stranger.sendMessage(said('report x'))).rejects.toMatchObject({ kind: 'Unauthenticated' })
    for await (const _ of client.streamMessage(said('report y'))) void _
    expect(mock.requests().map(({ operation, status, rule }) => [operation, status, rule])).toEqual([
      ['getCard', 200, undefined],
      ['sendMessage', 401, undefined],
      ['streamMessage', 200, 'csv-report'],
    ])
    const [streamed] = mock.requests({ rule: 'csv-report' })
    expect(streamed?.requestHeaders.map(([name]) => name.toLowerCase())).toContain('authorization')
    expect(streamed?.frames).toHaveLength(6)
    expect(streamed?.frames.map(({ atMs }) => atMs)).toEqual(
      streamed?.frames.map(({ atMs }) => atMs).sort((a, b) => a - b),
    )
  })

  test('sees a cancel, and lets a test wait for it', async () => {
    const started = await client.sendMessage({ ...said('slow'), configuration: { returnImmediately: true } })
    if (!('task' in started)) throw new Error('expected a task')
    const seen = mock.waitFor(({ operation }) => operation === 'cancelTask')
    expect((await client.cancelTask({ id: started.task.id })).status.state).toBe('TASK_STATE_CANCELED')
    expect((await seen).requestJson).toMatchObject({ params: { id: started.task.id } })
    expect(mock.cancels()).toHaveLength(1)
  })

  test('lets a test wait for what a stream has said so far', async () => {
    const seen = mock.waitFor(({ frames }) => frames.length === 2)
    const events = client.streamMessage(said('slow'))
    await events.next()
    expect((await seen).outcome).toBe('open')
    await events.return()
  })

  test('waiting ends with a sentence that says what came instead', async () => {
    await client.sendMessage(said('report z'))
    await expect(mock.waitFor(({ operation }) => operation === 'listTasks', 20)).rejects.toThrow(
      /within 20 ms .* it received #\d+ sendMessage \(rule 'csv-report', turn 0\) → 200/,
    )
  })

  test('verifies how often and in which order rules were played', async () => {
    await client.sendMessage(said('report a'))
    await expect(client.sendMessage(said('refuse'))).rejects.toBeInstanceOf(A2AError)
    mock.verify('refused', { after: ['csv-report'] })
    expect(() => mock.verify('csv-report', { times: 2 })).toThrow("rule 'csv-report' matched 1 time; expected 2")
    expect(() => mock.verify('csv-report', { after: ['refused'] })).toThrow(
      "rule 'csv-report' did not match after 'refused'",
    )
  })

  test('what a rule requires and does not get fails verification', () => {
    expect(() => mock.verify()).toThrow("rule 'csv-report' matched 0 times; expected at least 1")
  })

  test('accepts any of its credentials', async () => {
    using keyed = await A2AClient.connect(mock.url, { apiKey: 'key' })
    expect('task' in (await keyed.sendMessage(said('report k')))).toBe(true)
    using wrong = await connect(mock.url, { bearer: 'wrong' })
    await expect(wrong.sendMessage(said('report k'))).rejects.toMatchObject({ kind: 'Unauthenticated' })
  })

  test('refuses once', async () => {
    mock.refuseOnce()
    await expect(client.sendMessage(said('report r'))).rejects.toMatchObject({ kind: 'Unauthenticated' })
    expect('task' in (await client.sendMessage(said('report r')))).toBe(true)
  })

  test('fails once with an HTTP status, without having done anything', async () => {
    mock.failOnce(503, { body: 'busy', retryAfter: 2 })
    await expect(client.sendMessage(said('report f'))).rejects.toThrow()
    expect(mock.requests()[0]).toMatchObject({ status: 503, fault: 'http-status', rule: undefined })
    expect(mock.requests()[0]?.responseHeaders).toContainEqual(['Retry-After', '2'])
    await client.sendMessage(said('report f'))
    mock.verify('csv-report', { times: 1 })
  })

  test('primed responses answer what names no test case', async () => {
    mock.prime([[{ kind: 'status-update', status: { state: 'completed', message: { parts: [{ text: 'primed' }] } } }]])
    const result = await client.sendMessage(said('whatever'))
    expect('task' in result && textOf(result.task.status.message)).toBe('primed')
    expect(() => mock.prime([[{ kind: 'x' }]])).toThrow(/turn 0, event 0: kind/)
  })
})

describe('fifty tests at once', () => {
  test('each see only their own tasks, turns and journal', async () => {
    await using mock = await createMockAgent({ scriptText: SCRIPT.replace('times: { min: 1 }', 'times: 1') }).start()
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const session = await mock.session(`test-${i}`)
        // Half of them name their session by path, half by header.
        const options: ClientOptions =
          i % 2 === 0 ? { bearer: 'secret' } : { bearer: 'secret', headers: [['X-Parley-Session', `test-${i}`]] }
        using client = await A2AClient.connect(i % 2 === 0 ? session.url : mock.url, options)
        const first = await client.sendMessage(said(`report r${i}`))
        if (!('task' in first)) throw new Error('expected a task')
        expect(first.task.artifacts?.[0]?.name).toBe(`r${i}.csv`)
        await client.sendMessage(said('yes', { taskId: first.task.id }))
        const listed = await client.listTasks({})
        expect(listed.tasks.map(({ id }) => id)).toEqual([first.task.id])
        session.verify()
        expect(session.requests({ operation: 'sendMessage' })).toHaveLength(2)
      }),
    )
    expect(mock.requests()).toEqual([])
  })
})

test('a mock is not usable before it is started, and says so', () => {
  expect(() => createMockAgent().url).toThrow('The mock is not listening; call start() first.')
})
