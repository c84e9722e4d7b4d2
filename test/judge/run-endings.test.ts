// Every way a run can end, as a process: exit code, what is printed, what is left on disk.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { area, check } from '../../src/judge/checks/check.ts'
import { type ConformanceReport, certify } from '../../src/judge/index.ts'
import type { ListeningPeer } from '../peers/listen.ts'
import { startScriptedServer } from '../peers/scripted-server.ts'
import { runParley, startParleyProcess } from '../support/parley-process.ts'
import { startTinyAgent } from './tiny-agent.ts'

let folder: string
let agent: ListeningPeer

beforeAll(async () => {
  agent = await startTinyAgent()
})
afterAll(() => agent.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-endings-'))
})
afterEach(() => rm(folder, { recursive: true }))

const parley = (...args: string[]) => runParley(['test', ...args, '-q'], { cwd: folder })

async function reportOf(file = 'parley-report.json'): Promise<ConformanceReport> {
  return JSON.parse(await readFile(join(folder, file), 'utf8')) as ConformanceReport
}

describe('exit codes', () => {
  test('0 when what was asked for holds', async () => {
    expect((await parley(agent.url, '--only', 'get-task-unknown')).code).toBe(0)
  })

  test('1 when a requirement is broken', async () => {
    const run = await parley(agent.url, '--only', 'cancel-unknown')
    expect(run.code).toBe(1)
    expect(run.stdout).toContain('--only cancel-unknown')
  })

  test('2 for an unknown check, with the one that was meant', async () => {
    const run = await parley(agent.url, '--only', 'get-task-unknwon')
    expect(run.code).toBe(2)
    expect(run.stderr).toContain("Did you mean 'get-task-unknown'?")
  })

  test('3 when nothing listens', async () => {
    const run = await parley('http://127.0.0.1:9')
    expect(run.code).toBe(3)
    expect(run.stdout).toMatch(/Fix:/)
  })

  test('4 when credentials are missing', async () => {
    const locked = await startScriptedServer((_, response) => response.writeHead(401).end())
    const run = await parley(locked.url)
    await locked.close()
    expect(run.code).toBe(4)
    expect(run.stdout).toContain('--bearer')
  })

  test('5 when it never answers', async () => {
    const silent = await startScriptedServer(() => {})
    const run = await parley(silent.url, '--timeout', '300ms')
    await silent.close()
    expect(run.code).toBe(5)
  })

  test('10 when no check matches', async () => {
    const run = await parley(agent.url, '--only', 'push-delivery')
    expect(run.code).toBe(10)
  })

  test('2 when a skill or a check of the baseline does not exist', async () => {
    const skill = await parley(agent.url, '--skills', 'nope')
    expect([skill.code, skill.stderr]).toEqual([2, expect.stringContaining("The card has no skill 'nope'")])
    await writeFile(join(folder, 'typo.yaml'), 'known: [{ check: card-availabel, reason: later }]')
    const typo = await parley(agent.url, '--baseline', 'typo.yaml')
    expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining("did you mean 'card-available'?")])
  })

  test('10 when the card does not offer the generation asked for', async () => {
    const run = await parley(agent.url, '--a2a-version', '0.3', '--transport', 'rest')
    expect(run.code).toBe(10)
    expect(run.stdout).toMatch(/--a2a-version/)
  })

  test('10 when the generation forced by flag is neither spoken nor declared', async () => {
    const run = await parley(agent.url, '--a2a-version', '0.3')
    expect(run.code).toBe(10)
    expect(run.stdout).toMatch(/does not know the method of that protocol version/)
    expect(run.stdout).toContain('The card says 1.0: drop --a2a-version.')
  })

  test('1 when there is no card but something else', async () => {
    const page = await startScriptedServer((_, response) => response.end('<html>hello</html>'))
    const run = await parley(page.url)
    await page.close()
    expect(run.code).toBe(1)
    expect(run.stdout).toMatch(/No agent card was found/)
  })

  test('70 when the harness cannot be trusted', async () => {
    const broken = check('our-bug', 'MUST not happen', { proves: ['get-task-not-found'], fix: 'none' }, () => {
      throw new TypeError('ours')
    })
    const checks = area({ name: 'ours', category: 'lifecycle', phase: 2 }, [broken])
    const report = await certify(agent.url, { checks })
    expect(report).toMatchObject({ exitCode: 70, verdicts: { 'harness-error': 1 } })
  })
})

