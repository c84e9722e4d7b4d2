// What people get wrong, by name, as the command tells them: file, line and what was meant; a task that fails and says so.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runParley, type Serving, startParley } from '../support/parley-process.ts'
import { ONE_TURN, withDirectives } from './seed-scripts.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-bad-input-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const rule = (text: string): string => `rules:\n  - id: a\n    ${text}\n    turns: [[{ complete: Done. }]]\n`

describe('a script with', () => {
  test.each([
    [
      'an unknown key',
      rule('macth: { text: a }'),
      "agent.yaml:3:5: unknown key 'macth' in rules[0]; did you mean 'match'?",
    ],
    [
      'an unknown step',
      'rules: [{ turns: [[{ compleet: x }]] }]',
      "agent.yaml:1:22: rules[0].turns[0][0]: unknown step 'compleet'; did you mean 'complete'?",
    ],
    [
      'an unknown fault',
      'faults: [{ do: hagn }]',
      "agent.yaml:1:16: faults[0].do: there is no fault 'hagn'; did you mean 'hang'?",
    ],
    [
      'an unknown key in a fault',
      'faults: [{ do: hang, att: {} }]',
      "agent.yaml:1:22: unknown key 'att' in faults[0]; did you mean 'at'?",
    ],
    [
      'an unknown key of the agent',
      'agent: { nmae: x }',
      "agent.yaml:1:10: unknown key 'nmae' in agent; did you mean 'name'?",
    ],
    [
      'an unknown key of an artifact',
      'rules: [{ turns: [[{ artifact: { txt: a } }]] }]',
      "agent.yaml:1:34: unknown key 'txt'",
    ],
    ['a wrong type', rule('times: often'), 'agent.yaml:3:12: rules[0].times must be'],
    [
      'a bad regular expression',
      rule('match: { text: { regex: "(" } }'),
      'agent.yaml:3:12: match.text is not a regular expression',
    ],
    ['a missing include', 'include: [more.yaml]', "agent.yaml:1:11: 'more.yaml' cannot be read: there is no such file"],
    ['an include outside its folder', 'include: [../../etc/passwd]', "agent.yaml:1:11: '../../etc/passwd'"],
    [
      'a duplicate id',
      'rules:\n  - { id: a, turns: [[]] }\n  - { id: a, turns: [[]] }\n',
      "agent.yaml:3:11: the id 'a' is already used at",
    ],
    [
      'an event that could never be sent',
      'rules: [{ turns: [[{ complete: x }, { status: working }]] }]',
      'agent.yaml:1:37: this step comes after the end of the task and cannot be sent',
    ],
  ])('%s', async (_, text, message) => {
    writeFileSync(join(folder, 'agent.yaml'), text)
    const checked = await runParley(['mock', 'agent.yaml', '--check'], { cwd: folder })
    expect(checked.stderr).toContain(message)
    expect(checked).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('a directive', () => {
  let mock: Serving
  beforeAll(async () => {
    mock = await startParley(['mock', '--quiet'])
  })
  afterAll(() => mock.stop())

  const encoded = (text: string): string => Buffer.from(text).toString('base64')

  test.each([
    ['that is not base64', '[test_case_id=a][responses_json=%%%]', "test case 'a': [responses_json=…] is not base64"],
    [
      'that is not JSON',
      `[test_case_id=b][responses_json=${encoded('{"a"')}]`,
      "test case 'b': [responses_json=…] does not decode to JSON",
    ],
    [
      'with an endless number',
      `[test_case_id=n][responses_json=${encoded('[[1e400]]')}]`,
      "test case 'n': [responses_json=…] holds a number larger than JSON readers can hold",
    ],
    [
      'of an unknown kind',
      withDirectives('c', [[{ kind: 'nope' }]]),
      "test case 'c': turn 0, event 0: kind must be one of",
    ],
    ['without a test case', `[responses_json=${encoded('[[]]')}]`, 'needs a [test_case_id=…] beside it'],
    ['of which there is none', 'hello', 'carries no [test_case_id=…]'],
  ])('%s fails the task and says so', async (_, text, why) => {
    const sent = await runParley(['send', mock.url, text, '-q'])
    expect(sent.stdout).toMatch(/^failed/)
    expect(sent.stdout).toContain(why)
    expect(sent.code).toBe(1)
  })

  test('with too few turns fails the task that asks for one more', async () => {
    const open = [[{ kind: 'status-update', status: { state: 'input-required' } }]]
    const first = await runParley(['send', mock.url, withDirectives('few', open), '-o', 'json', '-q'])
    const { task } = JSON.parse(first.stdout) as { task: { id: string } }
    const second = await runParley(['send', mock.url, 'more', '--task-id', task.id, '-q'])
    expect(second.stdout).toContain("no turn left: test case 'few' has 1 turn, and this is message 2 of the task")
    expect(second.code).toBe(1)
  })

  test('that gives a known test case another script fails the task', async () => {
    await runParley(['send', mock.url, withDirectives('twice', ONE_TURN), '-q'])
    const again = await runParley(['send', mock.url, withDirectives('twice', [[]]), '-q'])
    expect(again.stdout).toContain("the test case 'twice' is known with other responses")
  })
})
