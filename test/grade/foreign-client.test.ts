// Clients as people bring them: commands and harnesses, with everything that can be wrong with them.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { gradeCommand } from '../../src/cli/grade.ts'
import { FLOODED } from '../../src/grade/clients/child.ts'
import { commandClient } from '../../src/grade/clients/command-client.ts'
import { EXIT } from '../../src/model/errors.ts'
import { runCommand } from '../peers/recorded-io.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-grade-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A program of Node; what is imported there comes from Node alone. */
function program(name: string, text: string): string[] {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, text)
  return [process.execPath, file]
}

/** Reads the card, sends the text, and ends well: all that the simplest clients do. */
const SENDS = `
const url = process.argv[2]
const { text = 'hello' } = JSON.parse(process.env.PARLEY_INTENT)
const card = await (await fetch(new URL('/.well-known/agent-card.json', url))).json()
const params = { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] } }
const body = JSON.stringify({ jsonrpc: '2.0', id: crypto.randomUUID(), method: 'SendMessage', params })
const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
const answer = await (await fetch(card.supportedInterfaces[0].url, { method: 'POST', headers, body })).json()
process.exit(answer.result?.task?.status.state === 'TASK_STATE_COMPLETED' || answer.result?.message ? 0 : 1)
`

/** Prints for as long as anybody reads. */
const FLOODS = `const piece = 'x'.repeat(65_536)
for (;;) if (!process.stdout.write(piece)) await new Promise((resolve) => process.stdout.once('drain', resolve))`

const grade = (...words: string[]) => runCommand(gradeCommand, words)

const JSON_OF = (text: string) => JSON.parse(text) as { results: { test: string; verdict: string; message?: string }[] }

describe('a command', () => {
  test('that sends text is graded on what it does, and on nothing else', async () => {
    const said = await grade(
      '-o',
      'json',
      '--a2a-version',
      '1.0',
      '--only',
      'results',
      '--',
      ...program('sends', SENDS),
    )
    const { results } = JSON_OF(said.out)
    const verdict = (id: string) => results.find(({ test: name }) => name === id)?.verdict
    expect(verdict('client-rejected-is-failure')).toBe('pass')
    // It says nothing of what it understood, and never asks for a task.
    expect(verdict('client-understands-task')).toBe('not-measured')
    expect(verdict('client-survives-unknown-state')).toBe('not-measured')
    expect(results.filter((each) => each.verdict === 'fail')).toEqual([])
  })

  test('is told which claim fails, with the bytes and how to see it again', async () => {
    const careless = SENDS.replace(/process\.exit\(.*\)/, 'process.exit(0)')
    const words = program('careless', careless)
    const said = await grade('-o', 'json', '--only', 'result-rejected', '--a2a-version', '1.0', '--', ...words)
    const [result] = JSON_OF(said.out).results.filter(({ verdict }) => verdict === 'fail')
    expect(said.exitCode).toBe(EXIT.failed)
    expect(result).toMatchObject({
      test: 'client-rejected-is-failure',
      reproduction: { parley: 'parley grade --serve result-rejected --a2a-version 1.0 --transport jsonrpc' },
    })
    expect(JSON.stringify(result)).toContain('TASK_STATE_REJECTED')
  })

  test('that never comes is told so, with its last words', async () => {
    const words = program('dies', `console.error('Error: no such module'); process.exit(7)`)
    const said = await grade('--only', 'request-send', '--a2a-version', '1.0', '--', ...words)
    expect(said.exitCode).toBe(EXIT.inconclusive)
    expect(said.err).toContain('The client sent nothing to the agent it was pointed at: it ended with 7')
    expect(said.err).toContain('its last output: Error: no such module')
  })

  test.each([
    ['does not exist', ['./there-is-no-such-program'], 'client-not-started', EXIT.usage],
    ['is not named', [], 'usage', EXIT.usage],
  ])('that %s is refused in one sentence', async (_, words, code, exitCode) => {
    await expect(grade('--only', 'request-send', '--', ...words)).rejects.toMatchObject({ exitCode })
    await expect(grade('--only', 'request-send', '--', ...words)).rejects.toSatisfy(
      (error: { code: string }) => error.code === code || code === 'usage',
    )
  })

  test('that ends at once, or ignores the URL, fails the ground and nothing else', async () => {
    const said = await grade(
      '-o',
      'json',
      '--a2a-version',
      '1.0',
      '--transport',
      'jsonrpc',
      '--',
      ...program('idle', 'process.exit(0)'),
    )
    const { results } = JSON_OF(said.out)
    expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([])
    expect(said.exitCode).toBe(EXIT.inconclusive)
  })

  test('that never ends is ended with everything it started', async () => {
    const hangs = program('hangs', `${SENDS.replace(/process\.exit\(.*\)/, '')}\nsetInterval(() => {}, 1000)`)
    const said = await grade(
      '-o',
      'json',
      '--only',
      'result-rejected',
      '--timeout',
      '1500ms',
      '--a2a-version',
      '1.0',
      '--',
      ...hangs,
    )
    const { results } = JSON_OF(said.out)
    expect(results.map(({ verdict }) => verdict)).toContain('not-measured')
  })

  test('that goes to another port than it was given is told so', async () => {
    const other = createServer((_req, res) => res.end('{}'))
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const words = program('elsewhere', `await fetch('http://127.0.0.1:${port}/'); console.log('all done')`)
    const said = await grade('--only', 'request-send', '--a2a-version', '1.0', '--', ...words)
    other.close()
    expect(said.exitCode).toBe(EXIT.inconclusive)
    expect(said.err).toContain('The client sent nothing to the agent it was pointed at: it ended with 0')
    expect(said.err).toContain('its last output: all done')
  })

  test('that prints without end is ended, and little of it is kept', async () => {
    const client = commandClient(program('floods', FLOODS))
    const surface = { version: '1.0', binding: 'jsonrpc' } as const
    const given = { scenario: 's', url: 'http://127.0.0.1:9', cardUrl: '', surface, intent: { do: 'card' as const } }
    // Stopped by what it printed and not by the clock: the limit is longer than the test may take.
    const { signal, isTimeout, stdout } = await client.run(given, 600_000, new AbortController().signal)
    expect({ signal, isTimeout }).toEqual({ signal: FLOODED, isTimeout: false })
    expect(stdout.length).toBeLessThan(300_000)
  })
})

