// A failure is worth what its evidence is worth: all parts are there, and the curl shows the same when pasted.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSdk03Server } from '../../interop/js-sdk-0.3/agent.ts'
import { type ConformanceResult, certify, resultsOf } from '../../src/judge/index.ts'
import { answerBody } from '../../src/trace/transcript.ts'
import type { ListeningPeer } from '../peers/listen.ts'
import { startTinyAgent } from './tiny-agent.ts'

const run = promisify(execFile)
const WHOLE_RUN_MS = 60_000

describe.each([
  ['an agent with many faults', startTinyAgent],
  ['an agent built with an SDK', startSdk03Server],
])('the failures of %s', (_, start: () => Promise<ListeningPeer>) => {
  let peer: ListeningPeer
  let failures: ConformanceResult[]

  beforeAll(async () => {
    peer = await start()
    const report = await certify(peer.url, { timeoutMs: 3_000 })
    failures = resultsOf(report).filter(({ verdict }) => verdict === 'fail')
  }, WHOLE_RUN_MS)
  afterAll(() => peer.close())

  test('have every part of the evidence', () => {
    expect(failures.length).toBeGreaterThan(0)
    for (const failure of failures) {
      expect(failure, failure.key).toMatchObject({
        message: expect.stringMatching(/./),
        requirement: expect.stringMatching(/./),
        expected: expect.stringMatching(/./),
        actual: expect.stringMatching(/./),
        pointer: expect.any(String),
        recommendation: expect.stringMatching(/./),
        reproduction: { parley: expect.stringContaining(`--only ${failure.test}`) },
      })
      expect(failure.sections.length, failure.key).toBeGreaterThan(0)
      expect(failure.transcript?.length, failure.key).toBeGreaterThan(0)
      expect(failure.reproduction?.curl.length, failure.key).toBe(failure.transcript?.length)
    }
  })

  test('have pointers that lead somewhere in the last body, or to its missing member', () => {
    for (const { key, pointer = '', transcript = [] } of failures) {
      const last = transcript.at(-1)
      const body = last === undefined ? '' : answerBody(last)
      const parent = pointer.split('/').slice(0, -1).join('/')
      const json = parsed(body)
      if (json !== undefined && pointer !== '') expect(lookUp(json, parent), `${key} ${pointer}`).toBeDefined()
    }
  })

  test('come again when the curl is pasted into a shell', async () => {
    let compared = 0
    for (const { key, transcript = [], reproduction } of failures) {
      const [exchange, curl] = [transcript.at(-1), reproduction?.curl.at(-1)]
      // A stream we left, and an answer that was cut, are not the whole that curl would show.
      const isWhole = exchange?.response !== undefined && exchange.response.incomplete === undefined
      if (!isWhole || curl === undefined || exchange.response === undefined) continue
      const { stdout } = await run('bash', ['-c', `${curl} --max-time 5`])
      const [head = '', ...body] = stdout
        .replaceAll('\r\n', '\n')
        .replace(/^HTTP\/1.1 100.*\n\n/, '')
        .split('\n\n')
      expect(head.split('\n')[0], key).toContain(` ${exchange.response.status} `)
      expect(likeness(body.join('\n\n')), key).toBe(likeness(answerBody(exchange)))
      compared++
    }
    expect(compared).toBeGreaterThan(0)
  })
})

/** What differs from one call to the next: ids and times. */
function likeness(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .trim()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function lookUp(json: unknown, pointer: string): unknown {
  let at = json
  for (const step of pointer.split('/').slice(1)) {
    if (typeof at !== 'object' || at === null) return undefined
    at = Reflect.get(at, step.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return at
}
