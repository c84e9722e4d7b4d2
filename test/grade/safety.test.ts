// What a graded command may do to the machine: no shell, an environment without secrets, a time limit for everything it
// started, and a report without its credentials.

import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { commandClient } from '../../src/grade/clients/command-client.ts'
import { gradeResult } from '../../src/grade/grade-run.ts'
import type { Assignment, ClientExit } from '../../src/grade/graded-client.ts'
import { SCENARIOS } from '../../src/grade/scenarios/all.ts'

const SECRET = 'PARLEY_TEST_SECRET_OF_THE_USER'
const assignment: Assignment = {
  ...{ scenario: 'none', url: 'http://127.0.0.1:9', cardUrl: 'http://127.0.0.1:9/card' },
  ...{ surface: { version: '1.0', binding: 'jsonrpc' }, intent: { do: 'card' } },
}
const never = new AbortController().signal

function run(
  script: string,
  passed: readonly string[] = [],
  timeoutMs = 20_000,
  ...words: string[]
): Promise<ClientExit> {
  const client = commandClient([process.execPath, '--input-type=module', '-e', script, ...words], { passed })
  return client.run(assignment, timeoutMs, never)
}

afterEach(() => {
  delete process.env[SECRET]
})

test('the environment is clean, but for what is named', async () => {
  process.env[SECRET] = 'canary'
  const print = 'console.log(Object.keys(process.env).join(" "))'
  expect((await run(print)).stdout).not.toContain(SECRET)
  expect((await run(print)).stdout).toContain('PARLEY_INTENT')
  expect((await run(print, [SECRET])).stdout).toContain(SECRET)
})

test('no shell reads the words', async () => {
  const { stdout } = await run('console.log(process.argv[1])', [], 20_000, '$(echo read); `echo it` && exit 7')
  expect(stdout).toContain('$(echo read); `echo it` && exit 7')
})

test('what a client started ends with it', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const connected = once(server, 'connection') as Promise<[Socket]>
  // A child that ignores signals, and holds a connection as long as it lives.
  const child = `process.on('SIGTERM', () => {}); require('node:net').connect(${port}, '127.0.0.1'); setInterval(() => {}, 1e6)`
  const script = `import { spawn } from 'node:child_process'
spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'ignore' })
setInterval(() => {}, 1e6)`
  const stop = new AbortController()
  const client = commandClient([process.execPath, '--input-type=module', '-e', script])
  const ended = client.run(assignment, 60_000, stop.signal)
  const [socket] = await connected
  socket.resume().on('error', () => {})
  stop.abort()
  await once(socket, 'close')
  expect((await ended).signal).toBe('SIGKILL')
  server.close()
})

test('a report shows no credentials that a client printed', () => {
  const [scenario] = SCENARIOS
  const [claim] = scenario?.claims ?? []
  if (scenario === undefined || claim === undefined) throw new Error('There are no scenarios.')
  const exit: ClientExit = {
    ...{ code: 1, isTimeout: false, durationMs: 1, outcome: undefined, stdout: '' },
    stderr: 'failed with Authorization: Bearer abcdefghijklmnop1234567890',
  }
  const { surface } = assignment
  const result = gradeResult(
    { scenario, claim, surface, verdict: 'fail', message: 'no', calls: [], exit, durationMs: 1 },
    false,
  )
  expect(result.notes?.join('\n')).toContain('it printed: failed with')
  expect(JSON.stringify(result)).not.toContain('abcdefghijklmnop1234567890')
})
