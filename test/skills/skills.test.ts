// The skills for coding agents: in the form such tools read, and every command in them really run against a real agent.

import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parleyFolder } from '../support/parley-command.ts'
import { runParley, type Serving, startParley } from '../support/parley-process.ts'

const ROOT = join(import.meta.dirname, '../..')
const names = readdirSync(join(ROOT, 'skills'))
const textOf = (name: string) => readFileSync(join(ROOT, 'skills', name, 'SKILL.md'), 'utf8')
const run = promisify(execFile)

/** Commands of code blocks and of inline code; without those that wait for a person or install packages. */
function commandsIn(text: string): string[] {
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) => block.trim().split('\n'))
  const inline = [...text.matchAll(/`(npx a2a-parley [^`]+)`/g)].map(([, command = '']) => command)
  return [...blocks, ...inline].filter(
    (line) => !/npm install|<check>|a2a-parley (?:serve|chat)\b|mock peer.yaml --port|^npx a2a-parley test$/.test(line),
  )
}

/** Files the text shows, by the name in their first line. */
function filesIn(text: string): [string, string][] {
  return [...text.matchAll(/```yaml\n# (\S+)\n(.*?)```/gs)].map(([, name = '', body = '']) => [name, body])
}

describe.each(names)('%s', (name) => {
  const text = textOf(name)

  test('has front matter, and at most 200 lines', () => {
    const [, head = ''] = /^---\n(.*?)\n---\n/s.exec(text) ?? []
    expect(parse(head)).toEqual({ name, description: expect.stringMatching(/Use when/) })
    expect(text.split('\n').length).toBeLessThanOrEqual(200)
    for (const heading of ['## Procedure', '## Checks before you say it works', '## Pitfalls'])
      expect(text).toContain(heading)
    expect(text).toContain('On failure:')
    expect(commandsIn(text).length).toBeGreaterThan(3)
  })
})

describe('every command of the skills', () => {
  let folder: string
  let agent: Serving
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-skills-'))
    agent = await startParley(['serve', '--port', '0'])
    // `npx a2a-parley` without a registry: the same program.
    writeFileSync(join(folder, 'npx'), `#!/bin/sh\nshift\nexec "${join(parleyFolder(), 'parley')}" "$@"\n`)
    chmodSync(join(folder, 'npx'), 0o755)
    for (const name of names) for (const [file, body] of filesIn(textOf(name))) writeFileSync(join(folder, file), body)
  }, 120_000)
  afterAll(async () => {
    await agent.stop()
    rmSync(folder, { recursive: true })
  })

  test('runs', { timeout: 180_000 }, async () => {
    const env = {
      ...process.env,
      PATH: `${folder}:${process.env.PATH}`,
      AGENT: `${agent.url}/spec`,
      SECOND: `${agent.url}/v0.3`,
    }
    for (const command of names.flatMap((name) => commandsIn(textOf(name)))) {
      const here = command.replaceAll('localhost:9999', agent.url.replace('http://', ''))
      // Whole runs belong to other tests; here the flags have to be right and a run has to come to an end.
      const bounded = / test /.test(here) && !/--quick|--only|--failed-from/.test(here) ? `${here} --only card` : here
      const ended = await run('bash', ['-c', bounded], { cwd: folder, env }).then(
        () => ({ code: 0, stderr: '' }),
        (error: { code: number; stderr: string }) => error,
      )
      // Nothing failed in the run before, which is what the command says.
      if (/--failed-from/.test(command)) expect(ended.stderr).toContain('nothing failed')
      else expect([0, 1, 10], `${command}\n${ended.stderr}`).toContain(ended.code)
    }
  })

  test('skill install puts them where they are looked for, and overwrites nothing unasked', async () => {
    const first = await runParley(['skill', 'install'], { cwd: folder })
    expect(first.stdout.split('\n').filter(Boolean)).toEqual(
      names.map((name) => join('.claude', 'skills', name, 'SKILL.md')),
    )
    for (const name of names) expect(existsSync(join(folder, '.claude/skills', name, 'SKILL.md'))).toBe(true)
    const again = await runParley(['skill', 'install'], { cwd: folder })
    expect([again.stdout, again.stderr]).toEqual(['', expect.stringContaining('--overwrite replaces it')])
    expect((await runParley(['skill', 'list'])).stdout).toContain('test-a2a-interop  Judge whether')
  })
})
