// Every schema in schemas/ is the shape the program itself reads or writes by, told to editors: written by
// `npx vitest run test/schemas.test.ts -u`, never by hand. Each has an address, says what every key means, and takes the
// examples of the documentation; a key that the loader does not know is unknown to the schema, too, and the reverse.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { parse } from 'yaml'
import { loadAll } from '../src/cli/commands.ts'
import { projectSchema } from '../src/cli/project-schema.ts'
import { configurableOptions } from '../src/cli/standing-values.ts'
import { listShape } from '../src/fleet/list-shape.ts'
import type { ConformanceReport } from '../src/judge/index.ts'
import { baselineShape } from '../src/judge/runner/baseline.ts'
import { behavioursShape } from '../src/judge/runner/behaviour-file.ts'
import { parseScript } from '../src/mock/script/load-script.ts'
import { SCRIPT_JSON_SCHEMA, scriptShape } from '../src/mock/script/script-shape.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../src/model/json.ts'
import { configShape } from '../src/proxy/proxy-config.ts'
import { RUN_RECORD_SCHEMA } from '../src/run/record-schema.ts'
import { type conformanceShape, REPORT_SCHEMA } from '../src/run/report-shape.ts'
import { caseShape } from '../src/scenario/cases/case-shape.ts'
import { matrixShape, parseMatrix } from '../src/scenario/matrix/matrix-shape.ts'
import { publishedSchema } from '../src/yaml/published-schema.ts'
import type { Infer, Shape } from '../src/yaml/shape.ts'
import { YamlSource } from '../src/yaml/source.ts'
import { rendered, renderedRun } from './report/rendered.ts'
import { sampleReport } from './report/sample-report.ts'
import { SAMPLE_RUNS } from './report/sample-runs.ts'

const ROOT = join(import.meta.dirname, '..')

function ofFile(name: string, title: string, description: string, { schema }: Shape<unknown>): JsonObject {
  return publishedSchema({ name, title: `Parley ${title}`, description }, schema)
}

const commands = await loadAll()
const PROJECT = projectSchema(commands)
const SCHEMAS: Readonly<Record<string, JsonObject>> = {
  'mock-script': SCRIPT_JSON_SCHEMA,
  case: ofFile(
    'case',
    'test case',
    'What parley run plays: a conversation through the proxy, and what must come.',
    caseShape,
  ),
  proxy: ofFile(
    'proxy',
    'proxy configuration',
    'What parley proxy --config reads: the agents behind it, and how.',
    configShape,
  ),
  'project-file': PROJECT,
  behaviors: ofFile(
    'behaviors',
    'behaviors',
    'What --behaviors reads: what to say so that the agent behaves that way.',
    behavioursShape,
  ),
  baseline: ofFile(
    'baseline',
    'baseline',
    'What --baseline reads: failures that are known, with the reason.',
    baselineShape,
  ),
  agents: ofFile('agents', 'list of agents', 'What parley fleet run reads: the agents of a fleet, and how.', listShape),
  matrix: ofFile('matrix', 'matrix', 'Servers and clients that are put together, in which ways.', matrixShape),
  report: REPORT_SCHEMA,
  'run-record': RUN_RECORD_SCHEMA,
}

const ajv = new Ajv({ strict: false, allowUnionTypes: true })
const validators = new Map(Object.entries(SCHEMAS).map(([name, schema]) => [name, ajv.compile(schema)]))

function problemsOf(name: string, value: unknown): string[] {
  const validate = validators.get(name)
  if (validate === undefined) throw new Error(`no schema ${name}`)
  return validate(value) ? [] : [JSON.stringify(validate.errors?.slice(0, 3))]
}

