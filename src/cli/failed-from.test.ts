import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runOf } from '../../test/report/rendered.ts'
import { FAILED, sampleReport } from '../../test/report/sample-report.ts'
import { RecordWriter } from '../run/record-writer.ts'
import { failedIn } from './failed-from.ts'

const NOTHING = { agentCard: [], lifecycle: [], streaming: [], errorHandling: [], interop: [] }
let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-failed-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function file(content: unknown): Promise<string> {
  const path = join(folder, 'report.json')
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

test('names every check that failed once, of both agents', async () => {
  const second = sampleReport({
    categories: { ...NOTHING, lifecycle: [FAILED, { ...FAILED, test: 'send-result' }] },
  })
  expect(failedIn(await file(sampleReport({ second })), 'checks')).toEqual(['cancel-completed', 'send-result'])
})

test('takes a run record as well', async () => {
  const lines: string[] = []
  const writer = new RecordWriter((line) => lines.push(line))
  const run = runOf(sampleReport())
  writer.header(run.header)
  writer.end(run)
  expect(failedIn(await file(lines.join('')), 'checks')).toEqual(['cancel-completed'])
})

test.each<[string, unknown, RegExp]>([
  ['is no report', { rows: [] }, /neither a run record nor a JSON report/],
  ['is no JSON', '<testsuites/>', /neither a run record nor a JSON report/],
  ['is broken', { ...sampleReport(), categories: { lifecycle: [] } }, /\/categories\/agentCard/],
  ['is about something else', { ok: true, durationMs: 1, results: [] }, /a run of cases; run it with parley run/],
  ['is newer', { ...sampleReport(), schemaVersion: 2 }, /version 2, and this Parley reads up to 1; update Parley/],
  ['names nothing that failed', sampleReport({ categories: NOTHING }), /nothing failed/],
])('refuses a file that %s', async (_, content, message) => {
  const path = await file(content)
  expect(() => failedIn(path, 'checks')).toThrow(message)
})

test('names a file that is not there', () => {
  expect(() => failedIn(join(folder, 'absent.json'), 'checks')).toThrow(/absent\.json cannot be read .* no such file/)
})
