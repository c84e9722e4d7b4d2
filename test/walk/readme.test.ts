// The sixty seconds of the README, line by line, with the built command: what a person types first does what it says.

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parleyFolder } from '../support/parley-command.ts'
import { type Serving, startParley } from '../support/parley-process.ts'

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
const START = /## Sixty seconds\n(.*?)\n## /s.exec(README)?.[1] ?? ''
const LINES = [...START.matchAll(/^npx a2a-parley (.*)$/gm)].map(([, line = '']) => line)
const run = promisify(execFile)

/** What has to be on the screen after the line that begins so. `serve` is what the others talk to. */
const SHOWN: Readonly<Record<string, RegExp>> = {
  demo: /agent +version +binding/,
  'http://localhost:3000': /\d+ passed, 0 failed/,
  send: /completed/,
  inspect: /Protocol version {2}A2A/,
  test: /\d+ passed, 0 failed/,
}

describe('the README', () => {
  let agent: Serving
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-readme-'))
    agent = await startParley(['serve'])
  }, 120_000)
  afterAll(async () => {
    await agent.stop()
    rmSync(folder, { recursive: true })
  })

  test('has at most 120 lines', () => expect(README.trimEnd().split('\n').length).toBeLessThanOrEqual(120))

  test('names serve, and what is talked to', () => {
    expect(new Set(LINES.map((line) => line.split(' ')[0]))).toEqual(new Set([...Object.keys(SHOWN), 'serve']))
  })

  test.concurrent.for(LINES.filter((line) => line !== 'serve'))(
    'npx a2a-parley %s',
    { timeout: 120_000 },
    async (line) => {
      const { host } = new URL(agent.url)
      const typed = line.replace('localhost:9999', host).replace('localhost:3000', `${host}/spec`)
      const { stdout, stderr } = await run('bash', ['-c', `"${parleyFolder()}/parley" ${typed}`], {
        cwd: folder,
        env: { ...process.env, NO_COLOR: '1' },
      })
      expect(`${stdout}${stderr}`).toMatch(SHOWN[line.split(' ')[0] ?? ''] ?? /^$/)
    },
  )
})
