// The requirement registers: what each generation asks of an agent, as data in requirements/. Read on first use, because
// most commands never need them.

import { BINDINGS } from '../bindings/registry.ts'
import type { BindingId, DialectId } from '../dialects/dialect.ts'
import { DIALECT_IDS } from '../dialects/index.ts'
import { readRequirementFile } from './requirement-file.ts'

/** How strongly the specification asks for it. */
export type Level = 'MUST' | 'SHOULD' | 'MAY'

export type Capability =
  | 'none'
  | 'streaming'
  | 'no-streaming'
  | 'pushNotifications'
  | 'no-pushNotifications'
  | 'extendedAgentCard'
  | 'no-extendedAgentCard'
  | 'extensions'
  | 'signatures'
  | 'auth'
  | 'multi-binding'
  | 'custom-binding'
  | 'stateTransitionHistory'

export interface Requirement {
  id: string
  section: string
  level: Level
  binding: 'all' | 'jsonrpc' | 'http-json' | 'grpc'
  json_only?: boolean
  capability: Capability
  side: 'server' | 'client'
  statement: string
  probe: string
  /** What a tester needs beyond plain access. */
  needs?: string
  source: string
  note?: string
}

export interface Register {
  readonly generation: DialectId
  readonly rows: ReadonlyMap<string, Requirement>
}

export const GENERATIONS: readonly DialectId[] = DIALECT_IDS

interface RegisterFile {
  /** A generation whose rows hold here, too, unless one of the same id stands below. */
  extends?: DialectId
  requirements: readonly Requirement[]
}

const loaded = new Map<DialectId, Register>()

export function registerOf(generation: DialectId): Register {
  const known = loaded.get(generation)
  if (known !== undefined) return known
  const { extends: base, requirements } = readRequirementFile<RegisterFile>(generation)
  const inherited = base === undefined ? [] : registerOf(base).rows
  const register = { generation, rows: new Map([...inherited, ...requirements.map((row) => [row.id, row] as const)]) }
  loaded.set(generation, register)
  return register
}

/** Rows no check can prove from outside, each with the written reason. */
export function exclusions(): ReadonlyMap<string, string> {
  return new Map(Object.entries(readRequirementFile<{ [id: string]: string } | null>('exclusions') ?? {}))
}

const STRENGTH: Readonly<Record<Level, number>> = { MUST: 0, SHOULD: 1, MAY: 2 }

/** The strongest demand among the rows; undefined without rows. */
export function strongest(rows: readonly Pick<Requirement, 'level'>[]): Level | undefined {
  return rows.map(({ level }) => level).toSorted((a, b) => STRENGTH[a] - STRENGTH[b])[0]
}

/** A place where the texts contradict each other, and how it is judged; rendered to docs/spec-conflicts.md. */
export interface SpecConflictRow {
  place: number
  version: string
  where: string[]
  conflict: string
  judged: string
  checks: string[]
}

let conflicts: ReadonlyMap<number, SpecConflictRow> | undefined

export function specConflicts(): ReadonlyMap<number, SpecConflictRow> {
  conflicts ??= new Map(readRequirementFile<SpecConflictRow[]>('spec-conflicts').map((row) => [row.place, row]))
  return conflicts
}

/** Does the row speak about this binding? */
export function coversBinding(row: Requirement, binding: BindingId): boolean {
  if (row.binding === 'all') return true
  return row.binding === BINDINGS[binding].registerName
}
