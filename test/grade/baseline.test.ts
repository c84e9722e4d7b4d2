// `parley grade --baseline`: known failures of a client do not count, new ones do, and those that are gone end with 11.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { gradeCommand } from '../../src/cli/grade.ts'
import { EXIT } from '../../src/model/errors.ts'
import { runCommand } from '../peers/recorded-io.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-grade-baseline-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const client = join(folder, 'careless.mjs')
// Reports success whatever came back.
writeFileSync(
  client,
  `const card = await (await fetch(process.argv[2] + '/.well-known/agent-card.json')).json()
const params = { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] } }
const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params })
await fetch(card.supportedInterfaces[0].url, { method: 'POST', headers, body })`,
)

const grade = (...words: string[]) =>
  runCommand(gradeCommand, [
    ...['--a2a-version', '1.0', '--transport', 'jsonrpc', '--only', 'result-rejected', '-o', 'json', ...words],
    ...['--', process.execPath, client],
  ])
const verdicts = (out: string) =>
  (JSON.parse(out) as { results: { test: string; verdict: string }[] }).results.map(({ verdict }) => verdict)

let files = 0
function baseline(...checks: string[]): string {
  const file = join(folder, `baseline-${++files}.yaml`)
  writeFileSync(file, JSON.stringify({ known: checks.map((check) => ({ check, reason: 'being repaired' })) }))
  return file
}

test('a known failure does not count', async () => {
  expect((await grade()).exitCode).toBe(EXIT.failed)
  const { out, exitCode } = await grade('--baseline', baseline('client-rejected-is-failure'))
  expect(verdicts(out)).toEqual(['known'])
  expect(exitCode ?? EXIT.ok).toBe(EXIT.ok)
})

test('an entry that does not fail any more ends the run with 11', async () => {
  const words = [
    ...['--only', 'discovery-well-known'],
    ...['--baseline', baseline('client-rejected-is-failure', 'client-finds-card')],
  ]
  const { out, exitCode } = await grade(...words)
  expect(exitCode).toBe(EXIT.staleBaseline)
  expect(JSON.parse(out)).toMatchObject({ footer: { staleBaseline: ['client-finds-card'] } })
})

test('--update-baseline writes what fails now, and needs a file', async () => {
  const file = join(folder, 'written.yaml')
  const { exitCode, err } = await grade('--baseline', file, '--update-baseline')
  expect(exitCode ?? EXIT.ok).toBe(EXIT.ok)
  expect(err).toContain('Wrote 1 known failure')
  expect(readFileSync(file, 'utf8')).toContain('client-rejected-is-failure@1.0/jsonrpc')
  expect((await grade('--baseline', file)).exitCode ?? EXIT.ok).toBe(EXIT.ok)
  await expect(grade('--update-baseline')).rejects.toMatchObject({ exitCode: EXIT.usage })
})

test('a claim that does not exist is refused with a suggestion, and nothing is run', async () => {
  await expect(grade('--baseline', baseline('client-rejected-is-failur'))).rejects.toMatchObject({
    exitCode: EXIT.usage,
    message: expect.stringContaining('client-rejected-is-failure') as string,
  })
})
