import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadSuites } from './load-suite.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-acts-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const HEAD = 'acts_version: "1.0"\nspec_version: "1.0"\n'

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function suite(id: string, step = '{ id: s, operation: get_agent_card }', more = ''): string {
  return `${HEAD}suites:\n  - id: ${id}\n    name: A suite\n    tests:\n      - id: T-${id}\n        name: A test\n        level: must\n${more}        steps:\n          - ${step}\n`
}

async function problemsOf(text: string): Promise<string> {
  const path = write('f.acts.yaml', text)
  const error = await loadSuites([path]).then(
    () => undefined,
    (cause: unknown) => cause,
  )
  expect(error).toMatchObject({ code: 'bad-suite', exitCode: 2 })
  return (error as Error).message.replaceAll(`${path}:`, '')
}

test('a master file brings its variables to what it includes', async () => {
  write('one.acts.yaml', suite('one'))
  write('two.acts.yaml', suite('two'))
  const master = write('m.yaml', `${HEAD}variables: { who: me }\ninclude: [one.acts.yaml, two.acts.yaml, m.yaml]\n`)
  const loaded = await loadSuites([master])
  expect(loaded.map(({ suite: { id }, variables }) => [id, variables.get('who')])).toEqual([
    ['one', 'me'],
    ['two', 'me'],
  ])
})

test('the contract of behaviours may stand among the suites', async () => {
  const path = write('b.yaml', 'acts_version: "1.0"\nbehaviors:\n  - { prefix: tck-x, description: Does x. }\n')
  expect(await loadSuites([path])).toEqual([])
})

test.each([
  [
    'an unknown key',
    suite('a', '{ id: s, operation: get_task, parms: {} }'),
    "11:43: unknown key 'parms' in suites[0].tests[0].steps[0]; did you mean 'params'?",
  ],
  ['an unknown operation', suite('a', '{ id: s, operation: get_taks }'), "did you mean 'get_task'?"],
  ['no kind of step', suite('a', '{ id: s }'), 'unknown step'],
  ['a broken condition', suite('a', '{ id: s, operation: get_task, repeat: { until: done } }'), 'is not a condition'],
  ['a broken path', suite('a', '{ id: s, operation: get_task, capture: { a: "b[" } }'), 'is not a path'],
  [
    'both expectations',
    suite('a', '{ id: s, operation: get_task, expect: { status: 200 }, expect_error: {} }'),
    "both 'expect' and 'expect_error'",
  ],
  [
    'a body that was meant as the answer',
    suite('a', '{ id: s, operation: get_task, expect: { status: { state: x } } }'),
    'go under body',
  ],
  ['raw steps of no transport', suite('a', '{ id: s, raw: { method: GET, path: / } }'), "name it with 'transport'"],
  [
    'two bodies',
    suite('a', '{ id: s, raw: { method: POST, path: /, body: {}, body_raw: x } }', '        transport: [rest]\n'),
    "both 'body' and 'body_raw'",
  ],
  [
    'the same step twice',
    suite('a', '{ id: s, operation: get_task }\n          - { id: s, operation: get_task }'),
    "two steps with the id 's'",
  ],
  [
    'an assertion about nothing',
    suite('a', '{ id: s, operation: get_task, assertions: [{ source: s }] }'),
    'asserts nothing',
  ],
  ['another major version', 'acts_version: "2.0"\nspec_version: "1.0"\nsuites: []\n', 'at least 1'],
  ['an unknown generation', suite('a').replace('spec_version: "1.0"', 'spec_version: "7.0"'), '1:1: spec_version 7.0'],
  ['a missing include', `${HEAD}include: [gone.yaml]\n`, '3:11: the included file'],
  ['no YAML', 'a: [', '1:'],
])('%s is refused with its place', async (_, text, message) => {
  expect(await problemsOf(text)).toContain(message)
})

test('a format of another major version is refused', async () => {
  expect(await problemsOf(suite('a').replace('acts_version: "1.0"', 'acts_version: "2.0"'))).toContain(
    'version 2.0 of ACTS',
  )
})

test('a test id in two files is refused with both places', async () => {
  const one = write('one.yaml', suite('x'))
  const other = write('other.yaml', suite('x'))
  await expect(loadSuites([one, other])).rejects.toThrow(`'T-x' is already used at ${one}:7`)
})

test('a file that is not there is one sentence', async () => {
  await expect(loadSuites([join(folder, 'nope.yaml')])).rejects.toMatchObject({ code: 'suite-unreadable', exitCode: 2 })
})
