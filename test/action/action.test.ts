// The composite action, its shell step run as GitHub runs it: inputs as environment variables, results in files.

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

interface Action {
  inputs: Record<string, { default?: string; required?: boolean; description: string }>
  outputs: Record<string, { value: string; description: string }>
  runs: { using: string; steps: { id: string; shell: string; env: Record<string, string>; run: string }[] }
}

const ROOT = join(import.meta.dirname, '..', '..')
const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action
const PARLEY = `${process.execPath} ${join(ROOT, 'test/support/parley.ts')}`

let folder: string
let agent: ListeningPeer

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-action-'))
  agent = await startTinyAgent()
})
afterEach(async () => {
  await rm(folder, { recursive: true })
  await agent.close()
})

/** What GitHub puts for ${{ inputs.x }}. */
function filled(template: string, inputs: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => {
    const input = action.inputs[name]
    if (input === undefined) throw new Error(`there is no input ${name}`)
    return inputs[name] ?? input.default ?? ''
  })
}

async function use(inputs: Readonly<Record<string, string>>) {
  const [step] = action.runs.steps
  if (step === undefined) throw new Error('no step')
  const files = { GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary') }
  for (const file of Object.values(files)) await writeFile(file, '')
  const env = Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, filled(value, inputs)]))
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
    cwd: folder,
    env: { ...process.env, ...env, ...files, PARLEY },
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

describe('the action', () => {
  test('is composite, and every output comes from the step', () => {
    expect(action.runs.using).toBe('composite')
    for (const [name, { value }] of Object.entries(action.outputs))
      expect(value).toBe(`\${{ steps.test.outputs.${name} }}`)
  })

  test('never puts an input into the text of the script', () => {
    expect(action.runs.steps.map(({ run }) => run).join()).not.toContain('${{')
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
    for (const file of ['report.json', 'report.xml', 'report.md'])
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
})
