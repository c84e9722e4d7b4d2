// Who may import whom, derived from the import lines themselves: rooms, cycles, `export *`, file size, version branches.
// The table is the law of ARCHITECTURE.md; there is no list of exceptions.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const SRC = join(import.meta.dirname, '..', 'src')

/** What all generations share: the interface they implement and the words for what they lose. */
const VOCABULARY = [
  'dialects/card-forms.ts',
  'dialects/dialect.ts',
  'dialects/errors',
  'dialects/expectations.ts',
  'dialects/instant.ts',
  'dialects/losses.ts',
  'dialects/message-schemas.ts',
  'dialects/older-shapes.ts',
  'dialects/table-codec.ts',
  'dialects/version.ts',
]

/** One folder each, which knows no other. */
const GENERATIONS = readdirSync(join(SRC, 'dialects'))
  .filter((name) => /^v\d+_\d+$/.test(name))
  .map((name) => `dialects/${name}`)

/** What the language lacks, every room may use. */
const BASE = 'base'

/** Room → rooms it may import beside that. A room is the longest key that is a prefix of the file's path. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  model: [],
  schema: ['model'],
  trace: ['model'],
  yaml: ['model'],
  telemetry: ['base', 'model'],
  'dialects/card-forms.ts': ['model'],
  // It names the ids of the dialects there are, which is a type.
  'dialects/dialect.ts': ['model', 'dialects'],
  'dialects/expectations.ts': ['model', 'dialects/dialect.ts'],
  'dialects/message-schemas.ts': ['model', 'schema', 'dialects/dialect.ts'],
  'dialects/errors': ['model', 'dialects/dialect.ts'],
  'dialects/losses.ts': ['model', 'dialects/dialect.ts'],
  'dialects/instant.ts': ['model'],
  'dialects/older-shapes.ts': ['model', 'dialects/losses.ts'],
  ...Object.fromEntries(GENERATIONS.map((folder) => [folder, ['model', 'schema', ...VOCABULARY]])),
  'dialects/table-codec.ts': ['model', 'schema', 'dialects/dialect.ts', 'dialects/losses.ts'],
  'dialects/version.ts': [],
  dialects: ['model', ...VOCABULARY, ...GENERATIONS],
  net: ['model', 'trace'],
  auth: ['model', 'net'],
  bindings: ['telemetry', 'model', 'net', 'trace', 'dialects/dialect.ts', 'dialects/expectations.ts'],
  discovery: ['model', 'dialects', 'bindings', 'net', 'trace'],
  client: ['telemetry', 'auth', 'model', 'dialects', 'discovery', 'bindings', 'net', 'trace'],
  'server/bus': ['model'],
  'server/store': ['model', 'server/bus', 'dialects/dialect.ts'],
  // A database is one folder; no folder knows another.
  'server/backend/memory': ['model', 'server/store', 'server/bus', 'server/backend/backend.ts'],
  'server/backend/sqlite': ['model', 'server/store', 'server/bus', 'server/backend/backend.ts'],
  'server/backend/postgres': ['model', 'server/store', 'server/bus', 'server/backend/backend.ts'],
  'server/backend/redis': ['model', 'server/store', 'server/bus', 'server/backend/backend.ts'],
  'server/backend/backend.ts': ['server/store', 'server/bus'],
  'server/backend': ['model', 'server/store', 'server/bus', 'server/backend'],
  'server/engine': ['telemetry', 'model', 'server/bus', 'server/store'],
  'server/auth': ['model', 'net'],
  'server/push': [
    'telemetry',
    'model',
    'net',
    'dialects',
    'server/bus',
    'server/store',
    'server/backend',
    'server/engine',
  ],
  server: [
    'telemetry',
    'model',
    'bindings',
    'dialects',
    'net',
    'server/auth',
    'server/backend',
    'server/bus',
    'server/engine',
    'server/push',
    'server/store',
  ],
  testing: ['model', 'server', 'dialects/dialect.ts'],
  agents: ['model', 'bindings', 'dialects', 'server'],
  artifacts: ['model'],
  mock: ['model', 'yaml', 'dialects', 'schema', 'net', 'trace', 'server', 'bindings', 'artifacts'],
  proxy: [
    'telemetry',
    'auth',
    'model',
    'yaml',
    'dialects',
    'discovery',
    'client',
    'bindings',
    'server',
    'artifacts',
    'trace',
    'net',
    'mock',
  ],
  scenario: [
    'model',
    'yaml',
    'schema',
    'dialects',
    'discovery',
    'bindings',
    'client',
    'judge',
    'mock',
    'proxy',
    'artifacts',
    'trace',
    'net',
    'run',
  ],
  judge: ['telemetry', 'auth', 'model', 'yaml', 'schema', 'dialects', 'discovery', 'bindings', 'net', 'trace'],
  run: ['model', 'schema', 'trace', 'yaml', 'judge', 'dialects'],
  grade: ['base', 'bindings', 'client', 'dialects', 'judge', 'model', 'net', 'run', 'server', 'trace', 'yaml'],
  matrix: [
    'bindings',
    'client',
    'dialects',
    'discovery',
    'grade',
    'judge',
    'model',
    'net',
    'run',
    'scenario',
    'trace',
    'yaml',
  ],
  report: ['run', 'judge', 'trace', 'model'],
  // Of the backends it takes how a database is opened, and why it cannot be.
  fleet: ['base', 'discovery', 'judge', 'model', 'net', 'run', 'server/backend', 'trace', 'yaml'],
  inspector: [
    'auth',
    'base',
    'model',
    'yaml',
    'dialects',
    'discovery',
    'bindings',
    'client',
    'grade',
    'judge',
    'mock',
    'net',
    'trace',
    'run',
    'report',
  ],
  cli: ['*'],
  // The root entry leads to all of them, when it is called.
  'index.ts': ['*'],
}

interface Import {
  from: string
  to: string
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'),
)
const texts = new Map(files.map((path) => [path, readFileSync(join(SRC, path), 'utf8')]))
const imports = [...texts].flatMap(([from, text]) => importsOf(from, text))

function importsOf(from: string, text: string): Import[] {
  const found = text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)
  return [...found].map(([, target = '']) => ({ from, to: relative(SRC, join(SRC, dirname(from), target)) }))
}

function roomOf(path: string): string {
  const rooms = Object.keys(MAY_IMPORT).filter((room) => path === room || path.startsWith(`${room}/`))
  return rooms.sort((a, b) => b.length - a.length)[0] ?? `(no room: ${path})`
}

describe('layering', () => {
  test('there are files and imports to judge', () => {
    expect(files.length).toBeGreaterThan(50)
    expect(imports.length).toBeGreaterThan(100)
  })

  test('every file stands in a room', () => {
    expect(files.filter((path) => roomOf(path).startsWith('('))).toEqual([])
  })

  test('rooms import only what they may', () => {
    const breaches = imports.filter(({ from, to }) => {
      const [room, target] = [roomOf(from), roomOf(to)]
      const allowed = [BASE, ...(MAY_IMPORT[room] ?? [])]
      const isAllowed = allowed.some((name) => name === '*' || target === name || target.startsWith(`${name}/`))
      return room !== target && !isAllowed
    })
    expect(breaches.map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
  })

  test('no cycles between files', () => {
    expect(findCycle(imports.filter(({ from, to }) => isValueImport(from, to)))).toBeUndefined()
  })

  test('no export *', () => {
    expect([...texts].filter(([, text]) => /^export \*/m.test(text)).map(([path]) => path)).toEqual([])
  })

  test('nobody outside dialects/ branches on a version', () => {
    const branch = /[=!]==\s*'(0\.[123]|1\.0)(\.\d)?'/
    const breaches = [...texts].filter(([path, text]) => !path.startsWith('dialects/') && branch.test(text))
    expect(breaches.map(([path]) => path)).toEqual([])
  })

  test('nothing outside bindings/ asks which binding it is', () => {
    const branch = /\b(binding|transport)\w*\s*[=!]==\s*'(jsonrpc|rest|grpc)'|case '(jsonrpc|rest|grpc)'/i
    const breaches = [...texts].filter(([path, text]) => !path.startsWith('bindings/') && branch.test(text))
    expect(breaches.map(([path]) => path)).toEqual([])
  })

  test('requests and responses are values outside net/serve/: node:http is a type at most', () => {
    const rooms = /^(bindings|server|mock|proxy)\//
    const uses = /^import (?!type )[^;]*?from 'node:http'|new (IncomingMessage|ServerResponse)\b/m
    expect([...texts].filter(([path, text]) => rooms.test(path) && uses.test(text)).map(([path]) => path)).toEqual([])
  })

  test('the lenient HTTP parser is never enabled', () => {
    expect([...texts].filter(([, text]) => /insecureHTTPParser\s*:/.test(text)).map(([path]) => path)).toEqual([])
  })
})

