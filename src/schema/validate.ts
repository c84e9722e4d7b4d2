// Raw JSON in, list of issues out. Nothing here knows a codec: the judge and the dialects share the schemas, not
// each other's opinion. Ajv and each validator come into being at first use, so that start-up pays for none.

import { createRequire } from 'node:module'
import type { Ajv, KeywordCxt, Options, ValidateFunction } from 'ajv'
import type { Issue } from '../model/issue.ts'
import type { Definitions } from './definition.ts'
import { isBase64, isTimestamp, isUtcTimestamp } from './formats.ts'
import { issuesOf } from './issues.ts'
import { type Tolerated, tolerant } from './tolerant.ts'
import { DEFINITIONS_0_1, type SchemaName0_1 } from './v0_1/definitions.ts'
import { TOLERATED_0_1 } from './v0_1/tolerated.ts'
import { DEFINITIONS_0_3, type SchemaName0_3 } from './v0_3/definitions.ts'
import { TOLERATED_0_3 } from './v0_3/tolerated.ts'
import { DEFINITIONS_1_0, type SchemaName1_0 } from './v1_0/definitions.ts'
import { TOLERATED_1_0 } from './v1_0/tolerated.ts'

export interface SchemaNames {
  '0.1': SchemaName0_1
  '0.3': SchemaName0_3
  '1.0': SchemaName1_0
}

export type Generation = keyof SchemaNames

const GENERATIONS: Readonly<Record<Generation, { definitions: Definitions; tolerated: Tolerated }>> = {
  '0.1': { definitions: DEFINITIONS_0_1, tolerated: TOLERATED_0_1 },
  '0.3': { definitions: DEFINITIONS_0_3, tolerated: TOLERATED_0_3 },
  '1.0': { definitions: DEFINITIONS_1_0, tolerated: TOLERATED_1_0 },
}

const NO_ISSUES: readonly Issue[] = Object.freeze([])

/**
 * Everything that is wrong with `value`; empty when it is valid. Of a large value only the first fault is told: looking for
 * all of them takes the square of their number, which anybody can make as large as a document may be.
 */
export function validate<G extends Generation>(
  generation: G,
  name: SchemaNames[G],
  value: unknown,
  most: number = ANSWER_VALUES,
): readonly Issue[] {
  if (isValid(generation, name, value)) return NO_ISSUES
  const check = validator(hasAtMost(most, value) ? 'explaining' : 'locating', generation, name)
  check(value)
  return issuesOf(check.errors ?? [])
}

/** So many values of a peer's answer are looked through for all that is wrong with them. */
const ANSWER_VALUES = 20_000
/** The same of a stranger's request, while others wait. */
export const REQUEST_VALUES = 2_000

function hasAtMost(most: number, value: unknown): boolean {
  const waiting: unknown[] = [value]
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen + waiting.length > most) return false
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    const members: unknown[] = Array.isArray(next) ? next : Object.values(next)
    if (members.length > most) return false
    for (const member of members) waiting.push(member)
  }
  return true
}

/** The cheap question: stops at the first fault and builds no messages. */
export function isValid<G extends Generation>(generation: G, name: SchemaNames[G], value: unknown): boolean {
  return validator('deciding', generation, name)(value)
}

/**
 * Reads a peer's answer with the defaults of `tolerated.ts` standing in for what it forgot. The value itself is left
 * alone: undefined means not even that helps.
 */
export function readTolerantly<G extends Generation>(generation: G, name: SchemaNames[G], value: unknown): unknown {
  const copy: unknown = structuredClone(value)
  return validator('tolerant', generation, name)(copy) ? copy : undefined
}

type Purpose = 'deciding' | 'explaining' | 'locating' | 'tolerant'

const OPTIONS: Readonly<Record<Purpose, Options>> = {
  deciding: {},
  explaining: { allErrors: true, verbose: true },
  locating: { verbose: true },
  tolerant: { useDefaults: true },
}

/** Validators by schema name, made on demand: nothing is concatenated or compiled on the hot path. */
interface Engine {
  ajv: Ajv
  validators: Map<string, ValidateFunction>
}

const require = createRequire(import.meta.url)
const engines: Readonly<Record<Purpose, Map<Generation, Engine>>> = {
  deciding: new Map(),
  explaining: new Map(),
  locating: new Map(),
  tolerant: new Map(),
}

function validator(purpose: Purpose, generation: Generation, name: string): ValidateFunction {
  const { ajv, validators } = engines[purpose].get(generation) ?? makeEngine(purpose, generation)
  const known = validators.get(name)
  if (known !== undefined) return known
  const compiled = ajv.compile({ $ref: `a2a#/definitions/${name}` })
  validators.set(name, compiled)
  return compiled
}

function makeEngine(purpose: Purpose, generation: Generation): Engine {
  const { Ajv } = ajvModule()
  // The definitions are ours and a test checks them, so nobody waits for the meta-schema at run time. Tidying the
  // generated code takes half of the compilation and V8 does it anyway.
  const ajv = new Ajv({
    ...OPTIONS[purpose],
    ...{ allowUnionTypes: true, validateSchema: false, meta: false, code: { optimize: false } },
  })
  ajv.addFormat('base64', isBase64)
  ajv.addFormat('timestamp', isTimestamp)
  ajv.addFormat('utc-timestamp', isUtcTimestamp)
  ajv.addKeyword({ keyword: 'exactlyOneOf', type: 'object', schemaType: 'array', code: exactlyOneOf })
  const { definitions, tolerated } = GENERATIONS[generation]
  const table = purpose === 'tolerant' ? tolerant(definitions, tolerated) : definitions
  ajv.addSchema({ $id: 'a2a', definitions: table })
  const engine = { ajv, validators: new Map() }
  engines[purpose].set(generation, engine)
  return engine
}

function ajvModule(): typeof import('ajv') {
  return require('ajv') as typeof import('ajv')
}

/** Written into the validator instead of called by it: every part of every message asks this question. */
function exactlyOneOf(context: KeywordCxt): void {
  const { _ } = ajvModule()
  const names = context.schema as readonly string[]
  const present = names.map((name) => _`(${context.data}[${name}] === undefined ? 0 : 1)`)
  context.fail(_`${present.reduce((sum, one) => _`${sum} + ${one}`)} !== 1`)
}
