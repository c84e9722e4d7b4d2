// `parley serve my-agent.ts`: the user's own module on the server, started again by --watch, and one sentence for whatever is
// wrong with it.

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { A2AClient } from '../../src/client/a2a-client.ts'
import type { AgentCard } from '../../src/model/card.ts'
import { textOf } from '../../src/model/task.ts'
import { freePort } from '../servers/child-server.ts'
import { runParley, startParley, startParleyProcess } from '../support/parley-process.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-module-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

const GREETER = `import { type Agent, A2AError, textOf } from 'a2a-parley/server'
import { greeting } from './greeting.ts'
const agent: Agent = (message) => {
  if (textOf(message) === 'refuse') throw new A2AError('InvalidParams', 'Not that word.')
  if (textOf(message) === 'forget') void Promise.reject(new Error('nobody waits for this'))
  return greeting + textOf(message)
}
export default agent
`
const GREETING = "export const greeting: string = 'Hello, '\n"

async function answer(url: string, text: string): Promise<string> {
  using client = await A2AClient.connect(url)
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] }
  const result = await client.sendMessage({ message })
  return 'message' in result ? textOf(result.message) : textOf(result.task.status.message)
}

test('an agent function needs no card and no installation', async () => {
  write('greeter.ts', GREETER)
  write('greeting.ts', GREETING)
  const serving = await startParley(['serve', 'greeter.ts'], { cwd: folder })
  using client = await A2AClient.connect(serving.url)
  expect(client.card).toMatchObject({ name: 'greeter', capabilities: { streaming: true } })
  expect(await answer(serving.url, 'you')).toBe('Hello, you')
  // Were it another copy of Parley, this would be an internal error.
  await expect(answer(serving.url, 'refuse')).rejects.toMatchObject({
    kind: 'InvalidParams',
    message: 'Not that word.',
  })
  expect(await serving.stop()).toMatchObject({ code: 0 })
})

test('options of createServer hold, and flags go before them', async () => {
  write(
    'two.mjs',
    `export default {
      store: 'sqlite:of-module.db',
      publicUrl: 'https://agents.example.com',
      agents: [{ path: '/a', agent: () => 'A' }, { path: '/b', agent: () => 'B' }],
    }`,
  )
  const flags = ['--public-url', 'https://other.example.com', '--auth', 'bearer:s3cret=alice']
  const { url, stop } = await startParley(['serve', 'two.mjs', ...flags], { cwd: folder })
  const card = (await (await fetch(`${url}/b/.well-known/agent-card.json`)).json()) as AgentCard
  expect(card.name).toBe('two')
  expect(card.supportedInterfaces[0]?.url).toBe('https://other.example.com/b')
  expect((await fetch(`${url}/a/tasks`, { headers: { 'A2A-Version': '1.0' } })).status).toBe(401)
  await stop()
  expect((await runParley(['push', 'dead-letters', '--store', 'sqlite:of-module.db'], { cwd: folder })).code).toBe(0)
})

test('a promise that nobody handles ends the server with the place of it, not as a bug in Parley', async () => {
  write('greeter.ts', GREETER)
  write('greeting.ts', GREETING)
  const serving = await startParley(['serve', 'greeter.ts'], { cwd: folder })
  const ended = serving.stop('SIGCONT')
  await answer(serving.url, 'forget').catch(() => {})
  expect(await ended).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^parley: greeter\.ts left a rejected promise unhandled: nobody waits for this \(greeter\.ts:5\)\.$/m,
    ),
  })
})

test('--watch starts it again on the same port when one of its files changes, also after a mistake', async () => {
  write('greeter.ts', GREETER)
  write('greeting.ts', GREETING)
  const port = await freePort()
  const watched = startParleyProcess(['serve', 'greeter.ts', '--watch', '--port', String(port), '-q'], { cwd: folder })
  const url = `http://127.0.0.1:${port}`
  await watched.stdoutMatching(/Listening/)
  expect(await answer(url, 'you')).toBe('Hello, you')

  const broken = watched.stderrMatching(/^parley: greeting\.ts:1: .+\nWaiting for a change of greeter\.ts/m)
  write('greeting.ts', 'export const = 1\n')
  await broken

  const again = watched.stdoutMatching(/Listening/)
  write('greeting.ts', "export const greeting = 'Good-bye, '\n")
  await again
  expect(await answer(url, 'you')).toBe('Good-bye, you')

  watched.kill('SIGTERM')
  expect(await watched.finished).toMatchObject({ code: 0 })
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})

test('a watched server does not outlive the process that watches', async () => {
  write('agent.mjs', 'export default () => "yes"')
  const port = await freePort()
  const watched = startParleyProcess(['serve', 'agent.mjs', '--watch', '--port', String(port), '-q'], { cwd: folder })
  await watched.stdoutMatching(/Listening/)
  watched.kill('SIGKILL')
  // The output is closed by the last process that holds it.
  await watched.finished
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed')
})

