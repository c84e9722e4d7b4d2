// How the ACTS runner carries out what a suite says, seen against agents no correct server would be: verdicts kept
// apart, waits that end, webhooks.

import { describe, expect, test } from 'vitest'
import { type Answer, agent, GET, NOT_FOUND, outcomesOf, SILENT, start } from './acts-agent.ts'

describe('verdicts', () => {
  test('what fails, does not apply, cannot be done here and cannot be measured are kept apart', async () => {
    const url = await start(() => NOT_FOUND)
    const outcomes = await outcomesOf(
      url,
      `- { id: FAILS, name: n, level: must, steps: [${GET}] }
- { id: HOLDS, name: n, level: must, steps: [{ id: get, operation: get_task, params: { id: t }, expect_error: { error_type: TaskNotFoundError } }] }
- { id: OTHER, name: n, level: must, preconditions: { capabilities: { streaming: true } }, steps: [${GET}] }
- { id: SKILL, name: n, level: must, preconditions: { skills: [{ id: sing }] }, steps: [${GET}] }
- { id: GRPC, name: n, level: must, transport: [grpc], steps: [${GET}] }
- { id: CREDS, name: n, level: must, runner_requirements: [auth_credentials], steps: [${GET}] }
- { id: CLIENT, name: n, level: must, steps: [{ id: c, client_response: { operation: get_task, wire_payload: {} }, expect_parsed: {} }] }
- { id: UNSET, name: n, level: must, steps: [{ id: get, operation: get_task, params: { id: "{{nobody}}" } }] }`,
    )
    expect(outcomes.map(({ id, verdict, reason }) => [id, verdict, reason])).toEqual([
      ['FAILS', 'fail', undefined],
      ['HOLDS', 'pass', undefined],
      ['OTHER', 'not-applicable', 'the card does not say capabilities.streaming: true'],
      ['SKILL', 'not-applicable', 'the card has no skill sing'],
      ['GRPC', 'not-applicable', 'applies to grpc only'],
      ['CREDS', 'skip', expect.stringContaining('--bearer')],
      ['CLIENT', 'not-applicable', expect.stringContaining('client library')],
      ['UNSET', 'not-measured', expect.stringContaining('{{nobody}}')],
    ])
    const [failed] = outcomes
    expect(failed?.failure).toMatchObject({
      stepId: 'get',
      expected: 'a result',
      actual: expect.stringContaining('-32001'),
    })
    expect(Buffer.from(failed?.exchanges[0]?.response?.body ?? []).toString()).toContain('no such task')
  })

  test('steps after a failure are not run', async () => {
    const url = await start(() => NOT_FOUND)
    const [outcome] = await outcomesOf(
      url,
      `- { id: T, name: n, level: must, steps: [${GET}, { id: next, operation: list_tasks }] }`,
    )
    expect(outcome?.steps.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['get', 'fail'],
      ['next', 'skip'],
    ])
  })

  test('a client library can be put to the test instead', async () => {
    const url = await start(() => NOT_FOUND)
    const [outcome] = await outcomesOf(
      url,
      '- { id: T, name: n, level: must, steps: [{ id: c, client_response: { operation: get_task, wire_payload: { result: { id: t } } }, expect_parsed: { id: t } }] }',
      { client: (_, payload) => (payload as { result: object }).result as { id: string } },
    )
    expect(outcome?.verdict).toBe('pass')
  })
})