describe('schemas', () => {
  // That of the project file is written when the package is built, from the flags as they are then.
  const kept = Object.entries(SCHEMAS).filter(([name]) => name !== 'project-file')

  test.each(kept)('%s is published as it is', async (name, schema) => {
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(`../schemas/${name}.schema.json`)
  })

  test('there are no others', () => {
    const names = readdirSync(join(ROOT, 'schemas')).map((file) => file.replace('.schema.json', ''))
    expect(names.toSorted()).toEqual(Object.keys(SCHEMAS).toSorted())
  })

  test.each(Object.entries(SCHEMAS))('%s has an address, and says what each key means', (name, schema) => {
    expect(schema.$id).toBe(`https://unpkg.com/a2a-parley/schemas/${name}.schema.json`)
    expect(schema.title).toMatch(/^Parley /)
    expect(undescribed(schema)).toEqual([])
  })
})

/** Keys nobody explains; the meaning of a verdict's count is the verdict. */
function undescribed(value: JsonValue | undefined, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => undescribed(item, `${path}/${at}`))
  if (!isJsonObject(value)) return []
  const own = isJsonObject(value.properties) && !path.endsWith('/if') ? Object.entries(value.properties) : []
  const missing = own
    .filter(([, schema]) => isJsonObject(schema) && schema.description === undefined && schema.$ref === undefined)
    .filter(() => !/verdicts|\/suite\/|suite$|request$|response$|protocol/.test(path))
    .map(([key]) => `${path}/${key}`)
    .filter((key) => !/\/(protocol|request|response|messages|trailers|lines|transcript)$/.test(key))
  return [...missing, ...Object.entries(value).flatMap(([key, member]) => undescribed(member, `${path}/${key}`))]
}

/** The YAML of the documentation, by what its first key says it is. */
const KINDS: readonly [RegExp, string | undefined][] = [
  [/^servers:/m, 'matrix'],
  // Of interop/, which is no part of the package.
  [/^sdk:/m, undefined],
  [/^test_case_id:/m, 'case'],
  [/^every:/m, 'agents'],
  [/^agents:/m, 'proxy'],
  [/^known:/m, 'baseline'],
  [/^(task|delegate): /m, 'behaviors'],
  [/^(rules|agent|faults):/m, 'mock-script'],
  [/^(serve|send|test|profiles):/m, 'project-file'],
]

const examples = readdirSync(join(ROOT, 'docs'))
  .filter((file) => file.endsWith('.md'))
  .flatMap((file) => {
    const text = readFileSync(join(ROOT, 'docs', file), 'utf8')
    return Array.from(text.matchAll(/```yaml\n(.*?)```/gs), ([, block = ''], at) => ({ file, at, block }))
  })
  .flatMap(({ file, at, block }) => {
    const kind = KINDS.find(([pattern]) => pattern.test(block))?.[1]
    return kind === undefined ? [] : [[`${file} #${at + 1}`, kind, block] as const]
  })

describe('the examples of the documentation', () => {
  test('are of every kind a person writes', () => {
    const written = new Set(examples.map(([, kind]) => kind))
    expect([...written].toSorted()).toEqual(
      ['agents', 'baseline', 'behaviors', 'case', 'matrix', 'mock-script', 'project-file', 'proxy'].toSorted(),
    )
  })

  test.each(examples)('%s is a valid %s', (_, kind, block) => {
    expect(problemsOf(kind, parse(block))).toEqual([])
  })

  test.each(readdirSync(join(ROOT, 'suites', 'proxy')))('suites/proxy/%s is a valid case', (file) => {
    expect(problemsOf('case', parse(readFileSync(join(ROOT, 'suites', 'proxy', file), 'utf8')))).toEqual([])
  })
})

const SHAPES: readonly [string, Shape<unknown>][] = [
  ['mock-script', scriptShape],
  ['case', caseShape],
  ['proxy', configShape],
  ['behaviors', behavioursShape],
  ['baseline', baselineShape],
  ['matrix', matrixShape],
]

