// The run record: its schema says what the types say, it can be read while it grows, and it comes back as it was.

import { Ajv } from 'ajv'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { runOf } from '../../test/report/rendered.ts'
import { sampleReport } from '../../test/report/sample-report.ts'
import type { Infer } from '../yaml/shape.ts'
import { beginRun } from './begin-run.ts'
import { reportOfRun } from './conformance-run.ts'
import { parseRecord } from './record-reader.ts'
import { lineSchema, RUN_RECORD_SCHEMA } from './record-schema.ts'
import type { agentShape, footerShape, headerShape, resultShape } from './record-shape.ts'
import { RecordWriter } from './record-writer.ts'
import type { Run, RunAgent, RunFooter, RunHeader, RunResult } from './run.ts'

type Flat<T> = T extends readonly (infer U)[] ? Flat<U>[] : T extends object ? { [K in keyof T]: Flat<T[K]> } : T

const report = sampleReport({ second: sampleReport({ agentUrl: 'http://127.0.0.1:2' }) })
const run = runOf(report)

/** The lines of a run that told its results while it went on. */
function linesOf(told: Run, results: readonly RunResult[] = told.results): string[] {
  const lines: string[] = []
  const writer = new RecordWriter((line) => lines.push(line))
  writer.header(told.header)
  writer.agent({ agent: 'first', url: 'http://127.0.0.1:1', name: 'A', version: '1', interfaces: [] })
  writer.plan({ total: results.length })
  for (const result of results) writer.result(result)
  writer.end(told)
  return lines
}

describe('the schema', () => {
  test('has the members of the types, optional where they are', () => {
    expectTypeOf<Flat<Infer<typeof headerShape>>>().toEqualTypeOf<Flat<RunHeader>>()
    expectTypeOf<Flat<Infer<typeof agentShape>>>().toEqualTypeOf<Flat<RunAgent>>()
    expectTypeOf<Flat<Infer<typeof resultShape>>>().toEqualTypeOf<Flat<RunResult>>()
    expectTypeOf<Flat<Infer<typeof footerShape>>>().toEqualTypeOf<Flat<RunFooter>>()
    expect(Object.keys(lineSchema('result').properties ?? {})).toContain('differences')
  })

  test('fits every line that is written, and knows each of their members', () => {
    const ajv = new Ajv({ strict: false, allErrors: true })
    const published = ajv.compile(RUN_RECORD_SCHEMA)
    for (const line of linesOf(run).map((text) => JSON.parse(text) as { type: 'header' })) {
      expect(published(line), JSON.stringify(published.errors)).toBe(true)
      const strict = ajv.compile(lineSchema(line.type))
      expect(strict(line), JSON.stringify(strict.errors)).toBe(true)
    }
  })
})

describe('a record', () => {
  test('comes back as the run it was, and the report with it', () => {
    const stored = parseRecord(linesOf(run).join(''), 'run.jsonl')
    expect(stored.run.results).toEqual(JSON.parse(JSON.stringify(run.results)))
    expect(JSON.stringify(reportOfRun(stored.run))).toBe(JSON.stringify(reportOfRun(run)))
    expect(stored.total).toBe(run.results.length)
  })

  test('keeps the order reports show, whatever the order results came in', () => {
    const stored = parseRecord(linesOf(run, run.results.toReversed()).join(''), 'run.jsonl')
    expect(stored.run.results.map(({ key }) => key)).toEqual(run.results.map(({ key }) => key))
    expect(stored.arrival.map(({ key }) => key)).toEqual(run.results.toReversed().map(({ key }) => key))
  })

  test('a result that turned out differently is said again, and the last word counts', () => {
    const told = run.results.map((result) =>
      result.verdict === 'fail' ? { ...result, verdict: 'known' as const } : result,
    )
    const lines = linesOf({ ...run, results: told }, run.results)
    const changed = told.filter(({ verdict }) => verdict === 'known').length
    expect(changed).toBeGreaterThan(0)
    expect(lines.length).toBe(3 + run.results.length + changed + 1)
    expect(parseRecord(lines.join(''), 'run.jsonl').run.results.map(({ verdict }) => verdict)).toEqual(
      told.map(({ verdict }) => verdict),
    )
  })

  test('two results of one name stay two', () => {
    const [one] = run.results
    if (one === undefined) throw new Error('there is a result')
    const both = { ...run, results: [one, { ...one, message: 'another' }] }
    expect(parseRecord(linesOf(both).join(''), 'run.jsonl').run.results.map(({ message }) => message)).toEqual([
      one.message,
      'another',
    ])
  })

  test.each([1, 4, 7])('that was cut after %i lines, and in the middle of the next, holds what came before', (kept) => {
    const lines = linesOf(run)
    const cut = lines.slice(0, kept).join('') + (lines[kept] ?? '').slice(0, 20)
    const stored = parseRecord(cut, 'run.jsonl')
    expect(stored.run.results.length).toBe(Math.max(0, kept - 3))
    expect(stored.run.footer).toMatchObject({
      complete: false,
      verdict: 'inconclusive',
      conformanceLevel: 'not determined',
      summary: { total: run.results.filter(({ agent }) => agent === 'first').slice(0, Math.max(0, kept - 3)).length },
    })
  })

  test('lines of a type that is not known yet are passed over', () => {
    const lines = linesOf(run)
    lines.splice(2, 0, '{"type":"weather","sunny":true}\n')
    expect(parseRecord(lines.join(''), 'run.jsonl').run.results.length).toBe(run.results.length)
  })

  test('has no seed unless it seeds something', () => {
    expect(beginRun({ kind: 'checks', flags: [] })).not.toHaveProperty('seed')
  })
})

describe('what is not a record is one sentence', () => {
  const [header = '', ...rest] = linesOf(run)
  test.each([
    ['', 'it is empty'],
    ['\n', 'it is empty'],
    ['not json\n', 'line 1 is not a JSON object'],
    [`${header}oops\n${rest.join('')}`, 'line 2 is not a JSON object'],
    [rest.join(''), 'first line is not the header'],
    [
      header.replace('"schemaVersion":1', '"schemaVersion":2'),
      'version 2, and this Parley reads up to 1; update Parley',
    ],
    [header.replace('"schemaVersion":1', '"schemaVersion":"x"'), 'no version this Parley knows'],
    [header.replace('"kind":"checks"', '"kind":"guess"'), 'line 1: /kind must be one of checks, suites'],
    [`${header}${rest[2]?.replace(/"status":"\w+"/, '"status":"maybe"')}`, 'line 2: /status must be'],
    [`${header}{"type":"result","n":0}\n`, 'line 2: /test is required'],
  ])('%#', (text, message) => {
    expect(() => parseRecord(text, 'run.jsonl')).toThrow(message)
  })
})
