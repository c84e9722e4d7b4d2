// A generation is one folder and one row: 1.1 is added to a copy of the tree as CONTRIBUTING.md says, and then the
// server, the client, the mock, the proxy, the judge and the command line know it.

import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import { runParley, startParley } from '../support/parley-process.ts'
import type { ThrowAwayTree } from '../support/throw-away-tree.ts'
import { treeWithNewGeneration } from './throw-away.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const SCRIPT = `
agent: { name: New, generation: 1.1 }
rules:
  - match: { text: stale }
    turns: [[{ error: { kind: StaleTask, message: Somebody else changed it. } }]]
  - turns: [[{ complete: Done. }]]
`
/** An agent on the library with its defaults, as a program of its own beside the copied sources. */
const AGENT = `
import { A2AError, createServer, textOf } from './src/server/index.ts'
const server = createServer({
  card: { name: 'N', description: 'n', version: '1', capabilities: { streaming: true }, defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'], skills: [{ id: 's', name: 's', description: 's', tags: ['s'] }] },
  async agent(message, context) {
    if (textOf(message) === 'stale') throw new A2AError('UnsupportedOperation', 'changed', { declaredAs: 'StaleTask' })
    await context.complete('done')
  },
})
const { url } = await server.listen({ port: 0 })
console.log(JSON.stringify({ event: 'ready', url }))
`

let tree: ThrowAwayTree

beforeAll(() => {
  tree = treeWithNewGeneration()
})

afterAll(() => tree.remove())

function parley(...args: string[]) {
  return runParley(args, { entry: tree.entry, cwd: tree.path })
}

async function call(url: string, version: string | undefined, text: string, extra: JsonObject = {}) {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...extra }
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(version !== undefined && { 'A2A-Version': version }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
  })
  return (await response.json()) as { result?: { task: JsonObject }; error?: JsonObject }
}

test('it touches the files that CONTRIBUTING.md lists, and no others', () => {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  const section = /## Add a generation\n(.*?)\n## /s.exec(text)?.[1] ?? ''
  const listed = [...section.matchAll(/^- `([^`]+)`/gm)].map(([, path = '']) =>
    path.replace('X_Y', '1_1').replace('X.Y', '1.1'),
  )
  const touched = new Set(tree.touched.map((file) => listed.find((path) => file.startsWith(path)) ?? file))
  expect([...touched].sort()).toEqual(listed.sort())
  expect(listed).toHaveLength(3)
})

test('a server made with the defaults speaks it, beside 1.0 and 0.3', async () => {
  writeFileSync(join(tree.path, 'agent.ts'), AGENT)
  const server = await startParley([], { entry: join(tree.path, 'agent.ts') })
  try {
    const card = (await (await fetch(`${server.url}/.well-known/agent-card.json`)).json()) as JsonObject
    const versions = (card.supportedInterfaces as JsonObject[]).map(({ protocolVersion }) => protocolVersion)
    expect([[...new Set(versions)], card.protocolVersion]).toEqual([['1.1', '1.0'], '0.3.0'])
    const { result } = await call(server.url, '1.1', 'hello', { generation: '3' })
    expect(result?.task.status).toMatchObject({ state: 'TASK_STATE_COMPLETED' })
    // A member the model lacks came in and goes out as it was.
    expect(result?.task.history).toMatchObject([{ generation: '3' }])
    expect(await call(server.url, '1.1', 'stale')).toMatchObject({
      error: { code: -32050, data: [{ reason: 'STALE_TASK' }] },
    })
    expect(await call(server.url, '1.0', 'stale')).toMatchObject({
      error: { code: -32004, data: [{ reason: 'UNSUPPORTED_OPERATION' }] },
    })
    expect(await call(server.url, '1.2', 'hello')).toMatchObject({ error: { code: -32009 } })
  } finally {
    await server.stop()
  }
})

