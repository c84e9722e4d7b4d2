// Every format on every kind of run: it says what failed, in a form its reader takes, and nothing a peer says steers it.

import { describe, expect, test } from 'vitest'
import { FORMATS } from '../../src/report/formats.ts'
import { parseRun } from '../../src/run/load-run.ts'
import { renderedRun } from './rendered.ts'
import { SAMPLE_RUNS } from './sample-runs.ts'
import { parseXml, type XmlElement } from './xml-document.ts'

const kinds = Object.keys(SAMPLE_RUNS) as (keyof typeof SAMPLE_RUNS)[]
const failuresIn = (kind: keyof typeof SAMPLE_RUNS) =>
  SAMPLE_RUNS[kind].results.filter(({ status }) => status === 'fail')

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be there
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

describe.each(kinds)('a run of %s', (kind) => {
  const run = SAMPLE_RUNS[kind]

  test.each(FORMATS.map(({ name }) => name))('as %s is inert', (name) => {
    const text = renderedRun(name, run)
    expect(text).not.toBe('')
    expect(text).not.toMatch(OBEYED)
  })

  test.each(['terminal', 'markdown', 'junit', 'sarif', 'github', 'agent', 'json', 'acts', 'run'])(
    'as %s names what failed',
    (name) => {
      const text = renderedRun(name, run)
      expect(failuresIn(kind).length).toBeGreaterThan(0)
      for (const { test: id } of failuresIn(kind)) expect(text).toContain(id)
    },
  )

  test('as junit is XML with one case per result', () => {
    const root = parseXml(renderedRun('junit', run))
    const cases = root.children.flatMap(({ children }) => children).filter(({ name }) => name === 'testcase')
    expect(cases.length).toBe(run.results.length)
    expect(cases.filter(({ children }) => children[0]?.name === 'failure').length).toBe(failuresIn(kind).length)
    const details = cases.flatMap(({ children }) => children.map(({ text }) => text))
    expect(details.join('\n'), 'no line without a value').not.toMatch(/^At: $/m)
  })

  test.each(['json', 'run'])('as %s can be read again, and says the same', (name) => {
    const { run: again } = parseRun(renderedRun(name, run), 'stored')
    expect(again.header.kind).toBe(kind === 'clients' && name === 'json' ? 'clients' : kind)
    expect(again.results.map(({ key, verdict }) => [key, verdict])).toEqual(
      run.results.map(({ key, verdict }) => [key, verdict]),
    )
    for (const format of ['json', 'terminal', 'junit', 'github'])
      if (name === 'run') expect(renderedRun(format, again)).toBe(renderedRun(format, run))
  })
})

describe('the badge', () => {
  test.each(kinds)('of %s is an image with a name', (kind) => {
    const svg = parseXml(`<?xml version="1.0" encoding="UTF-8"?>\n${renderedRun('badge', SAMPLE_RUNS[kind])}`)
    expect(svg.name).toBe('svg')
    expect(svg.attributes.role).toBe('img')
    expect(svg.children[0]?.text).toBe(svg.attributes['aria-label'])
    expect(textsOf(svg).join(' ')).not.toMatch(/undefined|NaN/)
  })

  test('says level and score of an agent, and how many tests passed', () => {
    expect(renderedRun('badge', SAMPLE_RUNS.checks)).toContain('A2A 1.0: minimal 3/4')
    expect(renderedRun('badge', SAMPLE_RUNS.suites)).toContain('A2A suites: 1 of 2 passed')
  })
})

function textsOf({ text, attributes, children }: XmlElement): string[] {
  return [text, ...Object.values(attributes), ...children.flatMap(textsOf)]
}

describe('annotations of GitHub', () => {
  test.each(kinds)('of %s are commands, whatever the peer says', (kind) => {
    const lines = renderedRun('github', SAMPLE_RUNS[kind]).trimEnd().split('\n')
    for (const line of lines)
      expect(line).toMatch(/^::(error|warning|notice) (\w+=[^,:\n\r]*)(,\w+=[^,:\n\r]*)*::[^\n\r]+$/)
    expect(lines.some((line) => line.startsWith('::error '))).toBe(true)
  })

  test('escapes what would end a property or the message', () => {
    const run = structuredClone(SAMPLE_RUNS.cases)
    run.results = run.results.map((result) => ({
      ...result,
      message: '100% wrong\r\n::set-output name=x::y',
      source: 'a,b:c.yaml:4',
    }))
    const [line = ''] = renderedRun('github', run).split('\n')
    expect(line).toBe(
      '::error file=a%2Cb%3Ac.yaml,line=4,title=A2A MUST bad (1.0 rest blocking)::100%25 wrong\ufffd%0A::set-output name=x::y%0Aparley run cases/bad.yaml',
    )
  })
})

