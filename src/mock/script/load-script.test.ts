import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ParleyError } from '../../model/errors.ts'
import { loadScript, parseScript } from './load-script.ts'

const root = mkdtempSync(join(tmpdir(), 'parley-script-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const REPORTS = `
agent: { name: reports, streaming: true, security: [bearer] }
rules:
  - id: csv-report
    match: { text: { regex: "report (?<name>\\\\w+)" } }
    turns:
      - - { status: working, text: "Working on {{captures.name}}" }
        - { delay: 150ms }
        - { artifact: { name: "{{captures.name}}.csv", mediaType: text/csv, text: "a,b\\n1,2", chunks: 3 } }
        - { status: input-required, text: "Include totals?" }
      - - { complete: "Done." }
    times: { min: 1 }
faults:
  - { at: { rule: csv-report, turn: 0, afterEvent: 2 }, do: reset }
`

function problemsOf(yaml: string): string[] {
  try {
    parseScript(yaml, 'a.yaml')
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'script-invalid') return error.message.split('\n')
    throw error
  }
  return []
}

test('reads the script of the guide', () => {
  const script = parseScript(REPORTS)
  expect(script.agent).toMatchObject({ name: 'reports', streaming: true, security: [{ is: 'bearer' }] })
  expect(script.rules).toHaveLength(1)
  expect(script.rules[0]?.turns.map((turn) => turn.map((step) => step.is))).toEqual([
    ['event', 'delay', 'event', 'event'],
    ['event'],
  ])
  expect(script.rules[0]?.times).toEqual({ min: 1, max: Number.POSITIVE_INFINITY })
  expect(script.faults).toEqual([
    {
      at: { rule: 'csv-report', turn: 0, afterEvent: 2 },
      action: { name: 'reset-after-event', with: {} },
      schedule: {},
    },
  ])
})

test('an empty file is a script without rules', () => {
  expect(parseScript('').rules).toEqual([])
})

const rule = (match: string, steps = '[]'): string =>
  `rules:\n  - id: r\n    match: ${match}\n    turns:\n      - ${steps}`

describe('says in one sentence with its line what is wrong', () => {
  test.each([
    ['an unknown key', 'ruels: []', "a.yaml:1:1: unknown key 'ruels' in the file; did you mean 'rules'?"],
    [
      'an unknown key in a match',
      rule('{ txet: a }'),
      "a.yaml:3:14: unknown key 'txet' in rules[0].match; did you mean 'text'?",
    ],
    ['a wrong type', 'agent: { streaming: "yes" }', 'a.yaml:1:21: agent.streaming must be true or false, not text'],
    [
      'a bad regex',
      rule('{ text: { regex: "(a" } }'),
      'a.yaml:3:12: match.text is not a regular expression: /(a/u: Unterminated group',
    ],
    [
      'an unknown step',
      rule('{}', '- { stauts: working }'),
      /a.yaml:5:13: .*unknown step 'stauts'; did you mean 'status'\?/,
    ],
    [
      'an unknown state',
      rule('{}', '- { status: done }'),
      /a.yaml:5:21: .*must be one of submitted, working.*not 'done'/,
    ],
    [
      'a delay without unit',
      rule('{}', '- { delay: 150 }'),
      'a.yaml:5:20: rules[0].turns[0][0].delay must be text, not a number',
    ],
    [
      'an unknown capture',
      rule('{ text: { regex: "(?<name>a)" } }', '- { complete: "{{captures.nam}}" }'),
      /a.yaml:5:11: .*did you mean 'name'\?/,
    ],
    [
      'an unknown template root',
      rule('{}', '- { complete: "{{messages.text}}" }'),
      /a.yaml:5:11: .*did you mean 'message'\?/,
    ],
    ['code in a template', rule('{}', '- { complete: "{{process.exit()}}" }'), /is not a path such as/],
    ['a bad JSON path', rule('{ jsonpath: { "$..a": 1 } }'), /a.yaml:3:12: match.jsonpath '\$..a' is not a JSON path/],
    [
      'a raw event with a wrong field',
      rule('{}', '- { event: { kind: status-update, status: { stat: x } } }'),
      /a.yaml:5:11: event.status.stat is unknown; did you mean 'state'\?/,
    ],
    [
      'an artifact without content',
      rule('{}', '- { artifact: { name: a } }'),
      'a.yaml:5:11: an artifact needs exactly one of text, data, base64, file',
    ],
    [
      'an unknown fault',
      'faults: [{ do: rest }]',
      /a.yaml:1:16: faults\[0\].do: there is no fault 'rest'; did you mean 'reset'\?/,
    ],
    [
      'a fault of an unknown rule',
      'faults: [{ at: { rule: nope }, do: hang }]',
      "a.yaml:1:10: 'at.rule': there is no rule 'nope'",
    ],
    [
      'a fault parameter',
      'faults: [{ do: http-status, with: { stauts: 503 } }]',
      /unknown key 'stauts'.*did you mean 'status'\?/,
    ],
    ['a probability without seed', 'faults: [{ do: hang, probability: 0.5 }]', /has a probability without a seed/],
    ['broken YAML', 'rules: [', /^a.yaml:1:9: /],
    ['a file read from a script without a folder', 'include: [b.yaml]', /a.yaml:1:11: 'b.yaml' cannot be read/],
    ['min above max', `${rule('{}')}\n    times: { min: 2, max: 1 }`, /has a min of 2 and a max of 1/],
  ])('%s', (_, yaml, expected) => {
    const [first] = problemsOf(yaml)
    if (typeof expected === 'string') expect(first).toBe(expected)
    else expect(first).toMatch(expected)
  })

  test('a duplicate id, with the place of the first', () => {
    const yaml = 'rules:\n  - { id: a, turns: [[]] }\n  - { id: a, turns: [[]] }'
    expect(problemsOf(yaml)).toEqual(["a.yaml:3:11: the id 'a' is already used at a.yaml:2; ids must differ"])
  })

  test('several problems at once', () => {
    expect(problemsOf(`ruels: []\nagent: { nmae: x }`)).toHaveLength(2)
  })
})

describe('files a script names', () => {
  const folder = join(root, 'scripts')
  mkdirSync(join(folder, 'more'), { recursive: true })
  writeFileSync(join(root, 'secret.txt'), 'secret')
  const write = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }

  test('are read relative to the file that names them', () => {
    write('more/data.csv', 'a,b')
    write('more/extra.yaml', 'rules: [{ id: extra, turns: [[{ artifact: { name: d, file: data.csv } }]] }]')
    const script = loadScript(write('main.yaml', 'include: [more/extra.yaml]\nrules: [{ id: main, turns: [[]] }]'))
    expect(script.rules.map(({ id }) => id)).toEqual(['main', 'extra'])
  })

  test.each([
    ['../secret.txt', "lies outside the script's folder"],
    ['link.txt', "lies outside the script's folder"],
    ['missing.yaml', 'cannot be read: there is no such file'],
    [join(root, 'secret.txt'), 'must be a path relative to the script'],
    ['more', 'cannot be read: it is a folder'],
    ['loop.yaml', 'includes itself'],
  ])('%s is refused', (path, why) => {
    rmSync(join(folder, 'link.txt'), { force: true })
    symlinkSync(join(root, 'secret.txt'), join(folder, 'link.txt'))
    write('loop.yaml', 'include: [main.yaml]')
    const main = write('main.yaml', `include: [${JSON.stringify(path)}]`)
    expect(() => loadScript(main)).toThrow(why)
  })

  test('a missing script is one sentence', () => {
    expect(() => loadScript(join(folder, 'none.yaml'))).toThrow(
      /The script .*none.yaml cannot be read: there is no such file\./,
    )
  })
})
