// Every command of the operator's guide works as pasted: its blocks are taken from the page and run in order, with other ports, this
// database and the command line from source.

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../servers/child-server.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { startPostgres } from '../servers/start-postgres.ts'
import { type Collector, startCollector } from '../support/collector.ts'
import { PARLEY_ENTRY } from '../support/parley-command.ts'

const ROOT = join(import.meta.dirname, '../..')
const GUIDE = readFileSync(join(ROOT, 'docs/operate-the-server.md'), 'utf8')
const PARLEY = `"${process.execPath}" "${PARLEY_ENTRY}"`
const SLOW = { timeout: 120_000 }

interface Block {
  heading: string
  language: string
  text: string
}

const BLOCKS: readonly Block[] = [...GUIDE.matchAll(/^```(\w*)\n(.*?)^```/gms)].map((found) => ({
  heading:
    GUIDE.slice(0, found.index)
      .match(/^##+ .*$/gm)
      ?.at(-1)
      ?.replace(/^#+ /, '') ?? '',
  language: found[1] ?? '',
  text: found[2] ?? '',
}))
const SHELL = BLOCKS.filter(({ language }) => language === 'sh')
const ran = new Set<Block>()

let folder: string
let collector: Collector
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-guide-'))
  // What `npm install` would bring.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  collector = await startCollector()
})
afterAll(async () => {
  await collector.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs the one block below a heading. */
async function run(heading: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const blocks = SHELL.filter((block) => block.heading === heading)
  expect(blocks.length, heading).toBe(1)
  const [block = { text: '' }] = blocks
  ran.add(block as Block)
  let script = block.text.replaceAll('npx a2a-parley', PARLEY)
  const ports = new Map<string, number>()
  for (const port of ['9001', '9002', '9443']) ports.set(port, await freePort())
  script = script.replaceAll(/\b(?:9001|9002|9443)\b/g, (port) => String(ports.get(port)))
  // Job control by %1 is what an interactive shell has.
  const options = { cwd: folder, env: { ...process.env, NO_COLOR: '1', ...env } }
  return (
    await promisify(execFile)(
      'bash',
      ['-ec', `set -m\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${script}`],
      options,
    )
  ).stdout
}

test('how do I start it', SLOW, async () => {
  const printed = await run('How do I start it?')
  expect(printed).toContain('completed · task ')
  expect(printed).toMatch(/Hello,\s+Ada\s+!/)
})

test('how do I know it is well', SLOW, async () => {
  const printed = await run('How do I know it is well?')
  expect(printed).toContain('{"status":"ready"}')
  expect(printed).toContain('parley_store_up 1')
  expect(printed).toMatch(/ passed, 0 failed/)
})

test('traces', SLOW, async () => {
  const [block] = BLOCKS.filter(({ heading, language }) => heading === 'Traces' && language === 'js')
  writeFileSync(join(folder, 'tracing.mjs'), block?.text ?? '')
  expect(await run('Traces', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })).toContain('Echo: hello')
  // Stopping sends what the processor has gathered.
  const [span] = await collector.until(({ kind, name }) => kind === 'server' && name === 'SendMessage')
  expect(span?.attributes).toMatchObject({ 'gen_ai.agent.name': 'Echo Agent' })
})

test('what do I do when it is not', SLOW, async () => {
  expect(await run('What do I do when it is not?')).toContain('{"status":"ready"}')
})

test('how do I grow it', SLOW, async () => {
  expect(await run('How do I grow it?')).toMatch(/200/)
})

describeWithServer('PostgreSQL', 'on PostgreSQL', () => {
  test('two replicas', SLOW, async () => {
    const server = await startPostgres()
    try {
      const printed = await run('Two replicas', { PARLEY_STORE: server.url })
      const states = [...printed.matchAll(/"state":"(TASK_STATE_[A-Z_]+)"/g)].map(([, state]) => state)
      expect(states).toHaveLength(3)
      expect(states[0]).toMatch(/SUBMITTED|WORKING/)
      expect(states.slice(1)).toEqual(['TASK_STATE_CANCELED', 'TASK_STATE_CANCELED'])
    } finally {
      await server.stop()
    }
  })
})

describeWithServer('OpenSSL 3', 'with OpenSSL', () => {
  test('TLS', SLOW, async () => {
    const printed = await run('TLS')
    expect(printed).toContain('"mtlsSecurityScheme"')
    expect(printed).toContain('[task-lifecycle] Processed: task-lifecycle')
  })
})

test('no block was forgotten, and blocks without a language show no command', () => {
  const headings = ['Two replicas', 'TLS']
  const left = SHELL.filter((block) => !ran.has(block) && !headings.includes(block.heading))
  expect(left.map(({ heading }) => heading)).toEqual([])
  expect(BLOCKS.filter(({ language }) => !['sh', 'js', 'nginx'].includes(language))).toEqual([])
})
