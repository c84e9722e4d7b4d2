// The run record as its users meet it: the same results as the JSON report, readable while it grows, and whole up to its
// last line when the process is killed.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConformanceReport } from '../../src/judge/index.ts'
import { reportOfRun } from '../../src/run/conformance-run.ts'
import { parseRecord } from '../../src/run/record-reader.ts'
import { runParley, type Serving, startParley, startParleyProcess } from '../support/parley-process.ts'

const CANARY = 'parley-canary-5f2c'

describe('a run record', { timeout: 60_000 }, () => {
  let agent: Serving
  let folder: string
  const file = (name: string) => join(folder, name)
  const stored = (name: string) => parseRecord(readFileSync(file(name), 'utf8'), name)

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-record-'))
    agent = await startParley(['serve'])
  })
  afterAll(async () => {
    await agent.stop()
    rmSync(folder, { recursive: true })
  })

  test('of checks holds what the JSON report says, byte for byte, and no secret', async () => {
    const formats = ['run', 'json'].flatMap((name) => ['--format', `${name}:${file(`checks.${name}`)}`])
    const only = ['--only', 'get-task-unknown', '--only', 'card-available', '--only', 'cancel']
    await runParley(['test', `${agent.url}/spec`, '--bearer', CANARY, ...only, ...formats])
    const text = readFileSync(file('checks.json'), 'utf8')
    expect(`${JSON.stringify(reportOfRun(stored('checks.run').run), null, 2)}\n`).toBe(text)
    const { run, total } = stored('checks.run')
    expect((JSON.parse(text) as ConformanceReport).summary.total).toBe(run.results.length)
    expect(total).toBe(run.results.length)
    expect(run.header).toMatchObject({ kind: 'checks', specRevision: '1.0.1', target: `${agent.url}/spec` })
    expect(run.header.flags).toEqual(['--bearer', '--only', '--only', '--only', '--format', '--format'])
    expect(run.agents).toMatchObject([
      { url: `${agent.url}/spec`, cardSha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
    expect(readFileSync(file('checks.run'), 'utf8')).not.toContain(CANARY)
  })

  test('is rendered again byte for byte as the live run did, by parley report', async () => {
    const names = ['json', 'html', 'junit', 'markdown', 'acts', 'badge', 'github', 'sarif', 'agent', 'run']
    const formats = names.flatMap((name) => ['--format', `${name}:${file(`live.${name}`)}`])
    const live = await runParley(['test', `${agent.url}/legacy`, '--quick', '--quiet', ...formats])
    expect(live.stderr).toBe('')
    const anew = names.flatMap((name) => ['--format', `${name}:${file(`again.${name}`)}`])
    const again = await runParley(['report', file('live.run'), ...anew])
    expect(again.code, again.stderr).toBe(0)
    for (const one of readdirSync(folder).filter((name) => /^live[.-]/.test(name))) {
      // A record made from a record has its results in order, so it is no copy.
      if (one.endsWith('.run')) continue
      expect(readFileSync(file(one.replace('live', 'again')), 'utf8'), one).toBe(readFileSync(file(one), 'utf8'))
    }
    const plain = (text: string) => text.replaceAll(/^(Report .*|Re-run .*)\n/gm, '').trimEnd()
    expect(plain((await runParley(['report', file('live.run')])).stdout)).toBe(plain(live.stdout))
  })

  test('is compared with another by parley diff, which ends with 1 when something got worse', async () => {
    const only = ['--only', 'card-available', '--only', 'get-task-unknown', '--quiet']
    await runParley(['test', `${agent.url}/spec`, ...only, '--format', `run:${file('before.jsonl')}`])
    const text = readFileSync(file('before.jsonl'), 'utf8')
    // The same run in which one check fails.
    const lines = text
      .split('\n')
      .map((line) =>
        line.includes('"key":"get-task-unknown@1.0/jsonrpc"')
          ? line.replace('"status":"pass"', '"status":"fail"').replace('"verdict":"pass"', '"verdict":"fail"')
          : line,
      )
    writeFileSync(file('after.jsonl'), lines.join('\n'))
    const worse = await runParley(['diff', file('before.jsonl'), file('after.jsonl')])
    expect(worse.code).toBe(1)
    expect(worse.stdout).toMatch(/New failures \(1\)\n {2}✗ get-task-unknown@1\.0\/jsonrpc {2}pass → fail/)
    const better = await runParley(['diff', file('after.jsonl'), file('before.jsonl'), '-o', 'json'])
    expect(better.code).toBe(0)
    expect(JSON.parse(better.stdout)).toMatchObject({ isWorse: false, repaired: [{ test: 'get-task-unknown' }] })
    const again = await runParley([
      'test',
      `${agent.url}/spec`,
      '--failed-from',
      file('after.jsonl'),
      '--no-report',
      '-o',
      'json',
      '-q',
    ])
    const { categories } = JSON.parse(again.stdout) as ConformanceReport
    expect(
      new Set(
        Object.values(categories)
          .flat()
          .map(({ test: id }) => id),
      ),
    ).toEqual(new Set(['get-task-unknown']))
  })

  test.each([
    [['report', 'absent.jsonl'], /absent\.jsonl cannot be read as a run: there is no such file/],
    [['report', import.meta.filename], /neither a run record nor a JSON report of Parley/],
    [['diff', 'absent.jsonl', 'absent.jsonl'], /there is no such file/],
    [['report', 'absent.jsonl', '--format', 'sarfi'], /--format takes .*not "sarfi"/],
  ])('%j is a mistake, named', async (args, message) => {
    const { code, stderr, stdout } = await runParley(args, { cwd: folder })
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(message)
  })

  test('of a run that was killed holds every result until then', async () => {
    const run = startParleyProcess(['test', `${agent.url}/spec`, '--format', `run:${file('killed.jsonl')}`])
    await run.stderrMatching(/100\/\d+ checks/)
    run.kill('SIGKILL')
    await run.finished
    const { run: cut, total = 0 } = stored('killed.jsonl')
    expect(cut.results.length).toBeGreaterThanOrEqual(100)
    expect(cut.results.length).toBeLessThan(total)
    expect(cut.agents.length).toBe(1)
    expect(cut.footer).toMatchObject({ complete: false, conformanceLevel: 'not determined' })
    const { stdout, code } = await runParley(['report', file('killed.jsonl')])
    expect(code).toBe(0)
    expect(stdout).toContain('incomplete: the record ends before the run did')
  })

  test('of suites and of cases is the same kind of file', async () => {
    const suite = join(import.meta.dirname, '..', '..', 'suites', 'acceptance-0.3.acts.yaml')
    await runParley(['test', agent.url, '--suite', suite, '--quiet', '--format', `run:${file('suites.jsonl')}`])
    const suites = stored('suites.jsonl').run
    expect(suites.header).toMatchObject({ kind: 'suites', files: [suite] })
    expect(suites.footer.summary.total).toBe(suites.results.length)
    expect(suites.results.length).toBeGreaterThan(3)

    writeFileSync(
      file('case.yaml'),
      `test_case_id: bad
gateway_input: { parts: [{ text: go }] }
downstream_script: { rules: [{ id: a, turns: [[{ complete: Done. }]] }] }
expected_gateway_output: [{ type: final_response, task_state: failed }]
`,
    )
    const { code } = await runParley(['run', file('case.yaml'), '--format', `run:${file('cases.jsonl')}`])
    expect(code).toBe(1)
    const cases = stored('cases.jsonl').run
    expect(cases.header.kind).toBe('cases')
    expect(cases.results).toMatchObject([{ test: 'bad', status: 'fail', problems: [{ line: 4 }] }])
    expect(cases.footer).toMatchObject({ verdict: 'fail', exitCode: 1 })
  })

  test('that cannot be written is told before anything is sent', async () => {
    const { code, stderr } = await runParley(['test', agent.url, '--format', `run:${folder}`])
    expect(code).toBe(2)
    expect(stderr).toContain(`The report ${folder} cannot be written`)
  })
})
