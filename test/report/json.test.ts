// The JSON report is a superset of the published shape, field for field: by its type, and by what a real run writes.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConformanceReport, certify } from '../../src/judge/index.ts'
import { startTinyAgent } from '../judge/tiny-agent.ts'
import type { ListeningPeer } from '../peers/listen.ts'
import { rendered } from './rendered.ts'
import { sampleReport } from './sample-report.ts'

interface PublishedResult {
  test: string
  category: 'agent-card' | 'lifecycle' | 'streaming' | 'error-handling' | 'interop'
  status: 'pass' | 'fail' | 'skip'
  message?: string
  duration_ms?: number
}

interface PublishedReport {
  agentUrl: string
  agentName: string
  agentVersion: string
  testDate: string
  summary: { total: number; passed: number; failed: number; skipped: number }
  categories: {
    agentCard: PublishedResult[]
    lifecycle: PublishedResult[]
    streaming: PublishedResult[]
    errorHandling: PublishedResult[]
    interop: PublishedResult[]
  }
  /** The last two say that the run looked at too little to claim one of the first four. */
  conformanceLevel: 'full' | 'partial' | 'minimal' | 'non-conformant' | 'at least minimal' | 'not determined'
}

const CATEGORIES = {
  agentCard: 'agent-card',
  lifecycle: 'lifecycle',
  streaming: 'streaming',
  errorHandling: 'error-handling',
  interop: 'interop',
} as const

let peer: ListeningPeer
let report: ConformanceReport
let json: PublishedReport

beforeAll(async () => {
  peer = await startTinyAgent()
  report = await certify(peer.url, { timeoutMs: 3_000 })
  json = JSON.parse(rendered('json', report)) as PublishedReport
})
afterAll(() => peer.close())

describe('the JSON report', () => {
  test('has the published members, each of its type', () => {
    // That this compiles is half of the test.
    const published: PublishedReport = sampleReport()
    expect(Object.keys(published)).toEqual(expect.arrayContaining(Object.keys(SHAPE)))
    for (const [member, type] of Object.entries(SHAPE)) expect(typeof Reflect.get(json, member), member).toBe(type)
    expect(Object.keys(json.categories)).toEqual(Object.keys(CATEGORIES))
    expect(['full', 'partial', 'minimal', 'non-conformant']).toContain(json.conformanceLevel)
    expect(new Date(json.testDate).toISOString()).toBe(json.testDate)
  })

  test('sorts every result into the category it names', () => {
    for (const [member, category] of Object.entries(CATEGORIES)) {
      const results = json.categories[member as keyof typeof CATEGORIES]
      expect(results.filter((result) => result.category !== category)).toEqual([])
    }
  })

  test('writes results of the published shape', () => {
    const results = Object.values(json.categories).flat()
    const wrong = results.filter(
      ({ test, status, message, duration_ms }) =>
        typeof test !== 'string' ||
        !['pass', 'fail', 'skip'].includes(status) ||
        !['string', 'undefined'].includes(typeof message) ||
        !['number', 'undefined'].includes(typeof duration_ms),
    )
    expect(results.length).toBeGreaterThan(100)
    expect(wrong).toEqual([])
  })

  test('counts what it lists', () => {
    const results = Object.values(json.categories).flat()
    const count = (status: string) => results.filter((result) => result.status === status).length
    expect(json.summary).toEqual({
      total: results.length,
      passed: count('pass'),
      failed: count('fail'),
      skipped: count('skip'),
    })
  })

  test('keys are unique', () => {
    const keys = Object.values(report.categories)
      .flat()
      .map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  })
})

const SHAPE: Readonly<Record<keyof PublishedReport, string>> = {
  agentUrl: 'string',
  agentName: 'string',
  agentVersion: 'string',
  testDate: 'string',
  summary: 'object',
  categories: 'object',
  conformanceLevel: 'string',
}
