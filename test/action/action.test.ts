// The composite action, its shell step run as GitHub runs it: inputs as environment variables, results in files. Its other step,
// which installs Parley, is where ../e2e/package.test.ts gets its package from.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startTinyAgent } from '../judge/tiny-agent.ts'
import type { ListeningPeer } from '../peers/listen.ts'
import { PARLEY_ENTRY } from '../support/parley-command.ts'

interface Action {
  inputs: Record<string, { default?: string; required?: boolean; description: string }>
  outputs: Record<string, { value: string; description: string }>
  runs: {
    using: string
    steps: { id?: string; uses?: string; if?: string; env?: Record<string, string>; run?: string }[]
  }
}

const ROOT = join(import.meta.dirname, '..', '..')
const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action

let folder: string
let agent: ListeningPeer
let bin: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-action-'))
  agent = await startTinyAgent()
  bin = join(folder, 'parley')
  await writeFile(bin, `#!/bin/sh\nexec "${process.execPath}" "${PARLEY_ENTRY}" "$@"\n`, {
    mode: 0o755,
  })
})
afterEach(async () => {
  await rm(folder, { recursive: true })
  await agent.close()
})

function stepOf(id: string) {
  const step = action.runs.steps.find((one) => one.id === id)
  if (step === undefined) throw new Error(`no step ${id}`)
  return step
}

/** What GitHub puts for ${{ inputs.x }}. */
function filled(template: string, inputs: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => {
    const input = action.inputs[name]
    if (input === undefined) throw new Error(`there is no input ${name}`)
    return inputs[name] ?? input.default ?? ''
  })
}

async function use(inputs: Readonly<Record<string, string>>) {
  const step = stepOf('test')
  const files = { GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary') }
  for (const file of Object.values(files)) await writeFile(file, '')
  const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value, inputs)]))
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run ?? ''], {
    cwd: folder,
    env: { ...process.env, ...env, ...files, GITHUB_ACTION_PATH: ROOT, PARLEY_BIN: bin },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      log += chunk.toString()
    })
  const [code] = (await once(child, 'close')) as [number]
  const lines = (await readFile(files.GITHUB_OUTPUT, 'utf8')).trim().split('\n')
  const outputs = Object.fromEntries(lines.map((line) => line.split('=')))
  return { code, log, outputs, summary: await readFile(files.GITHUB_STEP_SUMMARY, 'utf8') }
}

describe('the action', { timeout: 90_000 }, () => {
  test('is composite, and every output comes from the step', () => {
    expect(action.runs.using).toBe('composite')
    for (const [name, { value }] of Object.entries(action.outputs))
      expect(value).toBe(`\${{ steps.test.outputs.${name} }}`)
  })

  test('never puts an input into the text of the script', () => {
    expect(action.runs.steps.map(({ run }) => run ?? '').join()).not.toContain('${{')
  })

  test('passes, with outputs, reports and a summary', async () => {
    const { code, outputs, summary } = await use({
      agent: agent.url,
      args: '--only get-task-unknown --only send-result',
    })
    expect(code).toBe(0)
    expect(outputs).toMatchObject({ verdict: 'pass', 'exit-code': '0', report: 'parley-report/report.json' })
    expect(outputs.level).toBe('not determined')
    expect(summary).toContain('## A2A conformance')
    for (const file of ['report.json', 'report.xml', 'report.md', 'report.html'])
      expect(existsSync(join(folder, 'parley-report', file))).toBe(true)
  })

  test('fails the step when a requirement is broken', async () => {
    const { code, outputs, summary } = await use({ agent: agent.url, args: '--only cancel-unknown' })
    expect(code).toBe(1)
    expect(outputs.verdict).toBe('fail')
    expect(summary).toContain('### Failed Tests')
  })

  test('only reports when asked', async () => {
    const inputs = { agent: agent.url, args: '--only cancel-unknown', 'fail-on-verdict': 'false' }
    const { code, outputs } = await use(inputs)
    expect(code).toBe(0)
    expect(outputs).toMatchObject({ verdict: 'fail', 'exit-code': '1' })
  })

  test('hands tokens over without showing them, and runs nothing an input says', async () => {
    const inputs = { agent: agent.url, bearer: 'canary-token', args: '--only get-task-unknown; touch injected' }
    const { log, summary } = await use(inputs)
    expect(`${log}${summary}`).not.toContain('canary')
    expect(existsSync(join(folder, 'injected'))).toBe(false)
  })

  test("a command that is wrong is not the agent's fault, and fails the step even when it only reports", async () => {
    for (const args of ['--no-such-flag', "-H 'X-Key: open"]) {
      const { code, outputs, log } = await use({ agent: agent.url, args, 'fail-on-verdict': 'false' })
      expect([code, outputs.verdict, outputs.report]).toEqual([2, 'error', ''])
      expect(log).toContain('::error::Parley could not run')
    }
    await writeFile(bin, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const { code, outputs } = await use({ agent: agent.url })
    expect([code, outputs.verdict, outputs.report]).toEqual([1, 'error', ''])
  })

  test('an agent that is not there is inconclusive', async () => {
    const { code, outputs } = await use({ agent: 'http://127.0.0.1:9' })
    expect([code, outputs.verdict]).toEqual([3, 'inconclusive'])
  })

  test('takes arguments quoted as in a shell, and annotates', async () => {
    const args = `--only cancel-unknown -H 'X-Key: a b' -H "X-Other: c 'd'"`
    const { outputs, log } = await use({ agent: agent.url, args })
    expect(outputs.verdict).toBe('fail')
    expect(log).toMatch(/^::error/m)
  })

  test('sets up Node, and uploads the reports whatever came', () => {
    expect(action.runs.steps.map(({ uses }) => uses).filter(Boolean)).toEqual([
      'actions/setup-node@v4',
      'actions/upload-artifact@v4',
    ])
    expect(action.runs.steps.at(-1)?.if).toContain('always()')
  })
})
