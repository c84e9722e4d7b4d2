// The published declarations: whatever an option takes can be named, everything has a comment, examples compile, and the
// surface is what etc/api/ says. `npx vitest run test/api -u` writes etc/api/ anew.

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiSurface, type Declaration } from '../support/api-surface.ts'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')

/** Below node_modules, so that the declarations find what they import. */
const folder = mkdtempSync(join(ROOT, 'node_modules', '.parley-api-'))
const dist = join(folder, 'dist')
const surface = new ApiSurface(dist)

const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, { types: string } | string>
}
const ENTRIES = Object.entries(exports).flatMap(([name, entry]) =>
  typeof entry === 'string'
    ? []
    : [{ name: name.replace('.', 'a2a-parley'), types: entry.types.slice('./dist/'.length) }],
)
/** Options they lend from other entries are named there. */
const LENDING = new Set(['a2a-parley', 'a2a-parley/fetch'])

beforeAll(() => run(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', dist], { cwd: ROOT }), 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function declarationsOf(types: string): Declaration[] {
  return [...surface.exportsOf(types).values()].flat()
}

describe.each(ENTRIES)('$name', ({ name, types }) => {
  test('exports every type its signatures name', () => {
    const own = declarationsOf(types)
    expect(own.length).toBeGreaterThan(0)
    const known = new Set(LENDING.has(name) ? ENTRIES.flatMap((entry) => declarationsOf(entry.types)) : own)
    const seen = new Set(own)
    const missing: string[] = []
    for (const each of seen) {
      for (const named of surface.namedBy(each)) {
        if (!known.has(named) && !seen.has(named)) missing.push(`${named.name} of ${named.file}, for ${each.name}`)
        seen.add(named)
      }
    }
    expect(missing).toEqual([])
  })

  test('has a comment on everything it exports', () => {
    const bare = declarationsOf(types).filter(({ doc }) => doc === undefined)
    expect(bare.map((each) => `${each.name} of ${each.file}`)).toEqual([])
  })

  test('is what its report in etc/api says', async () => {
    const found = [...surface.exportsOf(types)].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const texts = found.flatMap(([, declared]) => declared.map(({ text }) => text))
    const report = `# ${name}\n\nWritten by \`npx vitest run test/api -u\`.\n\n\`\`\`ts\n${texts.join('\n\n')}\n\`\`\`\n`
    const file = `${name.replace('a2a-parley/', '')}.api.md`
    await expect(report).toMatchFileSnapshot(join(ROOT, 'etc/api', file))
  })
})

test('examples in comments compile', { timeout: 120_000 }, async () => {
  const all = ENTRIES.flatMap(({ types }) => declarationsOf(types))
  const docs = new Set(all.flatMap(({ doc, members }) => [doc, ...members.map((member) => member.doc)]))
  const examples = [...docs].flatMap((doc) => codeIn((doc ?? '').replaceAll(/^[ \t]*\* ?/gm, '')))
  expect(examples.length).toBeGreaterThan(5)
  await compile(examples)
})

test.each(['library-client.md', 'library-server.md', 'mock-an-agent.md'])(
  'code in docs/%s compiles',
  { timeout: 120_000 },
  async (guide) => {
    // What is part of a test file is run by the test of that guide.
    const blocks = codeIn(readFileSync(join(ROOT, 'docs', guide), 'utf8')).filter((code) => !code.includes('test('))
    expect(blocks.length).toBeGreaterThan(0)
    await compile(blocks)
  },
)

/** Blocks marked ts, each a module of its own. */
function codeIn(text: string): string[] {
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code)
}

async function compile(sources: readonly string[]): Promise<void> {
  const at = mkdtempSync(join(folder, 'code-'))
  const files = sources.map((source, index) => {
    writeFileSync(join(at, `${index}.ts`), `${source}\nexport {}\n`)
    return `${index}.ts`
  })
  const paths = Object.fromEntries(ENTRIES.map(({ name, types }) => [name, [join(dist, types)]]))
  const compilerOptions = { noEmit: true, noUnusedLocals: false, noUnusedParameters: false, paths }
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, files, include: [], exclude: [] }
  writeFileSync(join(at, 'tsconfig.json'), JSON.stringify(config))
  const said = await run(process.execPath, [tsc, '-p', at], { cwd: ROOT }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
  expect(said).toBe('')
}