describe('reports', () => {
  test('that cannot be written go to stdout, with the same exit code', async () => {
    await writeFile(join(folder, 'taken'), '')
    const run = await parley(agent.url, '--only', 'cancel-unknown', '--format', 'junit:taken/out.xml')
    expect(run.code).toBe(1)
    expect(run.stderr).toMatch(/could not be written/)
    const [json = ''] = run.stdout.split('\n')
    expect(JSON.parse(json)).toMatchObject({ summary: { failed: 1 }, conformanceLevel: expect.any(String) })
  })

  test('of an interrupted run say so', async () => {
    const silent = await startTinyAgent({
      intercept: (_, __, body) => body.includes('"parts"'),
    })
    const child = startParleyProcess(['test', silent.url, '--timeout', '30s'], { cwd: folder })
    await child.stderrMatching(/creates tasks/)
    child.kill('SIGINT')
    const { code, stdout } = await child.finished
    await silent.close()
    expect(code).toBe(130)
    expect(stdout).toContain('incomplete: interrupted')
    expect(await reportOf()).toMatchObject({
      complete: false,
      incompleteReason: 'interrupted',
      exitCode: 130,
      conformanceLevel: 'not determined',
    })
  })

  test('of a run that reached its deadline say so', async () => {
    const silent = await startTinyAgent({ intercept: (_, __, body) => body.includes('"parts"') })
    const run = await parley(silent.url, '--deadline', '1s')
    await silent.close()
    expect(run.stdout).toContain('the deadline of the run was reached')
    expect(await reportOf()).toMatchObject({ complete: false, exitCode: run.code, conformanceLevel: 'not determined' })
  })
})

describe('the baseline', () => {
  const only = ['--only', 'cancel-unknown', '--only', 'get-task-unknown']

  test('is written by --update-baseline, and excuses what it lists', async () => {
    expect((await parley(agent.url, ...only, '--baseline', 'b.yaml', '--update-baseline')).code).toBe(0)
    expect(await readFile(join(folder, 'b.yaml'), 'utf8')).toContain('check: cancel-unknown@1.0/jsonrpc')
    const run = await parley(agent.url, ...only, '--baseline', 'b.yaml')
    expect(run.code).toBe(0)
    expect(run.stdout).toContain('1 known')
  })

  test('keeps the reasons it already has', async () => {
    await writeFile(join(folder, 'b.yaml'), 'known:\n  - check: cancel-unknown\n    reason: being repaired\n')
    await parley(agent.url, ...only, '--baseline', 'b.yaml', '--update-baseline')
    expect(await readFile(join(folder, 'b.yaml'), 'utf8')).toContain('reason: being repaired')
  })

  test('that lists what passes is stale: 11', async () => {
    const entries = ['cancel-unknown', 'get-task-unknown'].map((id) => `  - check: ${id}\n    reason: old\n`)
    await writeFile(join(folder, 'b.yaml'), `known:\n${entries.join('')}`)
    const run = await parley(agent.url, ...only, '--baseline', 'b.yaml')
    expect(run.code).toBe(11)
    expect(run.stdout).toContain('get-task-unknown')
  })

  test('that cannot be read names file, line and key', async () => {
    await writeFile(join(folder, 'b.yaml'), 'known:\n  - check: cancel-unknown\n    reson: typo\n')
    const run = await parley(agent.url, ...only, '--baseline', 'b.yaml')
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/b\.yaml:3.*reson/s)
    expect(run.stderr).toContain('reason')
  })

  test('that does not exist is an error', async () => {
    const run = await parley(agent.url, ...only, '--baseline', 'absent.yaml')
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('absent.yaml')
  })
})

test('a check that takes longer than it may is not measured, whatever it would have asked next', async () => {
  const patient = check(
    'patient',
    'MUST be asked after a long wait',
    { proves: ['get-task-not-found'], fix: '-' },
    async (t) => {
      const hook = await t.webhook()
      await hook.until(() => false, 250)
      t.expectError(await t.call('getTask', { id: t.unusedId() }), 'TaskNotFound')
    },
  )
  const checks = area({ name: 'get-task', category: 'lifecycle', phase: 2 }, [patient])
  const { categories } = await certify(agent.url, { checks, timeoutMs: 100 })
  const [result] = Object.values(categories).flat()
  expect(result).toMatchObject({ verdict: 'not-measured', message: 'the check exceeded its time limit' })
})
