// Which checks run where, in which order, and which cannot. Everything here follows from data: the rows a check
// proves say the generations, bindings and capabilities; the card and the flags say what there is.

import type { BindingId, DialectId } from '../../dialects/dialect.ts'
import { dialectById } from '../../dialects/index.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Need, PlacedCheck } from '../checks/check.ts'
import { type Behaviour, type BehaviourSource, promptFor } from '../probe/behaviours.ts'
import { demandsAuth } from '../probe/demands-auth.ts'
import { WANTED_CREDENTIALS } from '../probe/gate.ts'
import { listAt, objectAt } from '../probe/raw.ts'
import type { AgentFacts, Surface } from '../probe/surface.ts'
import {
  type Capability,
  coversBinding,
  GENERATIONS,
  type Level,
  type Requirement,
  registerOf,
  strongest,
} from '../register.ts'
import { orderByGrounds, withGrounds } from './grounds.ts'
import { answersTo, unknownSelection } from './vocabulary.ts'

export interface Case {
  readonly check: PlacedCheck
  /** `get-task-unknown@1.0/jsonrpc`. */
  readonly key: string
  readonly generation: DialectId
  /** Undefined where the binding plays no part. */
  readonly binding: BindingId | undefined
  readonly surface: Surface
  readonly rows: readonly Requirement[]
  /** The strongest of its rows: what one generation demands, another may only advise. */
  readonly level: Level
  /** The phase of its check, or earlier when others stand on it. */
  readonly phase: number
  /** Runs while nothing else does. */
  readonly exclusive?: boolean
  /** Keys of the cases it stands on. */
  readonly grounds?: readonly string[]
  /** Keys of the cases whose failure explains a failure of this one. */
  readonly yieldsTo?: readonly string[]
  /** Not asked for, but what was asked for stands on it; reported only when it fails. */
  readonly isGroundOnly?: true
  /** Why it will not run. */
  readonly skip?: {
    verdict: 'not-applicable' | 'not-measured'
    reason: string
    wouldNeed?: string
    /** Set when the run, not the agent, is why. */
    notRun?: string
  }
}

export interface PlanOptions {
  /** Check ids, register ids, areas or sections; all when empty. */
  only: readonly string[]
  skip: readonly string[]
  sideEffects: 'none' | 'all'
  behaviours: BehaviourSource
  hasCredentials: boolean
  hasSecondIdentity: boolean
}

const LAST_READ_ONLY_PHASE = 2

export function plan(checks: readonly PlacedCheck[], facts: AgentFacts, options: PlanOptions): Case[] {
  const selected = select(checks, options)
  const asked = new Set(selected)
  const skipped = new Set(options.skip.length === 0 ? [] : checks.filter((check) => isSkipped(check, options)))
  const cases: Case[] = []
  for (const check of withGrounds(selected, checks).filter((one) => !skipped.has(one))) {
    for (const generation of GENERATIONS) {
      if (check.meta.where?.(dialectById(generation).expects.rules) === false) continue
      for (const place of placesOf(check, generation, facts)) {
        const rows = rowsFor(check, generation, place.binding)
        if (rows.length === 0) continue
        const made = makeCase(check, generation, place, rows, facts, options)
        cases.push(asked.has(check) ? made : { ...made, isGroundOnly: true })
      }
    }
  }
  return orderByGrounds(cases)
}

interface Place {
  surface: Surface
  binding: BindingId | undefined
}

function placesOf(check: PlacedCheck, generation: DialectId, facts: AgentFacts): Place[] {
  const own = facts.surfaces.filter(
    (surface) => surface.generation === generation && check.bindings.includes(surface.binding),
  )
  switch (check.expandOver) {
    case 'surface':
      return own.map((surface) => ({ surface, binding: surface.binding }))
    case 'generation':
      return own.slice(0, 1).map((surface) => ({ surface, binding: undefined }))
    case 'card': {
      if (!facts.cardForms.includes(generation)) return []
      const surface = own[0] ?? cardOnly(generation, facts)
      return surface === undefined ? [] : [{ surface, binding: undefined }]
    }
  }
}

/** A card can be judged although nothing behind it answers. */
function cardOnly(generation: DialectId, facts: AgentFacts): Surface | undefined {
  const dialect = dialectById(generation)
  return { generation, binding: 'jsonrpc', url: facts.cardUrl ?? 'http://127.0.0.1/', tenant: undefined, dialect }
}

/** The rows of that generation's register the check proves on that binding. */
export function rowsFor(check: PlacedCheck, generation: DialectId, binding: BindingId | undefined): Requirement[] {
  const { rows } = registerOf(generation)
  return check.meta.proves.flatMap((id) => {
    const row = rows.get(id)
    if (row === undefined) return []
    return binding === undefined || coversBinding(row, binding) ? [row] : []
  })
}

