// `parley serve` as a process: what survives kill -9, how it stops, what it says when it cannot start.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { A2AClient } from '../../src/client/a2a-client.ts'
import type { SendMessageRequest } from '../../src/model/operation.ts'
import type { Task } from '../../src/model/task.ts'
import { textOf } from '../../src/model/task.ts'
import { PARLEY_ENTRY } from '../support/parley-command.ts'
import { runParley, startParley } from '../support/parley-process.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-serve-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function say(text: string): SendMessageRequest {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] } }
}

async function startTask(client: A2AClient, text: string, returnImmediately: boolean): Promise<Task> {
  const result = await client.sendMessage({ ...say(text), configuration: { returnImmediately } })
  if ('message' in result) throw new Error('expected a task')
  return result.task
}

describe('kill -9', () => {
  test('finished and waiting tasks are as they were; running ones have failed and say why', async () => {
    const store = `sqlite:${join(folder, 'tasks.db')}`
    const before = await startParley(['serve', '--store', store])
    using client = await A2AClient.connect(`${before.url}/spec`)
    const done = await startTask(client, 'task-lifecycle keep me', false)
    const waiting = await startTask(client, 'multi-turn keep me', false)
    const running = await startTask(client, 'task-cancel lose me', true)
    await before.stop('SIGKILL')

    const after = await startParley(['serve', '--store', store])
    using again = await A2AClient.connect(`${after.url}/spec`)
    expect(await again.getTask({ id: done.id })).toEqual(done)
    expect(await again.getTask({ id: waiting.id })).toEqual(waiting)
    const failed = await again.getTask({ id: running.id })
    expect(failed.status.state).toBe('TASK_STATE_FAILED')
    expect(textOf(failed.status.message)).toContain('The server stopped while this task was running')
    expect((await again.listTasks({})).totalSize).toBe(3)
    await after.stop()
  })
})

describe('stopping', () => {
  test('SIGTERM ends open streams, then the process, with exit code 0', async () => {
    const server = await startParley(['serve'])
    using client = await A2AClient.connect(`${server.url}/spec`)
    const stream = client.streamMessage(say('task-cancel wait'))
    expect((await stream.next()).value).toMatchObject({ event: { task: {} } })
    const stopped = server.stop('SIGTERM')
    for await (const _ of stream) {
      // Whatever still comes; the point is that it ends.
    }
    expect((await stopped).code).toBe(0)
  })
})

describe('starting', () => {
  test('a port in use is named, exit code 1', async () => {
    const squatter = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => squatter.once('listening', resolve))
    const address = squatter.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { code, stderr } = await runParley(['serve', '--port', String(port)])
    squatter.close()
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `parley: Port ${port} is already in use (127.0.0.1:${port}); choose another port, or port 0 for any free one.\n`,
    })
  })

  test.each([
    ['an unknown flag is suggested', ['serve', '--prot', '1'], 2, /unknown option '--prot'.*Did you mean --port/s],
    ['an unknown command is suggested', ['serv'], 2, /unknown command 'serv'.*Did you mean serve/s],
    ['a port that is none', ['serve', '--port', 'http'], 2, /--port takes a whole number from 0 to 65535, not "http"/],
    ['a store that cannot be opened', ['serve', '--store', 'sqlite:/no/such/folder/x.db'], 1, /\/no\/such\/folder/],
    ['a store nobody knows', ['serve', '--store', 'mongo:x'], 2, /no store "mongo"/],
    ['a public URL that is none', ['serve', '--public-url', 'example'], 2, /--public-url takes an http or https URL/],
  ])('%s', async (_, args, code, text) => {
    const result = await runParley(args)
    expect(result.code).toBe(code)
    expect(result.stderr).toMatch(text)
    expect(result.stderr).not.toMatch(/\n\s+at /)
    expect(result.stdout).toBe('')
  })

  test('with -o json an error is one JSON document on stdout', async () => {
    const { code, stdout } = await runParley(['serve', '--store', 'mongo:x', '-o', 'json'])
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'unknown-store', message: expect.any(String) } })
  })

  test('flags come from the environment and the project file, in that order', async () => {
    const { writeFileSync } = await import('node:fs')
    writeFileSync(join(folder, 'parley.config.yaml'), 'serve:\n  store: mongo:file\n')
    expect((await runParley(['serve'], { cwd: folder })).stderr).toContain('no store "mongo"')
    const env = { PARLEY_STORE: 'couch:env' }
    expect((await runParley(['serve'], { cwd: folder, env })).stderr).toContain('no store "couch"')
    writeFileSync(join(folder, 'other.yaml'), 'serve:\n  store: couch:other\n')
    for (const words of [
      ['--config=other.yaml'],
      ['--config', 'other.yaml'],
      ['--config=none.yaml', '--config=other.yaml'],
    ])
      expect((await runParley(['serve', '--port', '0', ...words], { cwd: folder })).stderr).toContain('"couch"')
    expect((await runParley(['serve', '--config=none.yaml'], { cwd: folder })).stderr).toContain(
      'Cannot read the project file none.yaml',
    )
    writeFileSync(join(folder, 'parley.config.yaml'), 'serve:\n  stroe: memory\n')
    const { code, stderr } = await runParley(['serve'], { cwd: folder })
    expect(code).toBe(2)
    expect(stderr).toContain("parley.config.yaml:2:3: unknown option 'stroe' of serve; did you mean 'store'?")
  })
})

test('a reader that stops reading, as in `parley … | head -1`, is no error', () => {
  const piped = `"${process.execPath}" "${PARLEY_ENTRY}" serve --help 2>&1 >/dev/stdout | head -1; "${process.execPath}" "${PARLEY_ENTRY}" test --list -o json 2>"${folder}/err" | head -c 10`
  const { stdout } = spawnSync('sh', ['-c', piped], { encoding: 'utf8' })
  expect(stdout).toMatch(/^Examples:/)
  expect(readFileSync(join(folder, 'err'), 'utf8')).toBe('')
})
