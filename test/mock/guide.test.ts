// docs/mock-an-agent.md says what is true: its scripts are valid, its tables are complete, its examples run.

import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { readTurns } from '../../src/mock/directives.ts'
import { FAULTS } from '../../src/mock/faults/catalogue.ts'
import { parseScript } from '../../src/mock/script/load-script.ts'
import { SCRIPT_JSON_SCHEMA } from '../../src/mock/script/script-shape.ts'
import { isJsonObject, type JsonValue } from '../../src/model/json.ts'
import { PARLEY_ENTRY } from '../support/parley-command.ts'

const ROOT = join(import.meta.dirname, '../..')
const GUIDE = readFileSync(join(ROOT, 'docs/mock-an-agent.md'), 'utf8')

function blocks(language: string): string[] {
  return Array.from(GUIDE.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs')), ([, text = '']) => text)
}

describe('the guide', () => {
  test('its scripts are in order', () => {
    const scripts = blocks('yaml')
    expect(scripts).not.toHaveLength(0)
    for (const script of scripts) expect(() => parseScript(script)).not.toThrow()
  })

  test('its responses are in order', () => {
    for (const json of blocks('json')) expect(readTurns(JSON.parse(json) as JsonValue)).toMatchObject({ ok: true })
  })

  test('its table of faults is the catalogue', () => {
    const rows = Object.entries(FAULTS).map(([name, { summary, params }]) => {
      const properties = isJsonObject(params.schema.properties) ? Object.keys(params.schema.properties) : []
      return `| \`${name}\` | ${summary} | ${properties.length === 0 ? '' : `${properties.join(', ')} `}|`
    })
    expect(GUIDE).toContain(rows.join('\n'))
  })

  test('every key of the script is explained', () => {
    expect(keysIn(SCRIPT_JSON_SCHEMA).filter((key) => !new RegExp(`\\b${key}\\b`).test(GUIDE))).toEqual([])
  })

  test('every request of the control interface is explained', () => {
    const source = readFileSync(join(ROOT, 'src/mock/admin.ts'), 'utf8')
    const routes = Array.from(
      source.matchAll(/^ {2,4}\[?'((?:GET|PUT|POST|DELETE) [\w/<>]+)'/gm),
      ([, route = '']) => route,
    )
    expect(routes).toContain('GET artifacts/<name>')
    expect(routes.length).toBeGreaterThan(10)
    expect(routes.filter((route) => !GUIDE.includes(`\`${route}\``))).toEqual([])
  })

  test('its vitest example is that of the examples', () => {
    const example = readFileSync(join(ROOT, 'examples/mock-vitest.test.ts'), 'utf8')
    const [shown = ''] = blocks('ts')
    for (const line of shown.split('\n')) expect(example).toContain(line.trim())
  })
})

function keysIn(schema: JsonValue | undefined): string[] {
  if (Array.isArray(schema)) return schema.flatMap(keysIn)
  if (!isJsonObject(schema)) return []
  const { properties } = schema
  const own = isJsonObject(properties) ? Object.keys(properties) : []
  return [...new Set([...own, ...Object.values(schema).flatMap(keysIn)])]
}

describe('the examples', () => {
  beforeAll(() => {
    // `npm ci` builds; a checkout that was only edited may not have.
    if (!existsSync(join(ROOT, 'dist/mock/index.js'))) execFileSync('npm', ['run', 'build'], { cwd: ROOT })
  })

  test('mock-node-test.mjs passes', async () => {
    const { stdout } = await run(process.execPath, ['--test', 'examples/mock-node-test.mjs'])
    expect(stdout).toMatch(/pass 2\n/)
    expect(stdout).toMatch(/fail 0\n/)
  })

  test('mock-vitest.test.ts passes', async () => {
    const { stdout } = await run(process.execPath, [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--no-cache',
      '--root',
      'examples',
      'mock-vitest.test.ts',
    ])
    expect(stdout).toMatch(/3 passed/)
  })

  const hasPython = spawnSync('python3', ['--version']).status === 0
  if (!hasPython) process.stderr.write('SKIPPED: there is no python3, test_mock_agent.py is not run.\n')

  test.skipIf(!hasPython)('test_mock_agent.py passes', async () => {
    const child = spawn('python3', ['-m', 'unittest', 'test_mock_agent.py'], {
      cwd: join(ROOT, 'examples'),
      env: {
        ...process.env,
        PYTHONDONTWRITEBYTECODE: '1',
        PARLEY: `${process.execPath} ${PARLEY_ENTRY}`,
      },
      stdio: ['ignore', 'inherit', 'pipe'],
    })
    let told = ''
    child.stderr.on('data', (chunk: Buffer) => {
      told += chunk.toString()
    })
    const [code] = await once(child, 'close')
    expect(told).toMatch(/Ran 3 tests/)
    expect(code).toBe(0)
  })
})

/** Without what this test runner tells its own workers. */
function run(command: string, args: readonly string[]): Promise<{ stdout: string }> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_TEST|TEST$)/.test(name)),
  )
  return promisify(execFile)(command, [...args], { cwd: ROOT, env: { ...env, NO_COLOR: '1' } })
}
