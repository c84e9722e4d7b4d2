// The guides of the library do what they show: every block of TypeScript is run as a program of its own, against the
// reference agents where it calls one.

import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SPEC_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Inside the package, so that it finds itself by name. */
const folder = mkdtempSync(join(import.meta.dirname, '.guide-'))
let server: A2AServer
let host: string

beforeAll(async () => {
  if (!existsSync(join(ROOT, 'dist/index.js'))) execFileSync('npm', ['run', 'build'], { cwd: ROOT })
  server = createServer({ agents: [{ path: '/spec', card: SPEC_CARD, agent: specAgent }] })
  const { port } = await server.listen({ port: 0 })
  host = `localhost:${port}`
}, 120_000)
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const blocks = ['library-client.md', 'library-server.md', 'mock-an-agent.md'].flatMap((guide) => {
  const text = readFileSync(join(ROOT, 'docs', guide), 'utf8')
  const found = [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code)
  // What is part of a test file is run by the test of that guide.
  return found.filter((code) => !code.includes('test(')).map((code, at) => ({ name: `${guide} ${at + 1}`, code }))
})

test('there are blocks to run', () => {
  expect(blocks.length).toBeGreaterThan(6)
})

test.each(blocks)('$name runs', { timeout: 60_000 }, async ({ name, code }) => {
  const file = join(folder, `${name.replaceAll(/\W/g, '-')}.ts`)
  const own = code.replaceAll('localhost:9999', host).replace('port: 3000', 'port: 0')
  // A server that is shown without its end would run for ever.
  const end = own.includes('server.listen') && !own.includes('server.close') ? '\nawait server.close()\n' : ''
  writeFileSync(file, own + end)
  await promisify(execFile)(process.execPath, [file], { cwd: folder })
})