describe('steps', () => {
  test('a step is repeated until its condition holds, and no longer', async () => {
    let calls = 0
    const url = await start(({ method, params }) => {
      if (method !== 'GetTask' || params.id !== 't') return NOT_FOUND
      calls++
      return { id: 't', status: { state: calls < 3 ? 'TASK_STATE_WORKING' : 'TASK_STATE_COMPLETED' } }
    })
    const repeat = (attempts: number) =>
      `repeat: { until: status.state == TASK_STATE_COMPLETED, max_attempts: ${attempts}, delay_ms: 1, backoff: exponential }`
    const [held] = await outcomesOf(
      url,
      `- { id: T, name: n, level: must, steps: [{ id: poll, operation: get_task, params: { id: t }, ${repeat(9)} }] }`,
    )
    expect([held?.verdict, calls]).toEqual(['pass', 3])
    calls = -100
    const [failed] = await outcomesOf(
      url,
      `- { id: T, name: n, level: must, steps: [{ id: poll, operation: get_task, params: { id: t }, ${repeat(4)} }] }`,
    )
    expect(failed?.failure).toMatchObject({
      message: 'the condition was not met after 4 attempts',
      path: 'status.state',
    })
  })

  test('messages get an id and captures travel on; files go out as 1.0 writes them', async () => {
    const sent: { [name: string]: unknown }[] = []
    const url = await start(({ method, params }) => {
      if (!('message' in params) && params.id !== 'task-1') return NOT_FOUND
      sent.push(params)
      return method === 'GetTask' ? { id: 'task-1' } : { task: { id: 'task-1', status: {} } }
    })
    const [outcome] = await outcomesOf(
      url,
      `- id: T
  name: n
  level: must
  steps:
    - id: send
      operation: send_message
      params: { message: { role: ROLE_USER, parts: [{ file: { raw: QUJD, name: a.txt, mediaType: text/plain } }], futureField: kept } }
      capture: { taskId: task.id }
    - id: get
      operation: get_task
      params: { id: "{{send.taskId}}" }
      expect: { id: "{{send.taskId}}" }
  assertions:
    - { source: "{{send.response}}", path: task.id, match: { not: "{{get.status}}" } }`,
    )
    expect(outcome?.failure).toBeUndefined()
    expect(sent).toEqual([
      {
        message: {
          role: 'ROLE_USER',
          parts: [{ raw: 'QUJD', filename: 'a.txt', mediaType: 'text/plain' }],
          futureField: 'kept',
          messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      },
      { id: 'task-1' },
    ])
  })

  test('raw steps send what is written, with credentials unless the test is about them', async () => {
    const url = await start(() => NOT_FOUND)
    const step =
      '{ id: r, raw: { method: POST, path: /, headers: { X-Own: "1" }, body: { jsonrpc: "2.0", id: 7, method: Nope } }, expect: { status: 200, body: { id: 7, error: { code: -32001 } } } }'
    const outcomes = await outcomesOf(
      url,
      `- { id: WITH, name: n, level: must, transport: [jsonrpc], steps: [${step}] }
- { id: WITHOUT, name: n, level: must, tags: [auth], transport: [jsonrpc], steps: [${step}] }`,
      { bearer: 'parley-canary', concurrency: 1 },
    )
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(['pass', 'pass'])
    const raw = agent?.received.filter(({ headers }) => headers['x-own'] === '1') ?? []
    expect(raw.map(({ path, headers }) => [path, headers.authorization, headers['a2a-version']])).toEqual([
      ['/a2a', 'Bearer parley-canary', undefined],
      ['/a2a', undefined, undefined],
    ])
  })
})

describe('streams', () => {
  const status = (state: string) => ({ statusUpdate: { taskId: 't', contextId: 'c', status: { state } } })
  const stream = (expectation: string) =>
    `- { id: T, name: n, level: must, steps: [{ id: s, operation: send_streaming_message, params: { message: { role: ROLE_USER, parts: [{ text: hi }] } }, expect_stream: ${expectation} }] }`

  async function failureOf(events: object[], expectation: string): Promise<unknown> {
    const url = await start(({ method }) => (method === 'SendStreamingMessage' ? events : NOT_FOUND))
    const [outcome] = await outcomesOf(url, stream(expectation))
    return outcome?.failure?.message
  }

  test.each([
    ['{ ordering: monotonic_state }', 'changes from TASK_STATE_COMPLETED to TASK_STATE_WORKING'],
    ['{ min_count: 3 }', 'had 2 events'],
    ['{ max_count: 1 }', 'had 2 events'],
    ['{ final_event: { status: { state: TASK_STATE_COMPLETED } } }', 'final event'],
    ['{ each_event: { artifact_update: { exists: true } } }', 'event 0'],
    ['{ events: [{ index: 1, status_update: { status: { state: TASK_STATE_COMPLETED } } }] }', 'event 1'],
    ['{ events: [{ match: any_position, task: { exists: true } }] }', 'none of 2 events fits'],
  ])('%s is seen to be broken', async (expectation, message) => {
    const events = [status('TASK_STATE_COMPLETED'), status('TASK_STATE_WORKING')]
    expect(await failureOf(events, expectation)).toContain(message)
  })

  test('an answer that is no stream fails a test of streams', async () => {
    const url = await start(({ method }) => (method === 'SendStreamingMessage' ? { task: {} } : NOT_FOUND))
    const [outcome] = await outcomesOf(url, stream('{ min_count: 0 }'))
    expect(outcome?.failure?.message).toContain('instead of a stream')
  })

  test('two readers that see different events are noticed', async () => {
    const url = await start(({ method }) => {
      if (method === 'SendStreamingMessage') return [status('TASK_STATE_WORKING'), status('TASK_STATE_COMPLETED')]
      return method === 'SubscribeToTask'
        ? [{ task: { id: 't', contextId: 'c', status: {} } }, status('TASK_STATE_FAILED')]
        : NOT_FOUND
    })
    const [outcome] = await outcomesOf(
      url,
      stream('{ min_count: 1 }').replace('level: must', 'level: must, runner_requirements: [concurrent_streams]'),
    )
    expect(outcome?.failure?.message).toContain('did not deliver the same events')
  })
})

test('an agent that stays silent ends every wait', async () => {
  const url = await start(({ method, params }) => (params?.id === 't' || method === 'x' ? SILENT : NOT_FOUND))
  const outcomes = await outcomesOf(
    url,
    `- { id: CALL, name: n, level: must, steps: [${GET}] }
- { id: STREAM, name: n, level: must, steps: [{ id: s, operation: subscribe_to_task, params: { id: t }, expect_stream: { timeout_ms: 100 } }] }
- { id: RAW, name: n, level: must, transport: [jsonrpc], steps: [{ id: r, raw: { method: POST, path: /, body: { method: x } } }] }`,
    { timeoutMs: 150 },
  )
  expect(outcomes.map(({ verdict, failure }) => [verdict, failure?.message.split(' ').slice(0, 5).join(' ')])).toEqual([
    ['fail', 'the agent did not answer'],
    ['fail', 'the agent did not answer'],
    ['fail', 'the agent did not answer'],
  ])
})

describe('the webhook', () => {
  const PUSH = `- id: T
  name: n
  level: must
  runner_requirements: [webhook_endpoint]
  steps:
    - id: set
      operation: create_push_config
      params: { taskId: t, pushNotificationConfig: { url: "{{webhookUrl}}", token: secret-token } }
      expect: { status: 200 }
  assertions:
    - source: "{{webhook.deliveries}}"
      any: { path: "[*]", match: { method: POST, headers: { x-a2a-notification-token: secret-token }, body: { statusUpdate: { exists: true } } } }`

  function pushing(token: string): Answer {
    return ({ method, params }) => {
      if (method !== 'CreateTaskPushNotificationConfig') return NOT_FOUND
      const headers = { 'Content-Type': 'application/json', 'X-A2A-Notification-Token': token }
      void fetch(String(params.url), { method: 'POST', headers, body: JSON.stringify({ statusUpdate: {} }) })
      return { id: 'c', ...params }
    }
  }

  test('is there for a test that needs it, and what arrives is waited for', async () => {
    const head = 'variables: { webhookUrl: "https://example.com/never" }\n'
    const [outcome] = await outcomesOf(await start(pushing('secret-token')), PUSH, {}, head)
    expect(outcome?.failure).toBeUndefined()
    expect(outcome?.verdict).toBe('pass')
  })

  test('a delivery that is not as asserted fails when the time is over', async () => {
    const [outcome] = await outcomesOf(await start(pushing('other')), PUSH, { timeoutMs: 300 })
    expect(outcome?.failure?.message).toContain('0 of 1 elements fit')
  })
})
