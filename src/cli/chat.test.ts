// A conversation from its lines: contexts, tasks that wait, files, and failures that do not end it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../test/peers/recorded-io.ts'
import { parseScript } from '../mock/script/load-script.ts'
import { MockServer } from '../mock/server.ts'
import { chatCommand } from './chat.ts'

const SCRIPT = `
agent: { ids: counted }
rules:
  - { match: { text: book }, turns: [[{ input-required: "when?" }], [{ complete: "booked" }]] }
  - { match: { text: hello }, turns: [[{ message: "hi" }]] }
  - { match: { text: long }, turns: [[{ status: working }, { delay: 600s }, { complete: "done" }]] }
  - { match: { text: report }, turns: [[{ artifact: { name: r, text: "a,b" } }, { complete: "here" }]] }
`
const server = new MockServer({ script: parseScript(SCRIPT) })
const folder = mkdtempSync(join(tmpdir(), 'parley-chat-'))

beforeAll(() => server.start())
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

async function chat(...typed: string[]) {
  const lines = {
    [Symbol.asyncIterator]: async function* () {
      yield* typed
    },
    ask() {},
    close() {},
  }
  return runCommand((io) => chatCommand(io, () => lines), [server.url, '-q'])
}

test('an answer goes to the task that waits for it, and the next message begins another', async () => {
  const { out, err } = await chat('book', 'tomorrow', '/task', 'report', '/quit', 'hello')
  expect(out).toContain('when?')
  expect(out).toContain('booked')
  expect(out).toContain('completed · task task-1')
  expect(out).toContain('a,b')
  expect(out).not.toContain('hi\n')
  expect(err).toContain('The agent waits for your answer.')
})

test('a failure is told and the conversation goes on', async () => {
  const { out, err } = await chat('what?', '/file nowhere.txt', '/taks', 'hello')
  expect(err).toContain('No rule of the script matches')
  expect(err).toContain('there is no such file')
  expect(err).toContain("There is no /taks; did you mean '/task'?")
  expect(out).toBe('hi\n')
})

test('files, raw answers and history', async () => {
  writeFileSync(join(folder, 'a.txt'), 'x')
  const { out, err } = await chat(`/file ${join(folder, 'a.txt')}`, '/raw', 'hello', '/history', '/cancel')
  expect(err).toContain('goes with the next message')
  expect(JSON.parse(out.split('\n')[0] ?? '')).toHaveProperty('message.parts')
  expect(out).toContain('> hello')
  expect(err).toContain('There is no task to cancel.')
})

test('Ctrl-C ends the wait for an answer, and the conversation goes on', async () => {
  let stop = () => false
  const lines = {
    [Symbol.asyncIterator]: async function* () {
      yield 'long'
      yield '/cancel'
    },
    ask() {},
    close() {},
    onInterrupt(stopping: () => boolean) {
      stop = stopping
    },
  }
  const { out, err } = await runCommand(
    (io) => {
      const outs = io.out
      const watched = {
        ...io,
        out: (text: string) => {
          outs(text)
          if (text.includes('working')) setImmediate(() => stop())
        },
      }
      return chatCommand(watched, () => lines)
    },
    [server.url, '-q'],
  )
  expect(err).toMatch(/The agent is still working on task \S+; \/cancel cancels it, \/task shows it\./)
  expect(out).toMatch(/canceled · task/)
  expect(stop()).toBe(false)
})
