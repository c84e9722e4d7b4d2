// One agent in every host its guide names, each the real thing in a process of its own: Express and Fastify over node:http,
// Hono over Fetch on Node, and the Fetch handler on Bun and Deno (tools/package.json brings them).

import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { A2AClient } from '../../src/client/index.ts'
import { describeWithServer, toolPath } from '../servers/describe-with-server.ts'
import { runParley } from '../support/parley-process.ts'

const ROOT = join(import.meta.dirname, '..', '..')

beforeAll(() => {
  // `npm ci` builds; a checkout that was only edited may not have.
  if (!existsSync(join(ROOT, 'dist/server/fetch.js'))) execFileSync('npm', ['run', 'build'], { cwd: ROOT })
})

interface Host {
  name: string
  command: readonly string[]
  /** Whether it is an application with other things to do. */
  hasPages: boolean
  /** Whether its answers go out through Fetch, which the rest of the suite does not judge. */
  isFetch: boolean
}

const NODE_HOSTS: readonly Host[] = ['express', 'fastify', 'hono'].map((name) => ({
  name,
  command: [process.execPath, `examples/hosts/${name}.ts`],
  hasPages: true,
  isFetch: name === 'hono',
}))
const DENO_FLAGS = ['--allow-net=127.0.0.1', '--allow-env', '--allow-read', '--allow-sys']
const RUNTIME = { hasPages: false, isFetch: true }
const BUN: Host = { ...RUNTIME, name: 'bun', command: [toolPath('bun'), 'examples/hosts/bun.js'] }
const DENO: Host = {
  ...RUNTIME,
  name: 'deno',
  command: [toolPath('deno'), 'run', ...DENO_FLAGS, 'examples/hosts/deno.js'],
}

describe.each(NODE_HOSTS)('$name', serves)
describeWithServer('Bun', 'bun', () => serves(BUN))
describeWithServer('Deno', 'deno', () => serves(DENO))

function serves({ command: [program = '', ...args], hasPages, isFetch }: Host): void {
  const child = { stop: () => {}, url: '' }
  beforeAll(async () => {
    const running = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
    child.stop = () => void running.kill()
    for await (const line of createInterface({ input: running.stdout })) {
      const url = /^Listening on (\S+)$/.exec(line)?.[1]
      if (url === undefined) continue
      child.url = url
      return
    }
    throw new Error(`${args.at(-1)} ended before it listened`)
  })
  afterAll(() => child.stop())

  test.each(['jsonrpc', 'rest'] as const)('a message and a stream over %s', async (binding) => {
    using client = await A2AClient.connect(`${child.url}/agent`, { transports: [binding] })
    const greeting = { artifacts: [{ parts: [{ text: 'Hello, world!' }] }] }
    const { task } = (await client.sendMessage(say('world'))) as { task: { id: string } }
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' }, ...greeting })
    expect(await client.getTask({ id: task.id })).toMatchObject(greeting)
    const events: string[] = []
    for await (const { event } of client.streamMessage(say('stream'))) events.push(...Object.keys(event))
    expect(events).toEqual(['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate'])
  })

  test('errors keep their form and status', async () => {
    const post = (body: string, type = 'application/json') =>
      fetch(`${child.url}/agent`, { method: 'POST', body, headers: { 'Content-Type': type, 'A2A-Version': '1.0' } })
    expect(await (await post('{')).json()).toMatchObject({ error: { code: -32_700 } })
    expect((await post('{}', 'text/plain')).status).toBe(415)
    expect((await post(' '.repeat(5 * 1024 * 1024))).status).toBe(413)
    expect((await fetch(`${child.url}/agent/tasks/none`, { headers: { 'A2A-Version': '1.0' } })).status).toBe(404)
  })

  test('the card can be asked about without being read', async () => {
    const card = `${child.url}/agent/.well-known/agent-card.json`
    const whole = await fetch(card)
    const length = String((await whole.arrayBuffer()).byteLength)
    const head = await fetch(card, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, length, ''])
    const again = await fetch(card, { headers: { 'If-None-Match': whole.headers.get('etag') ?? '' } })
    expect(again.status).toBe(304)
  })

  if (hasPages)
    test('other pages are as they were', async () => {
      expect(await (await fetch(child.url)).text()).toBe('an ordinary page\n')
    })

  if (!isFetch) return
  test('the judge has nothing to say against it', { timeout: 120_000 }, async () => {
    const { stdout, code } = await runParley(['test', `${child.url}/agent`, '--quick', '--format', 'json'])
    expect({ code, verdict: (JSON.parse(stdout) as { verdict: string }).verdict }).toMatchObject({ code: 0 })
  })
}

function say(text: string) {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] } }
}

test('the guide shows the lines that were run', () => {
  const guide = readFileSync(join(ROOT, 'docs/host-an-agent.md'), 'utf8')
  for (const host of ['express.ts', 'fastify.ts', 'hono.ts', 'bun.js', 'deno.js']) {
    const section = guide.slice(guide.indexOf(`examples/hosts/${host}`))
    const [, code = ''] = /```(?:ts|js)\n([\s\S]*?)```/.exec(section) ?? []
    const example = readFileSync(join(ROOT, 'examples/hosts', host), 'utf8')
    expect(code).not.toBe('')
    for (const line of code.split('\n').filter((each) => each.trim() !== '')) expect(example).toContain(line)
  }
})
