import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSdk03Server } from '../../interop/js-sdk-0.3/agent.ts'
import { startSdk1Server } from '../../interop/js-sdk-1/agent.ts'
import type { ListeningPeer } from '../../test/peers/listen.ts'
import { runCommand } from '../../test/peers/recorded-io.ts'
import { type ScriptedServer, sendJson, startScriptedServer } from '../../test/peers/scripted-server.ts'
import { sendCommand } from './send.ts'

function send(args: string[], stdin?: string) {
  return runCommand(sendCommand, args, stdin)
}

describe('parley send to an agent', () => {
  let peer: ListeningPeer

  beforeAll(async () => {
    peer = await startSdk1Server()
  })
  afterAll(() => peer.close())

  test('prints the text of a message and nothing else on stdout', async () => {
    const { out, err, exitCode } = await send([peer.url, 'hello'])
    expect(out).toBe('hello\n')
    expect(err).toContain(`GET ${peer.url}/.well-known/agent-card.json: HTTP 200`)
    expect(exitCode).toBe(0)
  })

  test('is silent on stderr with -q', async () => {
    expect((await send([peer.url, '-q', 'hello'])).err).toBe('')
  })

  test('prints state, status and artifacts of a task', async () => {
    const { out } = await send([peer.url, 'task the work'])
    expect(out).toMatch(/^completed · task \S+ · context \S+\ndone\n\nresult:\nthe work\n$/)
  })

  test('prints one JSON document with -o json', async () => {
    const { out } = await send([peer.url, 'task x', '-o', 'json'])
    expect(JSON.parse(out)).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } })
  })

  test('prints chunks as they come with --stream', async () => {
    const { out } = await send([peer.url, '--stream', 'stream 2'])
    expect(out).toMatch(/^submitted · task \S+ · context \S+\nworking\nresult:\nchunk 1\nchunk 2\n\ncompleted\n$/)
  })

  test('prints JSON lines with --stream -o json', async () => {
    const { out } = await send([peer.url, '--stream', '-o', 'json', 'stream 1'])
    const kinds = out
      .trim()
      .split('\n')
      .map((line) => Object.keys(JSON.parse(line) as object)[0])
    expect(kinds).toEqual(['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate'])
  })

  test('says how to answer a question, and the answer completes the task', async () => {
    const asked = await send([peer.url, 'ask'])
    expect(asked.out).toContain('Which colour?')
    const taskId = /--task-id (\S+)/.exec(asked.err)?.[1] ?? ''
    expect((await send([peer.url, '--task-id', taskId, 'blue'])).out).toContain('You said blue')
  })

  test('a failed task is exit 1', async () => {
    expect((await send([peer.url, 'fail'])).exitCode).toBe(1)
  })

  test('--no-wait returns before the end', async () => {
    expect((await send([peer.url, '--no-wait', 'slow'])).out).toMatch(/^(submitted|working) · task/)
  })

  test('reads the text from standard input', async () => {
    expect((await send([peer.url, '-'], 'from a pipe\n')).out).toBe('from a pipe\n')
  })

  test('prints a curl command that does not contain the token', async () => {
    const { out } = await send([peer.url, '--curl', '--bearer', 'hunter2', 'hello'])
    expect(out).toContain(`'${peer.url}/jsonrpc'`)
    expect(out).toContain('A2A-Version: 1.0')
    expect(out).not.toContain('hunter2')
  })

  test('speaks the transport that was asked for', async () => {
    expect((await send([peer.url, '--transport', 'rest', 'hello'])).err).toContain('A2A 1.0 over rest')
  })
})

test('an older agent is spoken to in its own words', async () => {
  const peer = await startSdk03Server()
  try {
    const { out, err } = await send([peer.url, 'task x'])
    expect(out).toContain('completed')
    expect(err).toContain('A2A 0.3 over jsonrpc')
  } finally {
    await peer.close()
  }
})

describe('what is sent', () => {
  let server: ScriptedServer
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-'))
    server = await startScriptedServer(({ path, body }, res) => {
      if (path.endsWith('agent-card.json')) {
        const supportedInterfaces = [{ url: `${server.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]
        return sendJson(res, 200, { name: 'A', supportedInterfaces })
      }
      const { id } = JSON.parse(body) as { id: number }
      const parts = [{ text: '\u001b[31mred\u0007' }, { data: { n: 1 } }, { raw: 'AAAA', filename: 'a.bin' }]
      const message = { messageId: 'r', role: 'ROLE_AGENT', parts }
      sendJson(res, 200, { jsonrpc: '2.0', id, result: { message } })
    })
  })
  afterAll(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })

  test('text, files and data become parts; flags become configuration', async () => {
    const picture = join(folder, 'dot.PNG')
    const data = join(folder, 'data.json')
    await writeFile(picture, Buffer.from([1, 2, 3]))
    await writeFile(data, '[1,2]')
    await send(
      [server.url, 'look', '--file', picture, '--data', '{"a":1}', '--data', `@${data}`, '--message-id', 'm1']
        .concat(['--context-id', 'c1', '--metadata', '{"k":"v"}', '--history-length', '2', '--tenant', 'blue'])
        .concat(['--extension', 'https://a.example/x', '-H', 'X-Team: blue']),
    )
    const { body, headers } = server.received.at(-1) ?? { body: '{}', headers: {} }
    expect((JSON.parse(body) as { params: unknown }).params).toEqual({
      tenant: 'blue',
      message: {
        messageId: 'm1',
        role: 'ROLE_USER',
        contextId: 'c1',
        parts: [
          { text: 'look' },
          { raw: 'AQID', filename: 'dot.PNG', mediaType: 'image/png' },
          { data: { a: 1 }, mediaType: 'application/json' },
          { data: [1, 2], mediaType: 'application/json' },
        ],
      },
      configuration: { historyLength: 2 },
      metadata: { k: 'v' },
    })
    expect(headers).toMatchObject({ 'x-team': 'blue', 'a2a-extensions': 'https://a.example/x' })
  })

  test('an answer cannot control the terminal, and what is no text is described', async () => {
    const { out } = await send([server.url, 'hi'])
    expect(out).toBe('␛[31mred␇\n{\n  "n": 1\n}\n[file a.bin, 3 bytes]\n')
  })

  test.each([
    [[], 'nothing to send'],
    [['--data', '{oops', 'x'], 'Invalid JSON in --data'],
    [['--data', '{"a":1e400}', 'x'], 'it holds a number larger than 1.7976931348623157e308'],
    [['--metadata', '[1]', 'x'], '--metadata takes a JSON object'],
    [['--file', 'no-such-file', 'x'], 'no-such-file given with --file cannot be read'],
    [['--history-length', 'many', 'x'], '--history-length takes a whole number'],
    [['--timeout', '30', 'x'], 'takes a duration with its unit'],
  ])('%j is refused with a sentence before anything is sent', async (args, sentence) => {
    const before = server.received.length
    await expect(send([server.url, ...args])).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(sentence),
    })
    expect(server.received).toHaveLength(before)
  })
})
