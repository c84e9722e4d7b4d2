// What a person may get wrong with `parley proxy` and `parley run`, and what may go wrong around them, by name and
// through the real command: what it says, where it points, how it exits.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createMockAgent, type MockAgent } from '../../src/mock/index.ts'
import { type Finished, runParley, type Serving, startParley } from '../support/parley-process.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-bad-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function write(name: string, text: string): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

async function startAgent(port = 0): Promise<MockAgent> {
  const mock = await createMockAgent({
    scriptText: 'rules: [{ id: ok, match: {}, turns: [[{ complete: Done. }]] }]',
  }).start({ port })
  stops.push(() => mock.stop())
  return mock
}

async function startProxy(...args: string[]): Promise<Serving> {
  const proxy = await startParley(['proxy', ...args])
  stops.push(() => proxy.stop())
  return proxy
}

async function readiness({ url }: Serving): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${url}/readyz`)
  return { status: answer.status, text: await answer.text() }
}

const send = ({ url }: Serving, text: string): Promise<Finished> => runParley(['send', url, text])

describe('an agent that is not there', () => {
  test('at the start: the proxy starts, says so, and takes it in when it comes; gone again, it says so again', async () => {
    const first = await startAgent()
    const port = Number(new URL(first.url).port)
    await first.stop()

    const proxy = await startProxy(`http://127.0.0.1:${port}`)
    const before = await readiness(proxy)
    expect(before.status).toBe(503)
    expect(before.text).toContain(`Nothing is listening at http://127.0.0.1:${port}`)
    const refused = await send(proxy, 'hello')
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('503')

    const late = await startAgent(port)
    expect((await readiness(proxy)).status).toBe(200)
    expect(await send(proxy, 'hello')).toMatchObject({ code: 0, stdout: expect.stringContaining('Done.') })

    await late.stop()
    const lost = await send(proxy, 'hello')
    expect(lost.code).toBe(1)
    expect(lost.stderr + lost.stdout).toContain('The agent behind this proxy did not answer')
    expect((await readiness(proxy)).status).toBe(503)

    await startAgent(port)
    expect((await send(proxy, 'hello')).code).toBe(0)
  })
})

test('an artifact reference that cannot be resolved is named, and nothing is sent', async () => {
  const agent = await startAgent()
  const proxy = await startProxy(agent.url)
  const uri = 'artifact://agent/anonymous/somewhere/missing.csv'
  const { code, stdout, stderr } = await send(proxy, `Summarise ${uri}`)
  expect(code).toBe(1)
  expect(stdout + stderr).toContain(`The reference ${uri} cannot be resolved`)
  expect(agent.requests({ operation: 'sendMessage' })).toEqual([])
  expect(agent.requests({ operation: 'streamMessage' })).toEqual([])
})

describe('a proxy.yaml', () => {
  test.each([
    [
      'agents: [{ url: "http://127.0.0.1:9", timeout: 5s }]\n',
      "1:39: unknown key 'timeout'",
      "did you mean 'timeouts'",
    ],
    [
      'agents:\n  - url: http://127.0.0.1:9\nlissten: { port: 1 }\n',
      "3:1: unknown key 'lissten'",
      "did you mean 'listen'",
    ],
    ['agents: [{ url: "http://127.0.0.1:9" }]\nlisten: { port: high }\n', '2:17:', 'port'],
    ['agents: [{ url: "http://127.0.0.1:9" }]\nfaults: [{ do: hangg }]\n', '2:16:', "did you mean 'hang'"],
    ['agents: []\n', '1:9:', 'agents'],
    [`agents: [{ url: "http://127.0.0.1:9", auth: { bearer: "$\{NO_SUCH_NAME}" } }]\n`, '1:55:', 'NO_SUCH_NAME'],
  ])('%j is refused with its line', async (text, place, meant) => {
    const file = await write('proxy.yaml', text)
    const { code, stderr } = await runParley(['proxy', '--config', file])
    expect(code).toBe(2)
    expect(stderr).toContain(`${file}:${place}`)
    expect(stderr).toContain(meant)
  })
})

describe('a case', () => {
  const CASE = `test_case_id: one
gateway_input: { parts: [{ text: go }] }
downstream_script: { rules: [{ id: a, turns: [[{ complete: Done. }]] }] }
`
  const ENDS = 'expected_gateway_output: [{ type: final_response, task_state: completed }]\n'

  test.each([
    ['asserts nothing', CASE, '1:1:', 'could not fail'],
    ['asserts nothing in an empty list', `${CASE}expected_gateway_output: []\n`, '1:1:', 'could not fail'],
    ['needs a language model', `${CASE}${ENDS}llm_interactions: [{ say: hi }]\n`, '5:19:', 'no language model'],
    ['has an unknown key', `${CASE}${ENDS}expected_artefacts: []\n`, '5:1:', "did you mean 'expected_artifacts'"],
    ['has an unknown key inside', CASE + ENDS.replace('task_state', 'state'), '4:51:', "unknown key 'state'"],
    ['has a bad script', `${CASE.replace('complete', 'complet')}${ENDS}`, '3:50:', "did you mean 'complete'"],
  ])('that %s is refused with its line, and nothing is played', async (_what, text, place, meant) => {
    const file = await write('case.yaml', text)
    const { code, stdout, stderr } = await runParley(['run', file])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`${file}:${place}`)
    expect(stderr).toContain(meant)
  })

  test('with an empty llm_interactions is played', async () => {
    const file = await write('case.yaml', `${CASE}${ENDS}llm_interactions: []\n`)
    expect(await runParley(['run', file])).toMatchObject({ code: 0, stdout: expect.stringContaining('1 passed') })
  })
})