describe('a harness', () => {
  const HARNESS = `
import { createInterface } from 'node:readline'
for await (const line of createInterface({ input: process.stdin })) {
  const { id, url, intent } = JSON.parse(line)
  const card = await (await fetch(new URL('/.well-known/agent-card.json', url))).json()
  const params = { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: intent.text ?? '' }] } }
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'SendMessage', params })
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
  const { result, error } = await (await fetch(card.supportedInterfaces[0].url, { method: 'POST', headers, body })).json()
  const text = result?.task?.artifacts?.flatMap(({ parts }) => parts.map((part) => part.text ?? '')).join('')
  const state = result?.task?.status.state
  const isGood = state === 'TASK_STATE_COMPLETED'
  EXTRA
  console.log(JSON.stringify({ id, outcome: error ? 'error' : 'task', fulfilled: isGood, state, text }))
}`

  const gradeHarness = (words: readonly string[], surfaces = ['--transport', 'jsonrpc']) =>
    grade(
      ...['-o', 'json', '--harness', 'ndjson', '--only', 'result-task', '--a2a-version', '1.0'],
      ...[...surfaces, '--', ...words],
    )

  test('is one process for all scenarios, and says what it understood', async () => {
    const words = program('harness', HARNESS.replace('EXTRA', ''))
    const said = await gradeHarness(words)
    expect(JSON_OF(said.out).results).toMatchObject([{ test: 'client-understands-task', verdict: 'pass' }])
  })

  test('that prints something else, or answers twice, is told so', async () => {
    const twice = "console.log('debug'); console.log(JSON.stringify({ id, outcome: 'error' }))"
    const words = program('twice', HARNESS.replace('EXTRA', twice))
    const said = await gradeHarness(words, [])
    expect(said.err).toContain('It prints lines that are not answers')
    expect(said.err).toMatch(/It answered request \d+ twice/)
  })

  test('that prints without end, or one line without end, is ended and told so', async () => {
    const said = await gradeHarness(program('floods-harness', FLOODS)).catch((error: Error) => error)
    expect(said instanceof Error ? said.message : said.err).toContain(FLOODED)
  })

  test('that ends in the middle leaves what was measured', async () => {
    const words = program('dies', HARNESS.replace('EXTRA', 'process.exit(3)'))
    const said = await gradeHarness(words).catch((error: Error) => error)
    expect(said instanceof Error ? said.message : said.err).toMatch(/exited/)
  })
})

describe('a selection', () => {
  test('of an unknown scenario suggests the nearest', async () => {
    await expect(grade('--only', 'stream-crfl', '--', 'true')).rejects.toMatchObject({
      exitCode: EXIT.usage,
      message: expect.stringContaining('stream-crlf'),
    })
  })

  test('that fits nothing is inconclusive', async () => {
    await expect(grade('--only', 'choice-tenant', '--a2a-version', '0.1', '--', 'true')).rejects.toMatchObject({
      exitCode: EXIT.inconclusive,
    })
  })

  test('can be listed', async () => {
    const said = await grade('--list')
    expect(said.out).toContain('stream-cr  Lines end with CR alone.')
    expect(said.out).toContain('client-sse-cr  MUST read lines that end with CR')
  })
})