const CREATE = 'an agent function, { card, agent }, or the options of createServer'
const WRONG: readonly [file: string, text: string | undefined, message: string, exitCode: number][] = [
  ['absent.ts', undefined, 'There is no file absent.ts.', 2],
  ['folder', undefined, 'folder is a folder; name the file of the agent in it.', 2],
  [
    'agent.json',
    '{}',
    'agent.json is not a TypeScript or JavaScript module; its name has to end in .ts, .mts, .cts, .js, .mjs, .cjs.',
    2,
  ],
  ['syntax.ts', 'const a: number = 1\nexport default (a: {\n', 'syntax.ts:2: ', 2],
  ['syntax.mjs', 'const a = 1\nexport default (a: string) => a\n', "syntax.mjs:2: Unexpected token ':'.", 2],
  ['inner.ts', "import './syntax.mjs'\nexport default () => 'x'\n", 'syntax.mjs:2: ', 2],
  [
    'enum.ts',
    'enum A { B }\nexport default () => A.B\n',
    'enum.ts:1: TypeScript enum is not supported in strip-only mode; Node removes types and translates nothing.',
    2,
  ],
  [
    'link.ts',
    "import { no } from './named.ts'\nexport default no\n",
    "link.ts:1: The requested module './named.ts' does not provide an export named 'no'.",
    2,
  ],
  [
    'package.ts',
    "import no from 'no-such-package'\nexport default no\n",
    "package.ts imports 'no-such-package', which is not installed; run: npm install no-such-package",
    2,
  ],
  ['file.ts', "import no from './no.ts'\nexport default no\n", 'file.ts imports no.ts, and there is no such file.', 2],
  [
    'throws.ts',
    "\nthrow new Error('no key in the environment.')\n",
    'throws.ts failed while it was loaded: no key in the environment (throws.ts:2).',
    1,
  ],
  [
    'hangs.ts',
    "await new Promise(() => {})\nexport default () => 'x'\n",
    'hangs.ts has not finished loading after 0.05 s: an await at its top level still waits. Wait inside the agent instead, or give it longer with --load-timeout.',
    1,
  ],
  ['nothing.ts', 'export {}', `nothing.ts has no default export (it exports nothing); export as default ${CREATE}.`, 2],
  [
    'named.ts',
    "export const agent = () => 'x'\n",
    `named.ts has no default export (it exports agent); export as default ${CREATE}.`,
    2,
  ],
  ['number.ts', 'export default 3\n', `The default export of number.ts is a number; export ${CREATE}.`, 2],
  ['null.ts', 'export default null\n', `The default export of null.ts is null; export ${CREATE}.`, 2],
  [
    'empty.ts',
    'export default {}\n',
    `The default export of empty.ts has neither agent nor agents; export ${CREATE}.`,
    2,
  ],
  [
    'many.ts',
    'export default { agents: [{ path: "/a" }] }\n',
    'One of the agents of many.ts has no agent function; each is { path, card, agent }.',
    2,
  ],
  ['card.ts', 'export default { card: "x", agent: () => "x" }\n', 'The card of card.ts is a string, not an object.', 2],
  [
    'server.ts',
    "import { createServer } from 'a2a-parley/server'\nexport default createServer({ agents: [] })\n",
    'The default export of server.ts is a server; export the options of createServer, and parley starts it.',
    2,
  ],
]

test('whatever is wrong with a module is one sentence', async () => {
  mkdirSync(join(folder, 'folder'))
  for (const [file, text] of WRONG) if (text !== undefined) write(file, text)
  const script = join(import.meta.dirname, '../support/load-agent-modules.ts')
  const files = WRONG.map(([file]) => file)
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...files], { cwd: folder })
  const outcomes = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
  expect(outcomes).toEqual(
    WRONG.map(([file, , message, exitCode]) => ({ file, message: expect.stringContaining(message), exitCode })),
  )
  expect(outcomes.filter((outcome) => JSON.stringify(outcome).includes('\\n'))).toEqual([])
})

test.each([
  ['a module that is wrong', ['absent.ts'], 'There is no file absent.ts.'],
  ['a card that is wrong', ['card.mjs'], 'The card of / is not valid: /description is required.'],
  [
    'a flag of the reference agents',
    ['card.mjs', '--root', 'tck'],
    '--root is for the reference agents, not for an agent of your own.',
  ],
  ['--watch without a file', ['--watch'], '--watch needs the file of your agent.'],
])('serve ends at once: %s', async (_, args, message) => {
  write('card.mjs', "export default { card: { name: 'x' }, agent: () => 'x' }")
  const { code, stdout, stderr } = await runParley(['serve', '--port', '0', ...args], { cwd: folder })
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `parley: ${message}\n` })
})
