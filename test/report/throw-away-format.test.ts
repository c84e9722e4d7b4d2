// A report format is one file and one row: a throw-away one is added to a copy of the source, exactly as CONTRIBUTING.md
// says, and the command line knows it.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { renderedRun } from './rendered.ts'
import { SAMPLE_RUNS } from './sample-runs.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const FORMAT = `import { documentFormat } from './reporter.ts'

export const haiku = documentFormat('haiku', 'three lines', (run) => \`\${run.header.kind}: \${run.footer.summary.failed}\\n\`)
`
const touched: string[] = []
let copy = ''

function touch(path: string, change: (before: string) => string, isNew = false): void {
  touched.push(path)
  writeFileSync(join(copy, path), change(isNew ? '' : readFileSync(join(copy, path), 'utf8')))
}

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'parley-format-'))
  for (const path of ['src', 'requirements', 'test/support', 'package.json'])
    cpSync(join(ROOT, path), join(copy, path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  touch('src/report/haiku.ts', () => FORMAT, true)
  touch('src/report/formats.ts', (text) =>
    `import { haiku } from './haiku.ts'\n${text}`.replace('= [', '= [\n  haiku,'),
  )
})
afterAll(() => rmSync(copy, { recursive: true }))

function parley(...args: string[]): string {
  return execFileSync(process.execPath, [join(copy, 'test/support/parley.ts'), ...args], {
    cwd: copy,
    encoding: 'utf8',
  })
}

test.each(['checks', 'suites', 'cases', 'matrix'] as const)('a new format tells about %s', (kind) => {
  writeFileSync(join(copy, 'run.jsonl'), renderedRun('run', SAMPLE_RUNS[kind]))
  const { failed } = SAMPLE_RUNS[kind].footer.summary
  expect(parley('report', 'run.jsonl', '--format', 'haiku')).toBe(`${kind}: ${failed}\n`)
})

test('help knows it', () => {
  expect(parley('test', '--help')).toMatch(/haiku/)
})

test('what was touched is what CONTRIBUTING.md lists', () => {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  const [, section = ''] = /## Add a report format\n([\s\S]*?)\n## /.exec(text) ?? []
  const steps = Array.from(section.matchAll(/^- `([^`]+)`/gm), ([, path = '']) => path.replace('<name>', 'haiku'))
  expect(steps.toSorted()).toEqual(touched.toSorted())
})