interface Sarif {
  version: string
  $schema: string
  runs: {
    tool: { driver: { name: string; version: string; informationUri: string; rules: { id: string }[] } }
    invocations: { executionSuccessful: boolean; exitCode: number }[]
    results: {
      ruleId: string
      ruleIndex: number
      kind: string
      level: string
      message: { text: string }
      locations: { physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } } }[]
      partialFingerprints: Record<string, string>
      suppressions?: { kind: string; justification: string }[]
    }[]
  }[]
}

/** What SARIF 2.1.0 asks of what we write: §3.13 sarifLog, §3.14 run, §3.27 result, §3.49 reportingDescriptor. */
describe('SARIF', () => {
  test.each(kinds)('of %s has the required members, rules that exist, and unique fingerprints', (kind) => {
    const log = JSON.parse(renderedRun('sarif', SAMPLE_RUNS[kind])) as Sarif
    expect(log).toMatchObject({ version: '2.1.0', $schema: 'https://json.schemastore.org/sarif-2.1.0.json' })
    expect(log.runs.length).toBe(kind === 'checks' ? 2 : 1)
    for (const { tool, results, invocations } of log.runs) {
      const { rules } = tool.driver
      expect(tool.driver.name).toBe('Parley')
      expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length)
      expect(invocations).toMatchObject([{ executionSuccessful: true, exitCode: 1 }])
      expect(results.length).toBeGreaterThan(0)
      for (const result of results) {
        expect(rules[result.ruleIndex]?.id).toBe(result.ruleId)
        expect(result.kind).toBe('fail')
        expect(['error', 'warning']).toContain(result.level)
        expect(result.message.text).not.toBe('')
        const [{ physicalLocation }] = result.locations as [(typeof result.locations)[number]]
        expect(physicalLocation.artifactLocation.uri).toMatch(/^[\w./%-]+$/)
        expect(physicalLocation.region.startLine).toBeGreaterThan(0)
      }
      const prints = results.map(({ partialFingerprints }) => JSON.stringify(partialFingerprints))
      expect(new Set(prints).size).toBe(prints.length)
    }
  })

  test('known failures are suppressed, with their reason', () => {
    const run = structuredClone(SAMPLE_RUNS.checks)
    run.results = run.results.map((result) =>
      result.verdict === 'fail'
        ? { ...result, verdict: 'known' as const, status: 'skip' as const, notes: ['known: the queue cannot cancel'] }
        : result,
    )
    const { runs } = JSON.parse(renderedRun('sarif', run)) as Sarif
    expect(runs[0]?.results.find(({ suppressions }) => suppressions !== undefined)?.suppressions).toEqual([
      { kind: 'external', justification: 'known: the queue cannot cancel' },
    ])
  })
})

describe('for coding agents', () => {
  test('only what fails, by cause, with the command that shows it and the next one', () => {
    const text = renderedRun('agent', SAMPLE_RUNS.clients)
    expect(text).toMatch(/^FAIL .*: minimal, 1 failed, 2 passed\n\n1\. MUST cancel-completed@1\.0\/jsonrpc §3\.1\.3\n/)
    expect(text).toContain('   fix: Add a guard for terminal states.\n')
    expect(text).toContain('   run: parley test http://127.0.0.1:1 --only cancel-completed\n')
    expect(text).not.toContain('Say less.')
  })

  test('the next command runs what failed', () => {
    expect(renderedRun('agent', SAMPLE_RUNS.checks)).toMatch(
      /\nnext: parley test http:\/\/127\.0\.0\.1:1 --second http:\/\/127\.0\.0\.1:2 --only cancel-completed\n$/,
    )
    expect(renderedRun('agent', SAMPLE_RUNS.suites)).toMatch(/--suite suites\/s\.acts\.yaml --only BAD-1\n$/)
    expect(renderedRun('agent', SAMPLE_RUNS.cases)).toMatch(/\nnext: parley run cases --only bad\n$/)
    expect(renderedRun('agent', SAMPLE_RUNS.clients)).toMatch(
      /\nnext: parley grade --only \S+ -- node client\.js \{url\}\n$/,
    )
    expect(renderedRun('agent', SAMPLE_RUNS.matrix)).toMatch(/\nnext: parley matrix matrix\.yaml --only 'js→/)
  })

  test('is the same for the same failures, however long they took', () => {
    const slower = structuredClone(SAMPLE_RUNS.checks)
    slower.footer.durationMs += 1000
    slower.results = slower.results.map((result) => ({ ...result, duration_ms: 99 }))
    expect(renderedRun('agent', slower)).toBe(renderedRun('agent', SAMPLE_RUNS.checks))
  })
})
