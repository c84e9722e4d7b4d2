// `parley test --suite`: what it prints and writes of suites, and its exit codes.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testCommand } from '../../src/cli/test.ts'
import { type CommandRun, runCommand } from '../peers/recorded-io.ts'
import { parseXml } from '../report/xml-document.ts'
import { folder, GET, NOT_FOUND, start, suiteFile } from './acts-agent.ts'

describe('parley test --suite', () => {
  const MIXED = `- { id: GOOD, name: a good one, level: must, steps: [{ id: get, operation: get_task, params: { id: t }, expect_error: { code: TaskNotFoundError } }] }
- { id: BAD, name: a bad one, level: LEVEL, steps: [${GET}] }`

  function run(url: string, level: string, ...flags: string[]): Promise<CommandRun> {
    const file = suiteFile(MIXED.replace('LEVEL', level))
    return runCommand(testCommand, [url, '--suite', file, '--quiet', '--no-color', ...flags])
  }

  test('says what failed, where it stands and how to see it again', async () => {
    const url = await start(() => NOT_FOUND)
    const { out, exitCode } = await run(url, 'must')
    expect(exitCode).toBe(1)
    expect(out).toContain('Scripted 2.1')
    expect(out).toContain('1 passed, 1 failed')
    expect(out).toMatch(/✗ BAD \[must, 1\.0 jsonrpc\] a bad one\n {2}.*s\.acts\.yaml:8/)
    expect(out).toContain('no such task')
    expect(out).toContain('curl -sS -i')
    expect(out).toMatch(/--suite .*s\.acts\.yaml --only BAD/)
  })

  test('only musts decide, unless --strict', async () => {
    const url = await start(() => NOT_FOUND)
    expect((await run(url, 'should')).exitCode).toBe(0)
    expect((await run(url, 'should', '--strict')).exitCode).toBe(1)
  })

  test('writes the report of the draft, without secrets', async () => {
    const url = await start((_, { headers }) => ({ error: { code: -32001, message: `saw ${headers.authorization}` } }))
    const file = join(folder, 'report.json')
    const { out } = await run(url, 'must', '--format', `acts:${file}`, '--bearer', 'parley-canary')
    const text = readFileSync(file, 'utf8')
    expect(text + out).not.toContain('parley-canary')
    expect(JSON.parse(text)).toMatchObject({
      acts_version: '1.0',
      spec_version: '1.0',
      generated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      sdk: { name: 'Scripted', version: '2.1', language: 'unknown' },
      transport: 'jsonrpc',
      summary: {
        total: 2,
        passed: 1,
        failed: 1,
        skipped: 0,
        errors: 0,
        by_level: { must: { total: 2, passed: 1, failed: 1 }, should: { total: 0 }, may: { total: 0 } },
      },
      suites: [
        {
          id: 's',
          tests: [
            { id: 'GOOD', level: 'must', result: 'pass', steps: [{ id: 'get', result: 'pass' }] },
            { id: 'BAD', result: 'fail', failure: { step_id: 'get', expected: 'a result', assertion_path: 'error' } },
          ],
        },
      ],
    })
    expect(readdirSync(folder).sort()).toEqual(['report.json', 's.acts.yaml'])
  })

  test('takes out a bare token that the agent echoes, from every report and the agent’s own name', async () => {
    const url = await start((_, { headers }) => {
      const bare = String(headers.authorization).replace('Bearer ', '')
      return { error: { code: -32001, message: `saw ${bare}` } }
    })
    const formats = ['acts', 'json', 'junit', 'markdown'].flatMap((name) => [
      '--format',
      `${name}:${join(folder, name)}`,
    ])
    const { out } = await run(url, 'must', ...formats, '-H', 'Authorization: Bearer parley-canary')
    const written = ['acts', 'json', 'junit', 'markdown'].map((name) => readFileSync(join(folder, name), 'utf8'))
    for (const text of [out, ...written]) expect(text).not.toContain('parley-canary')
  })

  test('writes JUnit for CI and Markdown for a pull request, whatever the agent says', async () => {
    const message = 'saw <b>|`@all`\u0000</b>'
    const url = await start(() => ({ error: { code: -32001, message } }))
    const files = [join(folder, 'results.xml'), join(folder, 'summary.md')] as const
    await run(url, 'must', '--format', `junit:${files[0]}`, '--format', `markdown:${files[1]}`)
    const root = parseXml(readFileSync(files[0], 'utf8'))
    expect(root.attributes).toMatchObject({ tests: '2', failures: '1', errors: '0' })
    const [suite] = root.children
    expect(suite?.attributes.name).toBe('s [1.0 jsonrpc]')
    expect(suite?.children.map(({ attributes }) => attributes.name)).toEqual(['GOOD: a good one', 'BAD: a bad one'])
    const [failure] = suite?.children[1]?.children ?? []
    expect(failure).toMatchObject({ name: 'failure', attributes: { type: 'must' } })
    expect(failure?.text).toContain('curl -sS -i')

    const markdown = readFileSync(files[1], 'utf8')
    expect(markdown).toContain('## A2A suites: Scripted 2.1 failed 1 of 2 tests')
    expect(markdown).toContain('| BAD (1.0 jsonrpc) | must |')
    expect(markdown.replaceAll(/```[\s\S]*?```/g, ''), 'markup of the agent').not.toMatch(/<b>|@all/)
  })

  test('-o json has all the evidence', async () => {
    const url = await start(() => NOT_FOUND)
    const { out } = await run(url, 'must', '-o', 'json')
    const report = JSON.parse(out) as { tests: { transcript?: { response: { body: string } }[] }[] }
    expect(report.tests[1]?.transcript?.[0]?.response.body).toContain('no such task')
  })

  test.each([
    [['--only', 'GOD'], "did you mean 'GOOD'"],
    [['--format', 'junit', '--format', 'markdown'], 'Only one --format can go to stdout'],
  ])('%j is a mistake, named', async (flags, message) => {
    const url = await start(() => NOT_FOUND)
    await expect(run(url, 'must', ...flags)).rejects.toThrow(message)
  })

  test('--format acts tells about checks, too', async () => {
    const url = await start(() => NOT_FOUND)
    const { out } = await runCommand(testCommand, [url, '--only', 'get-task-unknown', '--quiet', '--format', 'acts'])
    expect(JSON.parse(out)).toMatchObject({
      transport: 'jsonrpc',
      suites: [{ id: 'error-handling', tests: [{ id: 'get-task-unknown', level: 'must', result: 'pass' }] }],
    })
  })

  test('an agent that is not there is one sentence and exit code 3', async () => {
    await expect(run('http://127.0.0.1:9', 'must')).rejects.toMatchObject({ code: 'unreachable', exitCode: 3 })
  })

  test('nothing that applies is no success', async () => {
    const url = await start(() => NOT_FOUND)
    const file = suiteFile(`- { id: T, name: n, level: must, transport: [grpc], steps: [${GET}] }`)
    expect((await runCommand(testCommand, [url, '--suite', file, '--quiet'])).exitCode).toBe(10)
  })
})
