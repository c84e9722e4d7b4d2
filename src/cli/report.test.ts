import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runCommand } from '../../test/peers/recorded-io.ts'
import { renderedRun } from '../../test/report/rendered.ts'
import { SAMPLE_RUNS } from '../../test/report/sample-runs.ts'
import { reportCommand } from './report.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-report-'))
const record = join(folder, 'run.jsonl')
writeFileSync(record, renderedRun('run', SAMPLE_RUNS.suites))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const report = (...args: string[]) => runCommand(reportCommand, [record, ...args])

test('an HTML page carries the run it is compared with', async () => {
  expect((await report('--format', 'html')).out).not.toContain('id="run-before"')
  expect((await report('--format', 'html', '--compare', record)).out).toContain('id="run-before"')
})

test.each([
  ['is not there', join(folder, 'nothing.jsonl'), /there is no such file/],
  ['is none', import.meta.filename, /neither a run record nor a JSON report/],
])('an older run that %s is one sentence', async (_, file, message) => {
  await expect(report('--format', 'html', '--compare', file)).rejects.toThrow(message)
})
