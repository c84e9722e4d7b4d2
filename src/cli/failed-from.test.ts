import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FAILED, sampleReport } from '../../test/report/sample-report.ts'
import { failedIn } from './failed-from.ts'

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
  const nothing = { agentCard: [], lifecycle: [], streaming: [], errorHandling: [], interop: [] }
  const second = sampleReport({
    categories: { ...nothing, lifecycle: [FAILED, { ...FAILED, test: 'send-result' }] },
  })
  expect(failedIn(await file(sampleReport({ second })))).toEqual(['cancel-completed', 'send-result'])
})

test.each<[string, unknown, RegExp]>([
  ['is no report', { results: [] }, /is not a JSON report/],
  ['is no JSON', '<testsuites/>', /is not a JSON report/],
  ['names nothing that failed', { categories: { lifecycle: [] } }, /nothing failed/],
])('refuses a file that %s', async (_, content, message) => {
  const path = await file(content)
  expect(() => failedIn(path)).toThrow(message)
})

test('names a file that is not there', () => {
  expect(() => failedIn(join(folder, 'absent.json'))).toThrow(/absent\.json given with --failed-from cannot be read/)
})
