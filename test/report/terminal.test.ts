// What a person sees at the end: the verdict first, the first thing to fix with its bytes, and what to type next.

import { describe, expect, test } from 'vitest'
import { rendered } from './rendered.ts'
import { NASTY, sampleReport } from './sample-report.ts'

const plain = { files: ['parley-report.json'] }
const text = rendered('terminal', sampleReport(), plain)
const SCREEN = 40

describe('the terminal', () => {
  test('says all that matters within one screen', () => {
    const many = sampleReport()
    many.findings = Array.from({ length: 30 }, (_, at) => ({
      ...many.findings[0],
      recommendation: `Repair ${at}.`,
    })) as typeof many.findings
    const lines = rendered('terminal', many, plain).split('\n')
    expect(lines.length).toBeLessThanOrEqual(SCREEN)
  })

  test('begins with the verdict and ends with the command that runs only what failed', () => {
    expect(text.split('\n')[0]).toMatch(
      /is minimal: 2 passed \(1 with a warning\), 1 failed, 2 skipped \(1 not measured, 1 error of Parley\)$/,
    )
    expect(text.trimEnd().split('\n').at(-1)).toBe('Re-run    parley test http://127.0.0.1:1 --only cancel-completed')
    expect(text).toContain('Report    parley-report.json')
  })

  test('shows what to fix first with expectation, bytes and curl', () => {
    for (const part of [
      '1. ✗ Add a guard',
      'expected ',
      'actual ',
      'at        /error/code',
      'HTTP 500',
      'curl -sS -i',
      'not measured because of it: s@1.0/rest',
    ])
      expect(text).toContain(part)
  })

  test('prints no control character of the peer', () => {
    expect(NASTY).toContain('\u001b')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })
})
