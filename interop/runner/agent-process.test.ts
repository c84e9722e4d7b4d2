import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAgent } from './agent-process.ts'
import { openClosedDoor } from './closed-door.ts'
import type { AgentEntry, Folder } from './corpus.ts'

let path: string

beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'parley-agent-'))
  await writeFile(
    join(path, 'agent.js'),
    `require('node:http').createServer((req, res) => {
      if (req.url === '/out') fetch('http://agent.invalid/').then(({ status }) => res.end('' + status), (e) => res.end('' + e.cause))
      else res.writeHead(req.url === '/card' ? 200 : 404).end(process.env.GREETING)
    }).listen(process.argv[2], '127.0.0.1')`,
  )
})
afterAll(() => rm(path, { recursive: true }))

function folder(agent: AgentEntry): Folder {
  return {
    name: 'tiny',
    path,
    manifest: { sdk: 'none', language: 'JavaScript', agents: [agent] },
    rulings: [],
    clientRulings: [],
  }
}

const AGENT: AgentEntry = {
  name: 'one',
  does: 'answers',
  run: ['{node}', 'agent.js', '{port}'],
  path: '/card',
  card: '/card',
  env: new Map([['GREETING', 'hello']]),
}

test('an agent is ready when its card is answered, and gone after stop', async () => {
  const agent = await startAgent(folder(AGENT), AGENT, {})
  expect(await (await fetch(agent.url)).text()).toBe('hello')
  await agent.stop()
  expect(agent.hasEnded()).toBe(true)
  await expect(fetch(agent.url)).rejects.toThrow()
})

test('an agent that ends at once is reported with what it printed', async () => {
  const broken = { ...AGENT, run: ['{node}', '-e', 'console.error("no such module"); process.exit(1)'] }
  await expect(startAgent(folder(broken), broken, {})).rejects.toThrow('no such module')
})

test('a program that does not exist is reported', async () => {
  const missing = { ...AGENT, run: ['./no-such-program'] }
  await expect(startAgent(folder(missing), missing, {})).rejects.toThrow('no-such-program')
})

test('what an agent calls outside stays at the door and is remembered', async () => {
  const door = await openClosedDoor()
  const agent = await startAgent(folder(AGENT), AGENT, door.env)
  const answer = await (await fetch(new URL('/out', agent.url))).text()
  await agent.stop()
  expect(answer).not.toBe('200')
  expect(door.takeAttempts().join()).toContain('agent.invalid')
  expect(door.takeAttempts()).toEqual([])
  door.close()
})
