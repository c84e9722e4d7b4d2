// `parley matrix` with small peers of our own: what works, whose bytes are wrong where it does not, and files and servers
// that are not right.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, test } from 'vitest'
import { matrixCommand } from '../../src/cli/matrix.ts'
import { EXIT } from '../../src/model/errors.ts'
import { runCommand } from '../peers/recorded-io.ts'

const MAIN = join(import.meta.dirname, '../support/parley.ts')
const folder = mkdtempSync(join(tmpdir(), 'parley-matrix-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function program(name: string, text: string): string[] {
  writeFileSync(join(folder, `${name}.mjs`), text)
  return [process.execPath, `${name}.mjs`]
}

/** An agent that answers every message with this, and prints its URL. */
const agent = (result: string) => `
import { createServer } from 'node:http'
process.stdin.resume().on('end', () => process.exit()) // It ends with the run, however that ends.
const server = createServer((req, res) => {
  const url = 'http://127.0.0.1:' + server.address().port
  const card = { name: 'small', description: 'small', version: '1', capabilities: {}, skills: [], defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'], supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] }
  res.setHeader('content-type', 'application/json')
  if (req.method === 'GET') return res.end(JSON.stringify(card))
  let body = ''
  req.on('data', (piece) => { body += piece })
  req.on('end', () => res.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, ${result} })))
}).listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port))
`
const MESSAGE = `result: { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hello' }] } }`

/** A client that sends this message, and ends well when a message comes back. */
const client = (message: string) => `
const card = await (await fetch(process.argv[2] + '/.well-known/agent-card.json')).json()
const params = { message: ${message} }
const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params })
const answer = await (await fetch(card.supportedInterfaces[0].url, { method: 'POST', headers, body })).json()
process.exit(answer.result?.message?.parts?.length === 1 ? 0 : 1)
`
const GOOD_MESSAGE = `{ messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] }`

const good = { server: program('good-server', agent(MESSAGE)), client: program('good-client', client(GOOD_MESSAGE)) }

let files = 0
function matrixFile(peers: { server?: string[]; client?: string[] }, more: object = {}): string {
  const file = join(folder, `matrix-${++files}.yaml`)
  const { server = good.server, client: calling = good.client } = peers
  const whole = {
    servers: [{ name: 'alpha', command: server }],
    clients: [{ name: 'beta', command: calling }],
    versions: ['1.0'],
    bindings: ['jsonrpc'],
    conversations: ['send'],
    ...more,
  }
  writeFileSync(file, JSON.stringify(whole))
  return file
}

const matrix = (...words: string[]) => runCommand(matrixCommand, words)

interface Found {
  results: { key: string; verdict: string; message?: string; pair: { blame?: string } }[]
}

async function found(file: string, ...words: string[]) {
  const { out, exitCode } = await matrix(file, '-o', 'json', ...words)
  return { exitCode, results: (JSON.parse(out) as Found).results }
}

describe('a pair', () => {
  test('that works passes', async () => {
    const { exitCode, results } = await found(matrixFile({}))
    expect(results).toMatchObject([{ key: 'beta→alpha send@1.0/jsonrpc', verdict: 'pass' }])
    expect(exitCode ?? EXIT.ok).toBe(EXIT.ok)
  })

  test.each([
    [
      'client',
      {
        client: program('no-parts', client(`{ messageId: 'm', role: 'ROLE_USER' }`)),
        server: program('picky', agent(`error: { code: -32602, message: 'no parts' }`)),
      },
    ],
    ['server', { server: program('no-role', agent(`result: { message: { parts: [] } }`)) }],
    ['both', { server: program('refuses', agent(`error: { code: -32004, message: 'not this' }`)) }],
    [
      'client',
      { client: program('gives-up', `await fetch(process.argv[2] + '/.well-known/agent-card.json'); process.exit(1)`) },
    ],
    ['harness', { client: program('does-nothing', 'process.exit(1)') }],
  ])('that does not work is the fault of %s', async (blame, peers) => {
    const { exitCode, results } = await found(matrixFile(peers))
    expect(results).toMatchObject([{ verdict: 'fail', pair: { blame } }])
    expect(exitCode).toBe(EXIT.failed)
  })

  test('that shares no interface is not tried', async () => {
    const { exitCode, results } = await found(matrixFile({}, { versions: ['0.3'] }))
    expect(results).toMatchObject([{ verdict: 'not-applicable' }])
    expect(exitCode).toBe(EXIT.inconclusive)
  })
})

describe('a known failure', () => {
  const refuses = program('refuses-known', agent(`error: { code: -32004, message: 'not this' }`))
  const known = [{ client: 'beta', server: 'alpha', conversation: 'send', reason: 'nobody needs it' }]

  test('does not count', async () => {
    const { exitCode, results } = await found(matrixFile({ server: refuses }, { known }))
    expect(results).toMatchObject([{ verdict: 'known' }])
    expect(exitCode ?? EXIT.ok).toBe(EXIT.ok)
  })

  test('that does not fail any more is stale', async () => {
    const { exitCode } = await found(matrixFile({}, { known }))
    expect(exitCode).toBe(EXIT.staleBaseline)
  })
})

test('a server that does not start fails its cells alone, with its last words', async () => {
  const dies = program('dies', `console.error('EADDRINUSE: the port is taken'); process.exit(3)`)
  const servers = [
    { name: 'alpha', command: dies },
    { name: 'gamma', command: good.server },
  ]
  const { exitCode, results } = await found(matrixFile({}, { servers }))
  expect(results).toMatchObject([
    { verdict: 'fail', message: expect.stringContaining('EADDRINUSE') as string, pair: { blame: 'server' } },
    { verdict: 'pass' },
  ])
  expect(exitCode).toBe(EXIT.failed)
})

test('a server whose port another has taken is not confused with it', async () => {
  const [node = '', file = ''] = good.server
  const other = spawn(node, [file], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] })
  const [line] = (await once(createInterface({ input: other.stdout }), 'line')) as [string]
  // It says where it would be, finds the port taken, and ends.
  const late = `import { createServer } from 'node:http'
console.log('${line}')
createServer().listen(${new URL(line).port}, '127.0.0.1')`
  const { results } = await found(
    matrixFile({ server: program('same-port', late) }, { conversations: ['card', 'send'] }),
  )
  other.kill()
  expect(results.at(-1)).toMatchObject({
    pair: { blame: 'server' },
    message: expect.stringContaining('EADDRINUSE') as string,
  })
})