function makeCase(
  check: PlacedCheck,
  generation: DialectId,
  place: Place,
  rows: readonly Requirement[],
  facts: AgentFacts,
  options: PlanOptions,
): Case {
  const key = `${check.id}@${generation}${place.binding === undefined ? '' : `/${place.binding}`}`
  const missing = rows.map((row) => missingCapability(row.capability, facts, generation))
  const level = strongest(rows.filter((_, at) => missing[at] === undefined)) ?? strongest(rows) ?? check.level
  const common = { check, key, generation, rows, level, phase: check.phase, ...place }
  // One row that applies is enough: the check knows how to treat the others.
  const reason = missing.every((why) => why !== undefined) ? missing[0] : undefined
  if (reason !== undefined) {
    if (facts.card === undefined) return { ...common, skip: { verdict: 'not-measured', ...WITHOUT_CARD } }
    return { ...common, skip: { verdict: 'not-applicable', reason } }
  }
  if (options.sideEffects === 'none' && check.phase > LAST_READ_ONLY_PHASE) {
    const skip = {
      verdict: 'not-measured',
      reason: 'it would change the state of the agent',
      wouldNeed: '--side-effects all',
      notRun: '--side-effects none',
    } as const
    return { ...common, skip }
  }
  for (const need of check.meta.needs ?? []) {
    const lack = missingNeed(need, facts, options)
    if (lack !== undefined) return { ...common, skip: { verdict: 'not-measured', ...lack } }
  }
  return common
}

/** What the agent declares, and what it does not, stands in its card. */
const WITHOUT_CARD = { reason: 'the agent has no readable card', wouldNeed: 'a card at /.well-known/agent-card.json' }

function missingNeed(
  need: Need,
  facts: AgentFacts,
  options: PlanOptions,
): { reason: string; wouldNeed: string } | undefined {
  if (need === 'webhook' || need.startsWith('check:')) return undefined
  if (need === 'credentials') {
    if (options.hasCredentials) return undefined
    return {
      reason: 'no credentials were given',
      wouldNeed: WANTED_CREDENTIALS,
    }
  }
  if (need === 'second-identity') {
    if (options.hasSecondIdentity) return undefined
    return { reason: 'no second identity is known', wouldNeed: 'the credentials of another user: --bearer-b' }
  }
  if (need === 'signed-card') {
    if ((listAt(facts.card, 'signatures') ?? []).length > 0) return undefined
    return { reason: 'the card is not signed', wouldNeed: 'a signed card' }
  }
  const behaviour = need.slice('behaviour:'.length) as Behaviour
  if (promptFor(behaviour, options.behaviours) !== undefined) return undefined
  return {
    reason: `nothing is known that makes the agent show the behavior "${behaviour}"`,
    wouldNeed: `a prompt for "${behaviour}" in the file given with --behaviors`,
  }
}

/** A sentence when the card does not declare what the row is about; undefined when it does. */
function missingCapability(capability: Capability, facts: AgentFacts, generation: DialectId): string | undefined {
  const { card } = facts
  if (card === undefined && capability !== 'none') return WITHOUT_CARD.reason
  const negated = /^no-(.*)$/.exec(capability)?.[1]
  if (negated !== undefined) {
    return hasFlag(card, negated) ? `the card declares ${negated}` : undefined
  }
  if (capability === 'none') return undefined
  const special = SPECIAL_CAPABILITIES[capability]
  if (special !== undefined) return special.isDeclared(facts, generation) ? undefined : special.reason
  return hasFlag(card, capability) ? undefined : `the card does not declare ${capability}`
}

interface SpecialCapability {
  isDeclared(facts: AgentFacts, generation: DialectId): boolean
  reason: string
}

/** Preconditions that are no flag of the card. */
const SPECIAL_CAPABILITIES: Readonly<Partial<Record<Capability, SpecialCapability>>> = {
  auth: { isDeclared: ({ card }) => demandsAuth(card), reason: 'the card requires no authentication' },
  signatures: {
    isDeclared: ({ card }) => (listAt(card, 'signatures') ?? []).length > 0,
    reason: 'the card is not signed',
  },
  extensions: {
    isDeclared: ({ card }) => (listAt(objectAt(card, 'capabilities'), 'extensions') ?? []).length > 0,
    reason: 'the card declares no extensions',
  },
  'multi-binding': {
    isDeclared: ({ surfaces }, generation) => surfaces.filter((one) => one.generation === generation).length > 1,
    reason: 'the agent offers only one binding',
  },
  'custom-binding': {
    isDeclared: ({ declared }) => declared.some((entry) => entry.bindingText.includes(':')),
    reason: 'the card declares no custom binding',
  },
}

function hasFlag(card: JsonObject | undefined, capability: string): boolean {
  const flags = objectAt(card, 'capabilities')
  if (flags?.[capability] === true) return true
  // Before 1.0 the extended card was announced at the top of the card.
  return capability === 'extendedAgentCard' && card?.supportsAuthenticatedExtendedCard === true
}

/** --only and --skip take any word of the vocabulary; anything else gets a suggestion. */
export function checkSelection(
  checks: readonly PlacedCheck[],
  { only = [], skip = [] }: { only?: readonly string[]; skip?: readonly string[] },
): void {
  for (const wanted of [...only, ...skip]) {
    if (!checks.some((check) => answersTo(check, wanted))) throw unknownSelection(wanted, checks)
  }
}

function select(checks: readonly PlacedCheck[], options: PlanOptions): PlacedCheck[] {
  checkSelection(checks, options)
  return checks.filter(
    (check) =>
      (options.only.length === 0 || options.only.some((wanted) => answersTo(check, wanted))) &&
      !isSkipped(check, options),
  )
}

function isSkipped(check: PlacedCheck, options: PlanOptions): boolean {
  return options.skip.some((wanted) => answersTo(check, wanted))
}
