// Markdown for pull requests: the table of failed tests, and words of a peer that stay words.

import { describe, expect, test } from 'vitest'
import { rendered } from './rendered.ts'
import { sampleReport } from './sample-report.ts'

const markdown = rendered('markdown', sampleReport())
/** Without fenced code, where everything is literal. */
const prose = markdown.replaceAll(/^(`{3,})[a-z]*\n[\s\S]*?^\1$/gm, '')

describe('markdown', () => {
  test('has the table of failed tests', () => {
    const at = markdown.indexOf('### Failed Tests')
    const [, , head, rule, row] = markdown.slice(at).split('\n')
    expect(head).toBe('| Test | Category | Message | Recommendation |')
    expect(rule).toBe('|---|---|---|---|')
    expect(row).toMatch(
      /^\| `cancel-completed@1\.0\/jsonrpc` .*\| error-handling \|.*\| Add a guard for terminal states\. \|$/,
    )
  })

  test('rows have as many cells as the head, whatever the peer says', () => {
    const rows = prose.split('\n').filter((line) => line.startsWith('| '))
    const cells = rows.map((row) => row.split(/(?<!\\)\|/).length - 2)
    expect(rows.length).toBeGreaterThan(4)
    expect(new Set(cells)).toEqual(new Set([3, 4]))
  })

  test('nothing the peer says becomes markup, a mention or a link', () => {
    expect(prose).not.toContain('<script>')
    expect(prose).not.toMatch(/@someone/)
    expect(prose).not.toMatch(/(?<!\\)\[x(?<!\\)\]/)
    expect(prose).not.toMatch(/(?<!\\)`tick/)
  })

  test('control characters do not come through', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
    expect(markdown).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/)
  })

  test('a fence is longer than any backticks inside', () => {
    const fences = [...markdown.matchAll(/^(`{3,})/gm)].map(([fence]) => fence.trim())
    expect(fences.some((fence) => fence.length === 4)).toBe(true)
    expect(fences.filter((fence) => fence.length === 4).length % 2).toBe(0)
  })

  test('an incomplete run says so', () => {
    const report = sampleReport({ complete: false, incompleteReason: 'interrupted' })
    expect(rendered('markdown', report)).toContain('**Incomplete:** interrupted')
  })
})