test('a client that does not start fails its cells alone', async () => {
  const { results } = await found(matrixFile({ client: ['./there-is-no-such-program'] }))
  expect(results).toMatchObject([{ verdict: 'fail', pair: { blame: 'harness' } }])
})

test('a run goes on where another ended', async () => {
  const record = join(folder, 'first.jsonl')
  await matrix(matrixFile({}), '--format', `run:${record}`)
  // Nothing is asked again, so the client that fails now is not met.
  const { results } = await found(matrixFile({ client: program('fails-later', 'process.exit(1)') }), '--resume', record)
  expect(results).toMatchObject([{ verdict: 'pass' }])
})

test('a run that was killed goes on where it was', async () => {
  const asked: string[] = []
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  // Whoever is at its second conversation is left hanging, until the run is killed.
  const watch = createServer((req, res) => {
    const scenario = req.url?.slice(1) ?? ''
    asked.push(scenario)
    if (scenario === 'send' && asked.length === 2) reach()
    else res.end()
  })
  await new Promise<void>((resolve) => void watch.listen(0, '127.0.0.1', resolve))
  const place = `http://127.0.0.1:${(watch.address() as AddressInfo).port}/`
  const tells = `await fetch('${place}' + process.env.PARLEY_SCENARIO).catch(() => process.exit(1))\n`
  const file = matrixFile(
    { client: program('told', `${tells}${client(GOOD_MESSAGE)}`) },
    { conversations: ['card', 'send'] },
  )
  const record = join(folder, 'killed.jsonl')
  const run = spawn(process.execPath, [MAIN, 'matrix', file, '--format', `run:${record}`], { stdio: 'ignore' })
  await reached
  run.kill('SIGKILL')
  await once(run, 'exit')
  watch.closeAllConnections()
  const { results, exitCode } = await found(file, '--resume', record)
  watch.close()
  expect(asked).toEqual(['card', 'send', 'send'])
  expect(results.map(({ key, verdict }) => [key, verdict])).toEqual([
    ['beta→alpha card@1.0/jsonrpc', 'pass'],
    ['beta→alpha send@1.0/jsonrpc', 'pass'],
  ])
  expect(exitCode ?? EXIT.ok).toBe(EXIT.ok)
})

test('badges and the table for a README count what worked with others', async () => {
  const badges = join(folder, 'badges')
  const clients = [
    { name: 'beta', command: good.client },
    { name: 'alpha', command: good.client },
  ]
  const page = join(folder, 'matrix.md')
  await matrix(matrixFile({}, { clients }), '--badges', badges, '--format', `markdown:${page}`)
  expect(readdirSync(badges).sort()).toEqual(['alpha.svg', 'beta.svg'])
  expect(readFileSync(join(badges, 'alpha.svg'), 'utf8')).toContain('A2A interop alpha: 1/1')
  const table = readFileSync(page, 'utf8')
  expect(table).toContain('| **beta** | 1/1 |')
  expect(table).toContain('| **alpha** | *1/1* |')
})

describe('is refused in one sentence:', () => {
  test('a key that nobody knows', async () => {
    await expect(matrix(matrixFile({}, { colour: 'blue' }))).rejects.toThrow(/colour/)
  })

  test('two servers at one address', async () => {
    const servers = ['alpha', 'gamma'].map((name) => ({ name, url: 'http://127.0.0.1:9' }))
    await expect(matrix(matrixFile({}, { servers }))).rejects.toThrow(/alpha and gamma have the same url/)
  })

  test('a pair that is not there, with what was meant', async () => {
    await expect(matrix(matrixFile({}), '--only', 'beta→alhpa')).rejects.toThrow(/alpha/)
  })

  test('nothing to do', async () => {
    const servers = [{ name: 'alpha', command: good.server, versions: ['0.3'] }]
    await expect(matrix(matrixFile({}, { servers }))).rejects.toMatchObject({ exitCode: EXIT.inconclusive })
  })
})
