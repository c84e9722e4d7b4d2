import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../test/peers/recorded-io.ts'
import { A2AClient } from '../client/a2a-client.ts'
import { createMockAgent, type MockAgent } from '../mock/index.ts'
import { readRecording } from '../trace/record.ts'
import type { CliIo } from './cli-io.ts'
import { proxyCommand } from './proxy.ts'

const SCRIPT = `
agent: { security: [{ bearer: t0p-s3cret }] }
rules: [{ id: ok, turns: [[{ status: working, text: Working. }, { artifact: { name: n, data: [1] } }, { complete: Done. }]] }]`

let folder: string
let mock: MockAgent

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-proxy-'))
  mock = await createMockAgent({ scriptText: SCRIPT }).start()
})
afterAll(async () => {
  await mock.stop()
  await rm(folder, { recursive: true })
})

/** Runs the command, lets the test talk to the proxy, and stops it. */
async function proxy(args: readonly string[], talk: (url: string) => Promise<void>) {
  const build = (io: CliIo) => {
    let started = ''
    const listening = Promise.withResolvers<string>()
    const watched: CliIo = {
      ...io,
      out(text) {
        io.out(text)
        started += text
        const [, url] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(started) ?? []
        if (url !== undefined) listening.resolve(url)
      },
    }
    return proxyCommand(watched, async () => talk(await listening.promise))
  }
  return runCommand(build, args)
}

function message(text: string) {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] } }
}

test('stands before an agent, records what is exchanged without the secret, and says what a translation loses', async () => {
  const file = join(folder, 'traffic.jsonl')
  const args = [mock.url, '--port', '0', '--bearer', 't0p-s3cret', '--record', file, '--translate', '0.3,1.0']
  const { out, err } = await proxy(args, async (url) => {
    using client = await A2AClient.connect(url, { versions: ['0.3'] })
    expect(await client.sendMessage(message('go'))).toMatchObject({
      task: { status: { state: 'TASK_STATE_COMPLETED' } },
    })
    for await (const _ of client.streamMessage(message('go')));
  })
  expect(out).toContain(`→  ${mock.url}  (ready)`)
  expect(err).toMatch(/lost to the caller \(sendMessage, 1\.0 → 0\.3\): \S+/)
  const recording = await readRecording(file)
  expect(recording.unfinished).toBeUndefined()
  expect(recording.exchanges.map(({ request }) => request.method)).toEqual(['GET', 'POST', 'POST'])
  expect(recording.exchanges[2]?.response?.frames?.length).toBeGreaterThan(2)
  expect(await readFile(file, 'utf8')).not.toContain('t0p-s3cret')
})

test('starts from a file, without its agent', async () => {
  const file = join(folder, 'proxy.yaml')
  await writeFile(
    file,
    'agents: [{ name: gone, url: "http://127.0.0.1:9" }]\nlisten: { port: 0 }\nartifacts: { store: off }\n',
  )
  const { out } = await proxy(['--config', file], async (url) => {
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })
  expect(out).toContain('not ready: ')
  expect(out).toContain('pass unchanged')
})

test.each([
  [[], 'Give an agent URL or --config'],
  [['a', '--config', 'b'], 'Give an agent URL or --config'],
  [['a', '--bearer', 'x', '--api-key', 'y'], 'not both'],
  [['a', '--port', 'x'], '--port takes a whole number'],
  [['--config', 'no-such-file.yaml'], 'cannot be read'],
])('%j is refused', async (args, message) => {
  await expect(proxy(args, async () => {})).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining(message),
  })
})
