// The official Go client over gRPC uses a server of ours. It is built by interop/; where it is not, the test is skipped and
// says so.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SPEC_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import { type A2AServer, createServer } from '../../src/server/index.ts'

const CLIENT = join(import.meta.dirname, '..', '..', 'interop', '.build', 'go-sdk-2', 'client')
const isBuilt = existsSync(CLIENT)
if (!isBuilt) console.warn('SKIPPED: go-sdk-2 is not built; npm run interop -- go-sdk-2 builds it.')

let server: A2AServer
beforeAll(async () => {
  server = createServer({ card: SPEC_CARD, agent: specAgent, grpc: true })
  await server.listen()
})
afterAll(() => server.close({ graceMs: 0 }))

test.skipIf(!isBuilt)('it sends, reads, streams and knows the error', { timeout: 60_000 }, async () => {
  const { stdout } = await promisify(execFile)(CLIENT, [`127.0.0.1:${server.grpc[0]?.port}`])
  expect(stdout.trim().split('\n')).toEqual([
    'sent TASK_STATE_COMPLETED',
    'read TASK_STATE_COMPLETED',
    'streamed *a2a.Task',
    'streamed *a2a.TaskStatusUpdateEvent',
    'streamed *a2a.TaskArtifactUpdateEvent',
    'streamed *a2a.TaskStatusUpdateEvent',
    'refused true',
  ])
})
