// What was expected beside what came: `-` did not come, `+` was not expected, `=` fits.

import type { RunDifference } from '../run/run.ts'
import { safeLine } from './safe-text.ts'

const WIDEST = 60

export function diffText({ turn, lines }: RunDifference, indent = ''): string {
  const width = Math.min(WIDEST, Math.max(8, ...lines.map(({ expected = '' }) => expected.length)))
  const row = (mark: string, expected: string, actual: string) =>
    `${indent}${mark} ${safeLine(expected).padEnd(width)}  ${safeLine(actual)}`.trimEnd()
  return [
    `${indent}${turn}`,
    row(' ', 'expected', 'seen'),
    ...lines.map(({ mark, expected = '', actual = '' }) => row(mark, expected, actual)),
  ].join('\n')
}
