// The official Python clients of both generations find and use a server made with the defaults. They run in the virtual
// environments of interop/; where those are not built, the tests are skipped and say so.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type A2AServer, createServer } from '../../src/server/index.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const CLIENTS = [
  { sdk: 'python-sdk-1', program: 'python-client-1.py', state: 'TASK_STATE_COMPLETED' },
  { sdk: 'python-sdk-0.3', program: 'python-client-0.3.py', state: 'completed' },
].map((client) => {
  const python = join(ROOT, 'interop', '.build', client.sdk, 'venv', 'bin', 'python')
  return { ...client, python, isBuilt: existsSync(python) }
})

let server: A2AServer
let url: string

beforeAll(async () => {
  server = createServer({
    card: {
      ...{ name: 'Default', description: 'Made with the defaults.', version: '1', capabilities: { streaming: true } },
      ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
      skills: [{ id: 's', name: 's', description: 's', tags: ['s'] }],
    },
    grpc: true,
    async agent(_, context) {
      await context.artifact({ parts: [{ text: 'made' }] })
      await context.complete('done')
    },
  })
  ;({ url } = await server.listen())
})

afterAll(() => server.close({ graceMs: 0 }))

for (const { sdk, isBuilt } of CLIENTS) {
  if (!isBuilt) console.warn(`SKIPPED: ${sdk} is not installed; npm run interop -- ${sdk} builds it.`)
}

describe.each(CLIENTS)('$sdk', ({ python, program, state, isBuilt }) => {
  test.skipIf(!isBuilt)('finds the card and completes a task', { timeout: 60_000 }, async () => {
    const { stdout } = await promisify(execFile)(python, [join(ROOT, 'test', 'peers', program), url])
    expect(stdout.trim().split('\n').at(-1)).toBe(state)
  })
})

describe('python-sdk-1 over gRPC', () => {
  const [{ python, isBuilt } = { python: '', isBuilt: false }] = CLIENTS
  test.skipIf(!isBuilt)('sends, reads, streams and knows the error', { timeout: 60_000 }, async () => {
    const program = join(ROOT, 'test', 'peers', 'python-grpc-client.py')
    const { stdout } = await promisify(execFile)(python, [program, url])
    expect(stdout.trim().split('\n')).toEqual([
      'sent TASK_STATE_COMPLETED',
      'read TASK_STATE_COMPLETED made',
      expect.stringMatching(/^streamed task .*artifact_update.*status_update$/),
      'refused TaskNotFoundError',
    ])
  })
})
