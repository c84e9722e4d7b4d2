// A binding and a report format are what CONTRIBUTING.md says they are: added to a copy of the tree they touch the files that
// are listed and no others, it compiles (with a new generation, too), and the commands know them.

import { execFile } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addGeneration } from './generations/throw-away.ts'
import { renderedRun } from './report/rendered.ts'
import { SAMPLE_RUNS } from './report/sample-runs.ts'
import { runParley, startParley } from './support/parley-process.ts'
import { edit, type ThrowAwayTree, throwAwayTree } from './support/throw-away-tree.ts'

const ROOT = join(import.meta.dirname, '..')
const FORMAT = `
import { documentFormat } from './reporter.ts'

export const tally = documentFormat('tally', 'how many results there are', (run) => \`\${run.results.length} results\\n\`)
`

/** JSON-RPC under another name, at a path of its own. */
function addBinding(tree: string): void {
  const bindings = join(tree, 'src', 'bindings')
  const folder = join(bindings, 'pigeon')
  const filter = (file: string) => !file.endsWith('.test.ts')
  cpSync(join(bindings, 'jsonrpc'), folder, { recursive: true, filter })
  for (const file of ['binding.ts', 'client.ts', 'server.ts']) edit(join(folder, file), [[/'jsonrpc'/, "'pigeon'"]])
  for (const file of ['binding.ts', 'server.ts']) edit(join(folder, file), [["'JSONRPC'", "'PIGEON'"]])
  edit(join(folder, 'server.ts'), [
    ["if (path === '' || path === '/') return true", "if (path === '/pigeon') return true"],
  ])
  edit(join(tree, 'src', 'dialects', 'dialect.ts'), [
    ["'rest', 'grpc'] as const", "'rest', 'grpc', 'pigeon'] as const"],
  ])
  edit(join(bindings, 'registry.ts'), [
    ['import {', "import { jsonRpcBinding as pigeonBinding } from './pigeon/binding.ts'\nimport {"],
    ['  grpc: grpcBinding,', '  grpc: grpcBinding,\n  pigeon: pigeonBinding,'],
  ])
  edit(join(bindings, 'serving.ts'), [
    ['import type', "import { jsonRpcServing as pigeonServing } from './pigeon/server.ts'\nimport type"],
    ['  rest: restServing,', '  pigeon: pigeonServing,\n  rest: restServing,'],
  ])
  const dialects = join(tree, 'src', 'dialects')
  for (const folder of readdirSync(dialects).filter((name) => /^v\d/.test(name))) {
    edit(join(dialects, folder, 'dialect.ts'), [['codecs: {', 'codecs: { pigeon: jsonRpcCodec,']])
    edit(join(dialects, folder, 'schema', 'operations.ts'), [
      [/(requests: \{)( jsonrpc: (\w+),)/, '$1 pigeon: $3,$2'],
      [/(results: \{)( jsonrpc: (\w+),)/, '$1 pigeon: $3,$2'],
      [/(errors: \{)( jsonrpc: ('\w+'),)/, '$1 pigeon: $3,$2'],
    ])
  }
}

function addFormat(tree: string): void {
  writeFileSync(join(tree, 'src', 'report', 'tally.ts'), FORMAT)
  edit(join(tree, 'src', 'report', 'formats.ts'), [
    ['import type', "import { tally } from './tally.ts'\nimport type"],
    ['  runRecord,\n', '  runRecord,\n  tally,\n'],
  ])
}

/** Paths of a section, of which `<name>` is what is added and `*` any folder. */
function listedIn(title: string, name: string): { path: string; holds(file: string): boolean }[] {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  const section = new RegExp(`## ${title}\n(.*?)\n## `, 's').exec(text)?.[1] ?? ''
  return [...section.matchAll(/^- `([^`]+)`/gm)].map(([, written = '']) => {
    const path = written.replace('<name>', name)
    const pattern = new RegExp(
      `^${path.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}${path.endsWith('/') ? '' : '$'}`,
    )
    return { path, holds: (file) => pattern.test(file) }
  })
}

describe('a tree with a binding and a report format more', () => {
  let tree: ThrowAwayTree

  beforeAll(() => {
    tree = throwAwayTree((path) => {
      addBinding(path)
      addFormat(path)
    })
  })
  afterAll(() => tree.remove())

  test('differs in the files that CONTRIBUTING.md lists, and in no others', () => {
    const listed = [...listedIn('Add a binding', 'pigeon'), ...listedIn('Add a report format', 'tally')]
    expect(listed).toHaveLength(7)
    expect(tree.touched.filter((file) => !listed.some(({ holds }) => holds(file)))).toEqual([])
    expect(listed.filter(({ holds }) => !tree.touched.some(holds)).map(({ path }) => path)).toEqual([])
  })

  test('compiles, with a generation more as well', { timeout: 120_000 }, async () => {
    const all = throwAwayTree((path) => {
      addGeneration(path)
      addBinding(path)
      addFormat(path)
    })
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
    const config = join(all.path, 'tsconfig.build.json')
    const said = await promisify(execFile)(tsc, ['--noEmit', '-p', config]).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    )
    all.remove()
    expect(said).toBe('')
  })

  test.for(['checks', 'suites', 'cases', 'matrix'] as const)('tells about %s in the format', async (kind) => {
    const run = join(tree.path, `${kind}.jsonl`)
    writeFileSync(run, renderedRun('run', SAMPLE_RUNS[kind]))
    const { stdout } = await runParley(['report', run, '--format', 'tally'], { entry: tree.entry, cwd: tree.path })
    expect(stdout).toBe(`${SAMPLE_RUNS[kind].results.length} results\n`)
  })

  test('knows the format in its help', async () => {
    const { stdout } = await runParley(['test', '--help'], { entry: tree.entry, cwd: tree.path })
    expect(stdout).toContain('tally')
  })

  test('serves, calls and judges over the binding, and reports in the format', { timeout: 120_000 }, async () => {
    const options = { entry: tree.entry, cwd: tree.path }
    const server = await startParley(['serve'], options)
    try {
      const agent = `${server.url}/spec`
      const card = (await (await fetch(`${agent}/.well-known/agent-card.json`)).json()) as CardRead
      expect(card.supportedInterfaces.map(({ protocolBinding }) => protocolBinding)).toContain('PIGEON')
      const answered = await fetch(`${agent}/pigeon`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'GetTask', params: { id: 'none' } }),
      })
      expect(await answered.json()).toMatchObject({ id: 7, error: { code: -32001 } })
      const sent = await runParley(['send', agent, 'hello', '--transport', 'pigeon'], options)
      expect([sent.code, sent.stderr]).toEqual([0, expect.not.stringContaining('Error')])
      const judged = await runParley(
        ['test', agent, '--only', 'get-task-unknown', '--transport', 'pigeon', '--format', 'tally'],
        options,
      )
      expect(judged.stdout).toMatch(/^[1-9]\d* results$/m)
    } finally {
      await server.stop()
    }
  })
})

interface CardRead {
  supportedInterfaces: { protocolBinding: string }[]
}
