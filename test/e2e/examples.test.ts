// The examples of the documentation, run as written: against the built package, in processes of their own.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { runParley } from '../support/parley-process.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const running: { kill(): void }[] = []

beforeAll(() => {
  // `npm ci` builds; a checkout that was only edited may not have.
  if (!existsSync(join(ROOT, 'dist/server/index.js'))) execFileSync('npm', ['run', 'build'], { cwd: ROOT })
})
afterEach(() => {
  for (const child of running.splice(0)) child.kill()
})

async function startExample(name: string): Promise<string> {
  const child = spawn(process.execPath, [join(ROOT, 'examples', name)], { stdio: ['ignore', 'pipe', 'inherit'] })
  running.push(child)
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^Listening on (\S+)$/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error(`${name} ended before it listened`)
}

test('server.ts counts words, asks for input, and streams', async () => {
  const url = await startExample('server.ts')
  const counted = await runParley(['send', url, 'one two two', '-o', 'json'])
  expect(JSON.parse(counted.stdout)).toMatchObject({
    task: {
      status: { state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: '3 words' }] } },
      artifacts: [{ parts: [{ data: { word: 'one', count: 1 } }] }, { parts: [{ data: { word: 'two', count: 2 } }] }],
    },
  })
  const asked = await runParley(['send', url, ' ', '-o', 'json'])
  expect(JSON.parse(asked.stdout)).toMatchObject({ task: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } })
})

test('mount.ts serves the agent beside ordinary pages', async () => {
  const url = await startExample('mount.ts')
  expect(await (await fetch(url)).text()).toBe('an ordinary page\n')
  expect((await runParley(['send', `${url}/agent`, 'hi'])).stdout).toBe('Hello!\n')
})

test('client.ts follows a task to its end', async () => {
  const url = await startExample('server.ts')
  const child = spawn(process.execPath, [join(ROOT, 'examples/client.ts'), url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  expect(output).toMatch(/^Word Counter speaks A2A 1\.0 over jsonrpc\ntask .*state TASK_STATE_COMPLETED\n$/s)
})

test('certify.ts judges an agent and tells how it went', async () => {
  const url = await startExample('server.ts')
  const child = spawn(process.execPath, [join(ROOT, 'examples/certify.ts'), url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  await once(child, 'close')
  expect(output).toMatch(/^judging A2A 1\.0 over jsonrpc at /)
  expect(output).toMatch(/^Word Counter is \w+: \d+ passed, 0 failed, \d+ skipped$/m)
}, 30_000)
