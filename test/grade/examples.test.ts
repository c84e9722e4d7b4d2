// The example clients do what their README says: graded by command, as a harness, and driven by hand.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { gradeCommand } from '../../src/cli/grade.ts'
import { EXIT } from '../../src/model/errors.ts'
import { parseRun } from '../../src/run/load-run.ts'
import { runCommand } from '../peers/recorded-io.ts'
import { renderedRun } from '../report/rendered.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples/clients')
const PARLEY = join(import.meta.dirname, '../support/parley.ts')
const node = process.execPath
const ONLY = ['--a2a-version', '1.0', '--transport', 'jsonrpc', '--only', 'results', '--only', 'requests']

interface Found {
  results: { test: string; verdict: string }[]
}
const verdictsIn = (out: string) =>
  Object.fromEntries((JSON.parse(out) as Found).results.map(({ test: id, verdict }) => [id, verdict]))

/** What the page was given, unpacked as the page does it. */
function indexIn(html: string): string {
  const packed = /id="run-index">([^<]*)</.exec(html)?.[1] ?? ''
  return gunzipSync(Buffer.from(packed, 'base64')).toString()
}

describe('the example client', () => {
  test.each([
    ['as a command', ['--', node, join(EXAMPLES, 'command.mjs'), '{url}']],
    ['as a harness', ['--harness', 'ndjson', '--', node, join(EXAMPLES, 'harness.mjs')]],
  ])('%s keeps what it is measured by', async (_, words) => {
    const { out, exitCode } = await runCommand(gradeCommand, [...ONLY, '-o', 'json', ...words])
    const verdicts = verdictsIn(out)
    expect(Object.entries(verdicts).filter(([, verdict]) => verdict === 'fail')).toEqual([])
    expect(verdicts['client-rejected-is-failure']).toBe('pass')
    expect(verdicts['client-understands-task']).toBe('pass')
    expect(verdicts['client-cancels-task']).toBe('not-measured')
    expect(exitCode ?? EXIT.ok).toBe(EXIT.ok)
    // What was really graded, as a page.
    const page = indexIn(renderedRun('html', parseRun(out, 'graded').run))
    expect(page).toContain('client-rejected-is-failure')
    expect(page).toContain('MUST NOT report a rejected task as success')
  })

  test('driven by hand is judged at Ctrl-C', async () => {
    const words = [
      'grade',
      '--listen',
      '0',
      '--a2a-version',
      '1.0',
      '--transport',
      'jsonrpc',
      '--only',
      'result-failed',
    ]
    const grader = spawn(node, [PARLEY, ...words, '-o', 'json'], { stdio: ['ignore', 'pipe', 'pipe'] })
    const out: string[] = []
    grader.stdout.setEncoding('utf8').on('data', (text: string) => void out.push(text))
    const url = await new Promise<string>((resolve) => {
      createInterface({ input: grader.stderr }).on('line', (line) => {
        const found = /^result-failed .*?(http:\S+)/.exec(line)?.[1]
        if (found !== undefined) resolve(found)
      })
    })
    const client = spawn(node, [join(EXAMPLES, 'command.mjs'), url], { stdio: 'ignore' })
    expect(await once(client, 'exit')).toEqual([1, null])
    grader.kill('SIGINT')
    const [code] = (await once(grader, 'close')) as [number]
    // How it ended is known to whoever drove it.
    expect(verdictsIn(out.join(''))).toEqual({ 'client-failed-is-failure': 'not-measured' })
    expect([EXIT.ok, EXIT.inconclusive]).toContain(code)
  })
})
