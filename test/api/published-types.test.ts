// The published declarations: whatever an option takes can be named, everything has a comment, whatever is called has an
// example, examples compile, defaults are those of the code, and the surface is what etc/api/ says.
// `npx vitest run test/api -u` writes etc/api/ anew.

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DIALECTS, MODEL_GENERATION } from '../../src/dialects/index.ts'
import { ApiSurface, type Declaration } from '../support/api-surface.ts'
import { constantIn, defaultsIn } from '../support/option-defaults.ts'

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

  test('has a comment on everything it exports, and on every member', () => {
    const bare = declarationsOf(types).flatMap(({ name, file, doc, members }) => [
      ...(doc === undefined ? [`${name} of ${file}`] : []),
      ...members.filter((member) => member.doc === undefined).map((member) => `${name}.${member.name} of ${file}`),
    ])
    expect(bare).toEqual([])
  })

  test('has an example for whatever a user calls', () => {
    const called = declarationsOf(types).filter(({ text }) => /^export declare (function|class|const) /.test(text))
    const without = called.filter(({ doc = '' }) => !/@example\s+\* ```ts\n/.test(doc))
    expect(without.map((each) => `${each.name} of ${each.file}`)).toEqual([])
  })

  test('is what its report in etc/api says', async () => {
    const found = [...surface.exportsOf(types)].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const texts = found.flatMap(([, declared]) => declared.map(({ text }) => text))
    const report = `# ${name}\n\nWritten by \`npx vitest run test/api -u\`.\n\n\`\`\`ts\n${texts.join('\n\n')}\n\`\`\`\n`
    const file = `${name.replace('a2a-parley/', '')}.api.md`
    await expect(report).toMatchFileSnapshot(join(ROOT, 'etc/api', file))
  })
})

test('defaults in comments are those of the code', () => {
  const used = defaultsIn(join(ROOT, 'src'))
  const computed = new Map<string, unknown>([
    ['MountOptions.dialects', DIALECTS.filter((dialect) => dialect.isServedByDefault).map(({ id }) => id)],
    ['MockAgentInput.generation', MODEL_GENERATION],
  ])
  // What an absent member means in the protocol is the protocol's to say.
  const ours = new Set(ENTRIES.flatMap(({ types }) => declarationsOf(types)).filter(({ file }) => !/^model/.test(file)))
  const told = [...ours].flatMap(({ name, members }) =>
    members.flatMap((member) => {
      const value = constantIn(/@default (.+)/.exec(member.doc ?? '')?.[1] ?? '')
      return value === undefined ? [] : [{ option: `${name}.${member.name}`, value }]
    }),
  )
  expect(told.length).toBeGreaterThan(80)
  const wrong = told.flatMap(({ option, value }) => {
    const own = computed.get(option)
    const known = own === undefined ? used.get(option.split('.').at(-1) ?? '') : new Set([JSON.stringify(own)])
    // A flag that is not given is off: that needs no code.
    if (known?.has(value) === true || (value === 'false' && known === undefined)) return []
    return [`${option} is said to be ${value} by default; the code has ${[...(known ?? ['nothing'])].join(', ')}`]
  })
  expect(wrong).toEqual([])
})

/** What the compiler says of each module, by the place its code stands in: one call for all of them. */
let said: ReadonlyMap<string, string[]>

describe('code', () => {
  const guides = ['library-client.md', 'library-server.md', 'mock-an-agent.md']
  const places = new Map<string, string[]>()

  beforeAll(async () => {
    const all = ENTRIES.flatMap(({ types }) => declarationsOf(types))
    const docs = new Set(all.flatMap(({ doc, members }) => [doc, ...members.map((member) => member.doc)]))
    const inComments = [...docs].flatMap((doc) => codeIn((doc ?? '').replaceAll(/^[ \t]*\* ?/gm, '')))
    places.set('comments', inComments)
    for (const guide of guides) {
      const blocks = codeIn(readFileSync(join(ROOT, 'docs', guide), 'utf8'))
      // What is part of a test file is run by the test of that guide.
      const modules = blocks.filter((code) => !code.includes('test('))
      places.set(guide, modules)
    }
    said = await compile(places)
  }, 120_000)

  test.each(['comments', ...guides])('in %s compiles', (place) => {
    expect(places.get(place)?.length).toBeGreaterThan(place === 'comments' ? 5 : 0)
    expect(said.get(place) ?? []).toEqual([])
    expect(said.get('elsewhere') ?? []).toEqual([])
  })
})

/** Blocks marked ts, each a module of its own. */
function codeIn(text: string): string[] {
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code)
}

async function compile(places: ReadonlyMap<string, readonly string[]>): Promise<Map<string, string[]>> {
  const at = mkdtempSync(join(folder, 'code-'))
  const files = [...places].flatMap(([place, sources]) =>
    sources.map((source, index) => {
      const file = `${place}-${index}.ts`
      writeFileSync(join(at, file), `${source}\nexport {}\n`)
      return file
    }),
  )
  const paths = Object.fromEntries(ENTRIES.map(({ name, types }) => [name, [join(dist, types)]]))
  const compilerOptions = { noEmit: true, noUnusedLocals: false, noUnusedParameters: false, paths }
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, files, include: [], exclude: [] }
  writeFileSync(join(at, 'tsconfig.json'), JSON.stringify(config))
  const lines = await run(process.execPath, [tsc, '-p', at, '--pretty', 'false'], { cwd: ROOT }).then(
    () => [],
    ({ stdout }: { stdout: string }) => stdout.trim().split('\n'),
  )
  return Map.groupBy(lines, (line) => {
    const [, place = ''] = /([\w.-]+)-\d+\.ts\(/.exec(line) ?? []
    return places.has(place) ? place : 'elsewhere'
  })
}
