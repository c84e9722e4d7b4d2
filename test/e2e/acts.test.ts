// How the ACTS runner carries out what a suite says, seen against agents no correct server would be: verdicts kept
// apart, waits that end, webhooks, reports and exit codes.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { testCommand } from '../../src/cli/test.ts'
import { loadSuites } from '../../src/scenario/acts/load-suite.ts'
import { type RunSuitesOptions, runSuites } from '../../src/scenario/acts/run-suites.ts'
import { type CommandRun, runCommand } from '../peers/recorded-io.ts'
import {
  type Received,
  type ScriptedServer,
  sendFrames,
  sendJson,
  startScriptedServer,
} from '../peers/scripted-server.ts'
import { parseXml } from '../report/xml-document.ts'

type Answer = (rpc: { method: string; params: { [name: string]: unknown } }, request: Received) => unknown

let folder: string
let agent: ScriptedServer | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-acts-'))
})

afterEach(async () => {
  await agent?.close()
  agent = undefined
  rmSync(folder, { recursive: true, force: true })
})

const SILENT = Symbol('no answer')

/** A JSON-RPC agent: `answer` gives the result; an object with `error` is one; SILENT is silence; a list is a stream. */
async function start(answer: Answer, capabilities: object = {}): Promise<string> {
  agent = await startScriptedServer((request, res) => {
    if (request.method === 'GET') {
      const url = `http://${request.headers.host}/a2a`
      const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]
      const skills = [{ id: 'talk', name: 'Talk', description: 'Talks.', tags: [] }]
      sendJson(res, 200, { name: 'Scripted', version: '2.1', capabilities, skills, supportedInterfaces })
      return
    }
    const { id, ...rpc } = JSON.parse(request.body) as {
      id: unknown
      method: string
      params: { [name: string]: unknown }
    }
    const result = answer(rpc, request)
    if (result === SILENT) return
    if (Array.isArray(result)) {
      sendFrames(
        res,
        result.map((event) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: event })}`),
      )
      res.end()
    } else if (typeof result === 'object' && result !== null && 'error' in result) {
      sendJson(res, 200, { jsonrpc: '2.0', id, ...result })
    } else sendJson(res, 200, { jsonrpc: '2.0', id, result })
  })
  return agent.url
}

const NOT_FOUND = { error: { code: -32001, message: 'no such task' } }

function suiteFile(tests: string, head = ''): string {
  const path = join(folder, 's.acts.yaml')
  writeFileSync(
    path,
    `acts_version: "1.0"\nspec_version: "1.0"\n${head}suites:\n  - id: s\n    name: S\n    tests:\n${tests.replaceAll(/^/gm, '      ')}\n`,
  )
  return path
}

async function outcomesOf(url: string, tests: string, options: RunSuitesOptions = {}, head = '') {
  const run = await runSuites(url, await loadSuites([suiteFile(tests, head)]), { timeoutMs: 2_000, ...options })
  return run.outcomes
}

const GET = '{ id: get, operation: get_task, params: { id: t } }'

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
    ['{ ordering: monotonic_state }', 'goes from TASK_STATE_COMPLETED to TASK_STATE_WORKING'],
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
    expect(outcome?.failure?.message).toContain('did not bring the same events')
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

describe('parley test --suite', () => {
  const MIXED = `- { id: GOOD, name: a good one, level: must, steps: [{ id: get, operation: get_task, params: { id: t }, expect_error: { code: TaskNotFoundError } }] }
- { id: BAD, name: a bad one, level: LEVEL, steps: [${GET}] }`

  function run(url: string, level: string, ...flags: string[]): Promise<CommandRun> {
    const file = suiteFile(MIXED.replace('LEVEL', level))
    return runCommand(testCommand, [url, '--suite', file, '--quiet', '--no-color', ...flags])
  }

  test('says what failed, where it stands and how to see it again', async () => {
    const url = await start(() => NOT_FOUND)
    const { out, exitCode } = await run(url, 'must')
    expect(exitCode).toBe(1)
    expect(out).toContain('Scripted 2.1')
    expect(out).toContain('1 passed, 1 failed')
    expect(out).toMatch(/✗ BAD \[must, 1\.0 jsonrpc\] a bad one\n {2}.*s\.acts\.yaml:8/)
    expect(out).toContain('no such task')
    expect(out).toContain('curl -sS -i')
    expect(out).toMatch(/--suite .*s\.acts\.yaml --only BAD/)
  })

  test('only musts decide, unless --strict', async () => {
    const url = await start(() => NOT_FOUND)
    expect((await run(url, 'should')).exitCode).toBe(0)
    expect((await run(url, 'should', '--strict')).exitCode).toBe(1)
  })

  test('writes the report of the draft, without secrets', async () => {
    const url = await start((_, { headers }) => ({ error: { code: -32001, message: `saw ${headers.authorization}` } }))
    const file = join(folder, 'report.json')
    const { out } = await run(url, 'must', '--format', `acts:${file}`, '--bearer', 'parley-canary')
    const text = readFileSync(file, 'utf8')
    expect(text + out).not.toContain('parley-canary')
    expect(JSON.parse(text)).toMatchObject({
      acts_version: '1.0',
      spec_version: '1.0',
      generated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      sdk: { name: 'Scripted', version: '2.1', language: 'unknown' },
      transport: 'jsonrpc',
      summary: {
        total: 2,
        passed: 1,
        failed: 1,
        skipped: 0,
        errors: 0,
        by_level: { must: { total: 2, passed: 1, failed: 1 }, should: { total: 0 }, may: { total: 0 } },
      },
      suites: [
        {
          id: 's',
          tests: [
            { id: 'GOOD', level: 'must', result: 'pass', steps: [{ id: 'get', result: 'pass' }] },
            { id: 'BAD', result: 'fail', failure: { step_id: 'get', expected: 'a result', assertion_path: 'error' } },
          ],
        },
      ],
    })
    expect(readdirSync(folder).sort()).toEqual(['report.json', 's.acts.yaml'])
  })

  test('takes out a bare token that the agent echoes, from every report and the agent’s own name', async () => {
    const url = await start((_, { headers }) => {
      const bare = String(headers.authorization).replace('Bearer ', '')
      return { error: { code: -32001, message: `saw ${bare}` } }
    })
    const formats = ['acts', 'json', 'junit', 'markdown'].flatMap((name) => [
      '--format',
      `${name}:${join(folder, name)}`,
    ])
    const { out } = await run(url, 'must', ...formats, '-H', 'Authorization: Bearer parley-canary')
    const written = ['acts', 'json', 'junit', 'markdown'].map((name) => readFileSync(join(folder, name), 'utf8'))
    for (const text of [out, ...written]) expect(text).not.toContain('parley-canary')
  })

  test('writes JUnit for CI and Markdown for a pull request, whatever the agent says', async () => {
    const message = 'saw <b>|`@all`\u0000</b>'
    const url = await start(() => ({ error: { code: -32001, message } }))
    const files = [join(folder, 'results.xml'), join(folder, 'summary.md')] as const
    await run(url, 'must', '--format', `junit:${files[0]}`, '--format', `markdown:${files[1]}`)
    const root = parseXml(readFileSync(files[0], 'utf8'))
    expect(root.attributes).toMatchObject({ tests: '2', failures: '1', errors: '0' })
    const [suite] = root.children
    expect(suite?.attributes.name).toBe('s [1.0 jsonrpc]')
    expect(suite?.children.map(({ attributes }) => attributes.name)).toEqual(['GOOD: a good one', 'BAD: a bad one'])
    const [failure] = suite?.children[1]?.children ?? []
    expect(failure).toMatchObject({ name: 'failure', attributes: { type: 'must' } })
    expect(failure?.text).toContain('curl -sS -i')

    const markdown = readFileSync(files[1], 'utf8')
    expect(markdown).toContain('## A2A suites: Scripted 2.1 failed 1 of 2 tests')
    expect(markdown).toContain('| BAD (1.0 jsonrpc) | must |')
    expect(markdown.replaceAll(/```[\s\S]*?```/g, ''), 'markup of the agent').not.toMatch(/<b>|@all/)
  })

  test('-o json has all the evidence', async () => {
    const url = await start(() => NOT_FOUND)
    const { out } = await run(url, 'must', '-o', 'json')
    const report = JSON.parse(out) as { tests: { transcript?: { response: { body: string } }[] }[] }
    expect(report.tests[1]?.transcript?.[0]?.response.body).toContain('no such task')
  })

  test.each([
    [['--only', 'GOD'], "did you mean 'GOOD'"],
    [['--format', 'junit', '--format', 'markdown'], 'Only one --format can go to stdout'],
  ])('%j is a mistake, named', async (flags, message) => {
    const url = await start(() => NOT_FOUND)
    await expect(run(url, 'must', ...flags)).rejects.toThrow(message)
  })

  test('--format acts tells about checks, too', async () => {
    const url = await start(() => NOT_FOUND)
    const { out } = await runCommand(testCommand, [url, '--only', 'get-task-unknown', '--quiet', '--format', 'acts'])
    expect(JSON.parse(out)).toMatchObject({
      transport: 'jsonrpc',
      suites: [{ id: 'error-handling', tests: [{ id: 'get-task-unknown', level: 'must', result: 'pass' }] }],
    })
  })

  test('an agent that is not there is one sentence and exit code 3', async () => {
    await expect(run('http://127.0.0.1:9', 'must')).rejects.toMatchObject({ code: 'unreachable', exitCode: 3 })
  })

  test('nothing that applies is no success', async () => {
    const url = await start(() => NOT_FOUND)
    const file = suiteFile(`- { id: T, name: n, level: must, transport: [grpc], steps: [${GET}] }`)
    expect((await runCommand(testCommand, [url, '--suite', file, '--quiet'])).exitCode).toBe(10)
  })
})
