// The things a newcomer types first, in a real terminal: what comes is what the documents promise.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parleyFolder } from '../support/parley-command.ts'
import { type Serving, startParley } from '../support/parley-process.ts'
import { hasTmux, Terminal } from './terminal.ts'

const isThere = hasTmux()
if (!isThere) process.stderr.write('SKIPPED: tmux is not installed, the walk of a newcomer is not driven.\n')

/** What is typed (AGENT stands for the reference agents), what has to be on the screen, the exit code. */
const WALK: readonly (readonly [typed: string, shown: RegExp, code: number])[] = [
  [
    'parley',
    /You have an agent .* http:\/\/localhost:3000\n.*You have a client .* serve\n.*You have neither .* demo/s,
    0,
  ],
  ['parley --help', /Usage: parley <command> \[options\]/, 0],
  ['parley help', /^Parley, the interoperability lab/m, 0],
  ['parley -v', /^\d+\.\d+\.\d+$/m, 0],
  ['parley --version', /^\d+\.\d+\.\d+$/m, 0],
  ['parley help exit-codes', /^ {2}3 +the agent cannot be reached$/m, 0],
  ['parley help environment', /PARLEY_<FLAG>/, 0],
  ['parley help statuses', /not-measured/, 0],
  ['parley help send', /^ {2}parley send localhost:9999 "What can you do\?"$/m, 0],
  ['parley send --help', /--task-id <id>/, 0],
  ['parley tset', /unknown command 'tset'.*Did you mean test\?/s, 2],
  ['parley send AGENT/echo hello', /Echo: hello/, 0],
  ['parley send AGENT/spec "streaming please" --stream', /completed/, 0],
  ['parley send AGENT/echo "hi" -o json | head -c 12', /^\{"message":\{/m, 0],
  ['echo "from a pipe" | parley send AGENT/echo -', /Echo: from a pipe/, 0],
  ['parley send AGENT/echo hello --curl', /^curl -sS -i 'http/m, 0],
  ['parley send AGENT/echo hello -v 2>&1 | head -5', /^→ GET http:\/\//m, 0],
  ['parley send AGENT/echo --data "{bad"', /Invalid JSON in --data/, 2],
  ['parley send AGENT/echo --file note.txt "look"', /Echo: look/, 0],
  ['parley send AGENT/spec "task-lifecycle one" -q', /^completed · task \S+/m, 0],
  ['parley task list AGENT/spec --limit 1 -q', /^completed +\S+/m, 0],
  ['parley task get AGENT/spec no-such-task -q', /TaskNotFound/, 1],
  ['printf "hello\\n/quit\\n" | parley chat AGENT/echo', /Echo: hello/, 0],
  ['parley inspect AGENT/spec -q | head -3', /Parley Spec Agent/, 0],
  ['parley inspect ./nofile.json', /There is no card file/, 2],
  ['parley explain get-task-unknown | head -4', /^ {2}How to fix it: /m, 0],
  ['parley explain cancel | head -1', /^cancel: \d+ checks$/m, 0],
  ['parley explain', /^Areas: +card, versions/m, 0],
  ['parley test --list | head -2', /MUST /, 0],
  ['parley test AGENT/spec --only card-available --no-report', /1 passed/, 0],
  ['parley test http://127.0.0.1:9 --no-report', /Fix:/, 3],
  ['parley test AGENT/spec --only nope', /There is no check, area, category, requirement or section 'nope'/, 2],
  ['parley mock agent.yaml --check', /^agent\.yaml is valid: 1 rule, 0 faults\.$/m, 0],
  ['parley mock broken.yaml --check', /^parley: broken\.yaml:1:\d+: .*did you mean 'complete'\?$/m, 2],
  ['parley load AGENT/echo --requests 5 --concurrency 1', /^5 answers in .* per second$/m, 0],
  ['parley skill list | cut -c1-60', /^test-a2a-interop {2}/m, 0],
  ['parley completion bash | head -1', /^_parley\(\) \{$/m, 0],
  ['parley proxy', /Give an agent URL or --config proxy\.yaml\./, 2],
  ['parley push dead-letters', /Name the store of the server/, 2],
  ['parley --help > /dev/full', /Writing to standard output failed: the disk is full/, 1],
]

describe.skipIf(!isThere)('a newcomer', () => {
  let folder: string
  let agent: Serving
  let terminal: Terminal

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-walk-'))
    writeFileSync(join(folder, 'note.txt'), 'a note')
    writeFileSync(join(folder, 'agent.yaml'), 'rules: [{ match: { text: hi }, turns: [[{ complete: hello }]] }]\n')
    writeFileSync(join(folder, 'broken.yaml'), 'rules: [{ turns: [[{ compelte: x }]] }]\n')
    agent = await startParley(['serve'])
    terminal = await Terminal.open({ cwd: folder, path: `${parleyFolder()}:${process.env.PATH}` })
  }, 120_000)
  afterAll(async () => {
    await terminal.close()
    await agent.stop()
    rmSync(folder, { recursive: true })
  })

  test('types forty things', { timeout: 240_000 }, async () => {
    expect(WALK).toHaveLength(40)
    for (const [typed, shown, code] of WALK) {
      const line = typed.replaceAll('AGENT', agent.url.replace('http://', ''))
      const screen = await terminal.type(
        `set -o pipefail; ${line.includes('| head') ? `(${line}) 2>&1 || true` : line}`,
      )
      expect(screen.text, `$ ${line}`).toMatch(shown)
      expect(screen.code, `$ ${line}\n${screen.text}`).toBe(code)
      expect(screen.text, `$ ${line}`).not.toMatch(/\n {4}at |npx parley /)
    }
  })

  test('stops a server with Ctrl-C, and leaves a chat with Ctrl-D', { timeout: 60_000 }, async () => {
    const serving = await terminal.begin('parley serve --port 0')
    await serving.shows('Ctrl-C stops the server.')
    await terminal.press('C-c')
    expect((await serving.end()).code).toBeLessThan(2)
    const chatting = await terminal.begin(`parley chat ${agent.url}/echo`)
    await chatting.shows('Type a message')
    await terminal.press('hello', 'Enter')
    await chatting.shows('Echo: hello')
    await terminal.press('C-d')
    expect((await chatting.end()).code).toBe(0)
  })
})
