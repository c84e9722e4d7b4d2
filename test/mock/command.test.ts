// `parley mock` as a person runs it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { CliIo } from '../../src/cli/cli-io.ts'
import { mockCommand } from '../../src/cli/mock.ts'
import { A2AClient, textOf } from '../../src/client/index.ts'
import { runCommand } from '../peers/recorded-io.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-mock-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const GOOD = 'rules: [{ id: hi, match: { text: hi }, turns: [[{ message: hello }]], times: { min: 1 } }]\n'

test('--check says which patterns are matched against the clock', async () => {
  const script = (regex: string) =>
    `rules: [{ id: r, match: { text: { regex: '${regex}' } }, turns: [[{ complete: x }]] }]`
  const looking = await runCommand(mockCommand, [write('looking.yaml', script('^(?!no)')), '--check'])
  expect(looking.err).toMatch(
    /^Rule 'r': \/\^\(\?!no\)\/ uses a lookahead, .* more than 100 ms counts as no match\.\n$/,
  )
  expect(looking.out).toContain('is valid')
  expect((await runCommand(mockCommand, [write('linear.yaml', script('^(\\w+\\s?){5}$')), '--check'])).err).toBe('')
})

test('--check says that a script is valid, or what is wrong with it', async () => {
  expect((await runCommand(mockCommand, [write('good.yaml', GOOD), '--check'])).out).toMatch(
    /good.yaml is valid: 1 rule, 0 faults/,
  )
  await expect(runCommand(mockCommand, [write('bad.yaml', 'ruels: []'), '--check'])).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining("bad.yaml:1:1: unknown key 'ruels' in the file; did you mean 'rules'?"),
  })
  await expect(runCommand(mockCommand, ['--check'])).rejects.toThrow('--check needs a script file.')
})

/** Runs the command and a test against it; the command stops when the test is over. */
async function whileRunning(
  args: readonly string[],
  use: (url: string, io: { seen: (text: string) => Promise<void> }) => Promise<void>,
) {
  const run = { out: '', err: '', exitCode: 0 }
  const waiting: { text: string; resolve: () => void }[] = []
  const check = () => {
    for (const each of waiting) if (run.err.includes(each.text)) each.resolve()
  }
  let url = ''
  const io: CliIo = {
    out(text) {
      run.out += text
      url ||= /Listening on (\S+)/.exec(text)?.[1] ?? ''
    },
    err(text) {
      run.err += text
      check()
    },
    stdin: async () => '',
    exit(code) {
      run.exitCode = code
    },
  }
  const seen = (text: string) =>
    new Promise<void>((resolve) => {
      waiting.push({ text, resolve })
      check()
    })
  await mockCommand(io, () => use(url, { seen }))
    .exitOverride()
    .parseAsync(args, { from: 'user' })
  return run
}

async function ask(url: string, text: string): Promise<string> {
  using client = await A2AClient.connect(url)
  const result = await client.sendMessage({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } })
  return 'message' in result ? textOf(result.message) : result.task.status.state
}

test('serves the script and prints what it received', async () => {
  const run = await whileRunning([write('run.yaml', GOOD), '--strict'], async (url, { seen }) => {
    expect(await ask(url, 'hi')).toBe('hello')
    await seen("sendMessage (rule 'hi', turn 0) → 200")
  })
  expect(run.out).toContain('/__parley/journal')
  expect(run.exitCode).toBe(0)
})

test('--strict fails when a request had no answer or a rule was not played', async () => {
  const run = await whileRunning([write('strict.yaml', GOOD), '--strict', '--quiet'], async (url) => {
    await expect(ask(url, 'what?')).rejects.toThrow(/nearest is 'hi'/)
  })
  expect(run.exitCode).toBe(1)
  expect(run.err).toContain("rule 'hi' matched 0 times; expected at least 1")
  expect(run.err).toContain('No rule of the script matches this message')
})

test('--watch takes a changed script, and keeps the old one while the new one is wrong', async () => {
  const path = write('watched.yaml', GOOD)
  await whileRunning([path, '--watch'], async (url, { seen }) => {
    writeFileSync(path, 'rules: [{ turns: [[{ mesage: x }]] }]')
    await seen('The previous script stays in use.')
    expect(await ask(url, 'hi')).toBe('hello')
    writeFileSync(path, GOOD.replace('hello', 'changed'))
    await seen('was read again.')
    expect(await ask(url, 'hi')).toBe('changed')
  })
})

const TWO_TURNS =
  'rules: [{ id: book, match: { text: book }, turns: [[{ input-required: when? }], [{ complete: done }]] }]\n'

test('--watch reads only its own files again, and tasks and counts go on', async () => {
  const part = write('part.yaml', TWO_TURNS)
  const path = write('own.yaml', 'include: [part.yaml]\nagent: { name: Booker, ids: counted }\n')
  const run = await whileRunning([path, '--watch', '--strict'], async (url, { seen }) => {
    using client = await A2AClient.connect(url)
    const send = (text: string, taskId?: string) =>
      client.sendMessage({
        message: { messageId: text, role: 'ROLE_USER', parts: [{ text }], ...(taskId === undefined ? {} : { taskId }) },
      })
    await send('book')
    write('someone-elses.log', 'not part of the script')
    writeFileSync(part, TWO_TURNS.replace('id: book', 'id: book, times: { min: 1 }'))
    await seen('own.yaml was read again.')
    expect(await send('tomorrow', 'task-1')).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } })
  })
  expect(run.err.match(/was read again/g)).toHaveLength(1)
  expect(run.exitCode).toBe(0)
})

test('--watch says that tasks start anew when the agent is described differently', async () => {
  const path = write('described.yaml', GOOD)
  await whileRunning([path, '--watch'], async (url, { seen }) => {
    writeFileSync(path, `agent: { name: Other }\n${GOOD}`)
    await seen('its tasks were reset')
    using client = await A2AClient.connect(url)
    expect(client.card?.name).toBe('Other')
  })
})