/** The keys the loader itself names when it meets one it does not know. */
function keysOfLoader(shape: Shape<unknown>): string[] {
  const source = new YamlSource('file.yaml', 'zzzzzzzzzzzz: 1')
  shape.read(source.root, source, '')
  const [, known = ''] = /known are (.*)$/.exec(source.problems[0]?.message ?? '') ?? []
  return known.split(', ')
}

describe('what the loader knows', () => {
  test.each(SHAPES)('%s: the same keys', (name, shape) => {
    const { properties } = SCHEMAS[name] ?? {}
    expect(keysOfLoader(shape).toSorted()).toEqual(Object.keys(isJsonObject(properties) ? properties : {}).toSorted())
  })

  test('project file: the flags of every command', () => {
    const { properties } = PROJECT
    for (const command of commands) {
      const section = isJsonObject(properties) ? properties[command.name()] : undefined
      const known = isJsonObject(section) && isJsonObject(section.properties) ? Object.keys(section.properties) : []
      expect(known.toSorted()).toEqual(
        configurableOptions(command)
          .map(({ long }) => long?.slice(2) ?? '')
          .toSorted(),
      )
    }
  })

  test.each([
    ['mock-script', 'rulez: []'],
    ['case', 'test_case_id: a\nlater: 1'],
    ['proxy', 'agent: []'],
    ['project-file', 'serv: { port: 1 }'],
    ['project-file', 'serve: { prot: 1 }'],
    ['behaviors', 'slowly: x'],
    ['baseline', 'known: [{ check: x }]'],
    ['matrix', 'servers: []'],
  ])('%s refuses %s', (name, yaml) => {
    expect(problemsOf(name, parse(yaml))).not.toEqual([])
  })
})

describe('what Parley writes', () => {
  type Flat<T> = T extends readonly (infer U)[] ? Flat<U>[] : T extends object ? { [K in keyof T]: Flat<T[K]> } : T

  test('the report has the members of its type', () => {
    // The second report has no second.
    expectTypeOf<Flat<Omit<Infer<typeof conformanceShape>, 'second'>>>().toEqualTypeOf<
      Flat<Omit<ConformanceReport, 'second'>>
    >()
    expect(problemsOf('report', JSON.parse(rendered('json', sampleReport())))).toEqual([])
  })

  test.each(Object.entries(SAMPLE_RUNS))('a run of %s, as document and as record', (_, run) => {
    expect(problemsOf('report', JSON.parse(renderedRun('json', run)))).toEqual([])
    for (const line of renderedRun('run', run).trimEnd().split('\n'))
      expect(problemsOf('run-record', JSON.parse(line))).toEqual([])
  })
})

describe('a matrix', () => {
  const GOOD = `servers: [{ name: js, command: [node, server.js] }, { name: go, url: "http://127.0.0.1:1", versions: [1.0] }]
clients: [{ name: python, command: [python, client.py, "{url}"], harness: ndjson }]
known: [{ client: python, server: go, conversation: push, reason: not built in }]
`
  test('is read', () => {
    expect(parseMatrix(GOOD)).toMatchObject({ servers: [{ name: 'js' }, { name: 'go' }], known: [{ server: 'go' }] })
    expect(problemsOf('matrix', parse(GOOD))).toEqual([])
  })

  test.each([
    [GOOD.replace('command: [node, server.js]', 'version: "1"'), 'needs exactly one of url, command'],
    [GOOD.replace('name: go', 'name: js'), "two servers are called 'js'"],
    [GOOD.replace('server: go', 'server: rust'), "known names the server 'rust'"],
    [GOOD.replace('harness', 'harnes'), "did you mean 'harness'"],
  ])('%# is refused in one sentence', (yaml, message) => {
    expect(() => parseMatrix(yaml)).toThrow(message)
  })
})

test('the script of an example plays', () => {
  const [, , block = ''] = examples.find(([, kind]) => kind === 'mock-script') ?? []
  expect(parseScript(block)).toBeDefined()
})
