// How a check is declared: metadata plus a body of five to fifteen lines. The register rows a check proves decide
// where it runs: on the generations whose register has the row, on the bindings and capabilities the row names.

import { BINDINGS } from '../../bindings/registry.ts'
import type { BindingId } from '../../dialects/dialect.ts'
import { BINDING_IDS } from '../../dialects/dialect.ts'
import type { GenerationRules } from '../../dialects/expectations.ts'
import type { Behaviour } from '../probe/behaviours.ts'
import type { Inspect, ObservationKind } from '../probe/observation.ts'
import type { Probe } from '../probe/probe.ts'
import type { Ground } from '../probe/run-context.ts'
import type { Level } from '../register.ts'
import type { Category } from '../runner/result.ts'

export type Title = `${Level} ${string}`

/** 1 card, 2 read-only, 3 tasks, 4 streaming, 5 push, 6 opt-in, 7 what was made is read again. From 3 on the agent's
 * state changes. */
export type Phase = 1 | 2 | 3 | 4 | 5 | 6 | 7

/**
 * What a check cannot do without, beyond network access; missing needs make it not-measured. `check:<id>` is another
 * check it stands on: that one runs before, and when it fails, this one is not measured.
 */
export type Need =
  | 'webhook'
  | 'credentials'
  | 'second-identity'
  | 'signed-card'
  | `behaviour:${Behaviour}`
  | `check:${string}`

/**
 * `surface`: once per generation and binding. `generation`: once per generation. `card`: once per generation whose
 * form the card takes.
 */
export type ExpandOver = 'surface' | 'generation' | 'card'

/** What is about HTTP itself: server-sent events, media types, statuses. */
export const OVER_HTTP: readonly BindingId[] = BINDING_IDS.filter((id) => BINDINGS[id].probe.isHttp1)

export interface CheckMeta {
  /** Register rows; rows of the same id in several generations make the check run on each of them. */
  proves: readonly string[]
  /** The recommendation: what the author of a failing agent should change. */
  fix: string
  needs?: readonly Need[]
  /**
   * Checks that are about more than this one, such as the check of an error that this one only meets. They run before;
   * when one of them failed and this one fails too, theirs is the finding, and this one is not measured.
   */
  yieldsTo?: readonly string[]
  /** Shows whether the operation (or the preparation) works at all: when it fails, no other check of that surface uses it. */
  groundOf?: Ground
  /**
   * Its business is one of the errors: when it fails, what others of that surface meet in the same way is told by it
   * (probe/symptoms.ts). Runs right after the grounds.
   */
  tells?: true
  /** Compares the bindings of a generation, and stands on what it names over all of them. */
  across?: true
  expandOver?: ExpandOver
  /** Disturbs or is disturbed by other checks; runs when nothing else does. */
  exclusive?: boolean
  /** Without it the agent is non-conformant, whatever else works. */
  mandatory?: boolean
  phase?: Phase
  category?: Category
  /** Only over these bindings, although the row speaks of all. */
  bindings?: readonly BindingId[]
  /** Only on generations with such rules, although other registers know the row as well. */
  where?: (rules: GenerationRules) => boolean
  /** For `parley explain`: why it matters to a client. */
  why?: string
  /** For `parley explain`: what usually goes wrong. */
  causes?: readonly string[]
}

export interface Check {
  readonly id: string
  readonly title: Title
  readonly level: Level
  readonly meta: CheckMeta
  /** What it does; absent for checks that only watch. Some do both. */
  readonly body?: (t: Probe) => Promise<void>
  /** What it looks at whenever some check sees one. */
  readonly passive?: { readonly of: readonly ObservationKind[]; readonly inspect: Inspect }
}

export interface PlacedCheck extends Check {
  readonly area: string
  readonly category: Category
  readonly phase: Phase
  readonly expandOver: ExpandOver
  readonly bindings: readonly BindingId[]
}

export interface AreaDefaults {
  name: string
  category: Category
  phase: Phase
  expandOver?: ExpandOver
  bindings?: readonly BindingId[]
  /** Of all checks of the area, before their own. */
  needs?: readonly Need[]
  /** Of all checks of the area, before their own. */
  yieldsTo?: readonly string[]
}

export function check(id: string, title: Title, meta: CheckMeta, body: (t: Probe) => Promise<void>): Check {
  return { id, title, level: levelOf(title), meta, body }
}

function levelOf(title: Title): Level {
  return title.startsWith('MUST ') ? 'MUST' : title.startsWith('SHOULD ') ? 'SHOULD' : 'MAY'
}

/** A claim about everything the agent says, whoever asked: `inspect` sees each value once. */
export function observed(
  id: string,
  title: Title,
  meta: Omit<CheckMeta, 'exclusive'>,
  of: readonly ObservationKind[],
  inspect: Inspect,
): Check {
  return { id, title, level: levelOf(title), meta, passive: { of, inspect } }
}

/** A check that also looks at everything the agent says in the run: the one claim, wherever it can be held against. */
export function everywhere(item: Check, of: readonly ObservationKind[], inspect: Inspect): Check {
  return { ...item, passive: { of, inspect } }
}

/** One file, one area: its checks share a category and a phase unless they say otherwise. */
export function area(defaults: AreaDefaults, checks: readonly Check[]): PlacedCheck[] {
  return checks.map((item) => ({
    ...item,
    meta: withAreas(item.meta, defaults),
    area: defaults.name,
    category: item.meta.category ?? defaults.category,
    phase: item.meta.phase ?? defaults.phase,
    expandOver: item.meta.expandOver ?? defaults.expandOver ?? 'surface',
    bindings: item.meta.bindings ?? defaults.bindings ?? BINDING_IDS,
  }))
}

function withAreas(meta: CheckMeta, { needs = [], yieldsTo = [] }: AreaDefaults): CheckMeta {
  const whole = { ...meta }
  if (needs.length > 0) whole.needs = [...new Set([...needs, ...(meta.needs ?? [])])]
  if (yieldsTo.length > 0) whole.yieldsTo = [...new Set([...yieldsTo, ...(meta.yieldsTo ?? [])])]
  return whole
}