describe('ARCHITECTURE.md', () => {
  const house = readFileSync(join(SRC, '..', 'ARCHITECTURE.md'), 'utf8')
  const walks = house.split(/^## /m).filter((section) => /^A .*, file by file/.test(section))
  const namedIn = (text: string) => new Set(Array.from(text.matchAll(/`([\w/-]+\.ts)`/g), ([, path = '']) => path))

  test('has at most 150 lines', () => {
    expect(house.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  })

  test('walks through files that exist, at most 25 each', () => {
    expect(walks.length).toBeGreaterThan(0)
    for (const walk of walks) {
      const files = [...namedIn(walk)]
      expect(files.filter((path) => !texts.has(path))).toEqual([])
      expect(files.length).toBeLessThanOrEqual(25)
    }
  })
})

/** Types are erased; only values can make a cycle at run time. */
function isValueImport(from: string, to: string): boolean {
  const text = texts.get(from) ?? ''
  const name = to.split('/').at(-1) ?? ''
  return (
    !new RegExp(`import type [^;]*?from '[^']*${name}'`).test(text) ||
    new RegExp(`import \\{[^}]*\\} from '[^']*${name}'`).test(text)
  )
}

function findCycle(edges: readonly Import[]): string | undefined {
  const next = Map.groupBy(edges, ({ from }) => from)
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): string | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path].join(' -> ')
    if (done.has(path)) return undefined
    for (const { to } of next.get(path) ?? []) {
      const cycle = visit(to, [...trail, path])
      if (cycle !== undefined) return cycle
    }
    done.add(path)
    return undefined
  }
  for (const path of next.keys()) {
    const cycle = visit(path, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}
