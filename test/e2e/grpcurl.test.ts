// The real grpcurl against a server of ours: what it lists, describes, calls and streams, and the lines that commands print,
// as they are pasted. Where it is not installed nothing is shown, and that is said aloud.

import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SPEC_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import { type A2AServer, createServer } from '../../src/server/index.ts'
import { PARLEY_ENTRY } from '../support/parley-command.ts'

const GRPCURL = process.env.GRPCURL ?? 'grpcurl'
const isInstalled = spawnSync(GRPCURL, ['--version']).error === undefined
if (!isInstalled)
  console.warn(
    'grpcurl is not installed: `go install github.com/fullstorydev/grpcurl/cmd/grpcurl@latest`, or set GRPCURL.',
  )

const run = promisify(execFile)

describe.skipIf(!isInstalled)('grpcurl', () => {
  let server: A2AServer
  let address = ''
  let agent = ''

  beforeAll(async () => {
    server = createServer({ card: SPEC_CARD, agent: specAgent, grpc: true, dialects: ['1.0', '0.3'] })
    ;({ url: agent } = await server.listen())
    address = `127.0.0.1:${server.grpc[0]?.port}`
  })
  afterAll(() => server.close({ graceMs: 0 }))

  async function grpcurl(...args: string[]): Promise<string> {
    return (await run(GRPCURL, ['-plaintext', ...args])).stdout
  }

  function said(text: string): string {
    return JSON.stringify({ message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text }] } })
  }

  test('lists the services', async () => {
    expect((await grpcurl(address, 'list')).trim().split('\n')).toEqual(
      expect.arrayContaining(['a2a.v1.A2AService', 'grpc.health.v1.Health', 'lf.a2a.v1.A2AService']),
    )
  })

  test.each(['lf.a2a.v1.A2AService', 'a2a.v1.A2AService', 'grpc.health.v1.Health'])('describes %s', async (service) => {
    expect(await grpcurl(address, 'describe', service)).toContain('is a service')
  })

  test('describes a message, with what it imports', async () => {
    const described = await grpcurl(address, 'describe', 'lf.a2a.v1.Part')
    expect(described).toContain('oneof content')
    expect(described).toContain('.google.protobuf.Value data = 4')
  })

  test('calls', async () => {
    const answer = await grpcurl('-d', said('task-lifecycle'), address, 'lf.a2a.v1.A2AService/SendMessage')
    expect(JSON.parse(answer)).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } })
  })

  test('streams', async () => {
    const answer = await grpcurl('-d', said('streaming'), address, 'lf.a2a.v1.A2AService/SendStreamingMessage')
    const kinds = [...answer.matchAll(/^ {2}"(\w+)": \{/gm)].map(([, kind]) => kind)
    expect(kinds[0]).toBe('task')
    expect(kinds.filter((kind) => kind === 'artifactUpdate').length).toBeGreaterThan(1)
  })

  test('shows an error with its details', async () => {
    const failing = grpcurl('-d', '{"id":"nobody"}', address, 'lf.a2a.v1.A2AService/GetTask')
    await expect(failing).rejects.toMatchObject({ stderr: expect.stringContaining('TASK_NOT_FOUND') as string })
  })

  test.each([
    ['serve', ['--port', '0', '--grpc-port', '0']],
    ['mock', ['--grpc-port', '0']],
    ['proxy', ['AGENT', '--port', '0', '--grpc-port', '0']],
  ])('parley %s prints a line that works as pasted', async (command, flags) => {
    const args = [PARLEY_ENTRY, command, ...flags.map((flag) => (flag === 'AGENT' ? agent : flag))]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
    const left = once(child, 'exit')
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    while (!printed.includes('Ctrl-C')) await once(child.stdout, 'data')
    const line = /^.*?(grpcurl .*)$/m.exec(printed)?.[1] ?? ''
    const { stdout } = await run('sh', ['-c', line.replace(/^grpcurl/, GRPCURL)])
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual([expect.stringMatching(/^(task|message)$/)])
    child.kill('SIGTERM')
    await left
  })
})
