// One box for everything: words, and `name:value` for what a result is. The same text stands in the address of the page.

import type { Row } from './data.ts'

/** What a result counts as in the chips, in their order. */
export const STATES = [
  'fail',
  'warn',
  'pass',
  'not-measured',
  'known',
  'not-applicable',
  'spec-conflict',
  'skip',
  'harness-error',
] as const
export type State = (typeof STATES)[number]

export const STATE_WORDS: Readonly<Record<State, string>> = {
  fail: 'failed',
  warn: 'warnings',
  pass: 'passed',
  'not-measured': 'not measured',
  known: 'known',
  'not-applicable': 'not applicable',
  'spec-conflict': 'spec conflicts',
  skip: 'left out',
  'harness-error': 'errors of Parley',
}

/** Never colour alone: a sign, a word and a colour. */
export const STATE_SIGNS: Readonly<Record<State, string>> = {
  fail: '✗',
  warn: '!',
  pass: '✓',
  'not-measured': '?',
  known: '≈',
  'not-applicable': '–',
  'spec-conflict': '§',
  skip: '–',
  'harness-error': '⚠',
}

export function stateOf({ status, verdict }: Row): State {
  if (status === 'fail') return 'fail'
  return verdict === 'info' || verdict === 'fail' ? 'pass' : verdict
}

type Test = (row: Row) => boolean

const FIELDS: Readonly<Record<string, (row: Row) => readonly (string | undefined)[]>> = {
  status: (row) => [stateOf(row), row.status, row.verdict],
  binding: ({ binding }) => [binding],
  version: ({ version }) => [version],
  level: ({ level }) => [level.toLowerCase()],
  area: ({ area }) => [area],
  group: ({ group }) => [group],
  category: ({ category }) => [category],
  section: ({ sections }) => sections,
  agent: ({ agent }) => [agent],
  check: ({ test, key }) => [test, key],
  cause: ({ recommendation }) => [recommendation],
  client: ({ pair }) => [pair?.client],
  server: ({ pair }) => [pair?.server],
  blame: ({ pair }) => [pair?.blame],
}

/** Fields of one name are alternatives, everything else must hold together. */
export function testOf(query: string, changeOf: (row: Row) => string | undefined): Test {
  const fields = new Map<string, string[]>()
  const words: string[] = []
  for (const [, name = '', quoted, plain] of query.matchAll(/(?:(\w+):)?(?:"([^"]*)"|(\S+))/g)) {
    const value = (quoted ?? plain ?? '').toLowerCase()
    if (name in FIELDS || name === 'change') fields.set(name, [...(fields.get(name) ?? []), value])
    else words.push(name === '' ? value : `${name}:${value}`.toLowerCase())
  }
  return (row) =>
    [...fields].every(([name, values]) =>
      (FIELDS[name]?.(row) ?? [changeOf(row)]).some((own) => values.includes(asWritten(own ?? ''))),
    ) && words.every((word) => textOf(row).includes(word))
}

const texts = new WeakMap<Row, string>()

function textOf(row: Row): string {
  const known = texts.get(row)
  if (known !== undefined) return known
  const { key, title, message = '', requirement = '', recommendation = '', source = '' } = row
  const text = [key, title, message, requirement, recommendation, source].join(' ').toLowerCase()
  texts.set(row, text)
  return text
}

/** The query with the chip of a state put in or taken out. */
export function toggled(query: string, state: State): string {
  const word = `status:${state}`
  const words = query.split(/\s+/).filter((each) => each !== '')
  return (words.includes(word) ? words.filter((each) => each !== word) : [...words, word]).join(' ')
}

/** The box has no way to write a quotation mark inside of a value. */
function asWritten(value: string): string {
  return value.toLowerCase().replaceAll('"', '')
}

/** A field and its value, as the box takes them. */
export function fieldText(name: string, value: string): string {
  return `${name}:"${value.replaceAll('"', '')}"`
}