describe('a mock of it', () => {
  let url: string
  let stop: () => Promise<unknown>

  beforeAll(async () => {
    writeFileSync(join(tree.path, 'agent.yaml'), SCRIPT)
    const mock = await startParley(['mock', join(tree.path, 'agent.yaml')], { entry: tree.entry })
    ;({ url } = mock)
    stop = () => mock.stop()
  })

  afterAll(() => stop())

  test('plays a declared error by its name', async () => {
    expect(await call(url, '1.1', 'stale')).toMatchObject({
      error: { code: -32050, message: 'Somebody else changed it.', data: [{ reason: 'STALE_TASK' }] },
    })
  })

  test('is talked to by the client in 1.1, which tells the error by its name', async () => {
    const sent = await parley('send', url, 'hello', '-o', 'json')
    expect(JSON.parse(sent.stdout)).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } })
    expect(sent.stderr).toContain('A2A 1.1 over jsonrpc')
    const refused = await parley('send', url, 'stale', '--a2a-version', '1.1')
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.stderr).toContain('The agent answered StaleTask: Somebody else changed it.')
  })

  test('is recognised by inspect', async () => {
    const { stdout } = await parley('inspect', url)
    expect(stdout).toContain('A2A 1.1, because it lists 1.1')
    expect(stdout).toMatch(/declared 1\.1, observed 1\.1/)
  })

  test('is judged by the rows of 1.1, which are those of 1.0 and its own', async () => {
    const checks = ['get-task-unknown', 'card-valid', 'card-required-fields', 'version-minor']
    const { stdout, code } = await parley(
      'test',
      `${url}/v1.1`,
      ...checks.flatMap((id) => ['--only', id]),
      ...['--format', 'terminal', '--format', 'run:judged.jsonl'],
    )
    expect(stdout).toMatch(/A2A 1\.1: \d+ of \d+ MUST met/)
    expect([code, /(\d+) failed/.exec(stdout)?.[1]]).toEqual([0, '0'])
    expect((await parley('test', '--list', '-o', 'json')).stdout).toContain('task-generation')
    expect((await parley('report', 'judged.jsonl')).stdout).toMatch(/A2A 1\.1: \d+ of \d+ MUST met/)
  })
})

describe('an agent of it that says the new member', () => {
  let generation: unknown = '7'
  const agent = createServer(answer)
  let url: string

  const answered: RequestListener = (req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      res.writeHead(200, { 'Content-Type': 'application/json' })
      if (req.method === 'GET') return res.end(JSON.stringify(cardAt(url)))
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject
      const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' }, generation }
      const unknown = { code: -32001, message: 'unknown', data: [] }
      const outcome = method === 'SendMessage' ? { result: { task } } : { error: unknown }
      return res.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
    })
  }

  function answer(...[req, res]: Parameters<RequestListener>): void {
    answered(req, res)
  }

  beforeAll(async () => {
    await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}`
  })

  afterAll(() => agent.close())

  test('is read through the proxy with that member', async () => {
    const proxy = await startParley(['proxy', url], { entry: tree.entry, cwd: tree.path })
    try {
      const { stdout, stderr } = await parley('send', proxy.url, 'hello', '-o', 'json')
      expect(stderr).toContain('A2A 1.1')
      expect(JSON.parse(stdout)).toMatchObject({ task: { generation: '7' } })
    } finally {
      await proxy.stop()
    }
  })

  test('is judged by the schema of 1.1', async () => {
    const judged = async () => {
      const args = ['--only', 'schema-task', '--only', 'send-task-ids', '--no-report']
      const { stdout, stderr } = await parley('test', url, ...args)
      return `${stdout}${stderr}`
    }
    const fault = 'schema-task@1.1/jsonrpc  /result/task/generation: must be a string'
    expect(await judged()).not.toContain(fault)
    generation = 7
    expect(await judged()).toContain(fault)
  })
})

function cardAt(url: string): JsonObject {
  return {
    ...{ name: 'Hand', description: 'made', version: '1', capabilities: {}, defaultInputModes: ['text/plain'] },
    ...{ defaultOutputModes: ['text/plain'], skills: [{ id: 's', name: 's', description: 's', tags: ['s'] }] },
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.1' }],
  }
}
