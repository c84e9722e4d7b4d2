// What all checks of a run share: the agent, the wire, the observers, the fixtures made once, and how long to wait.

import type { JWK } from 'jose'
import type { BindingId, DialectId, SpecRevision } from '../../dialects/dialect.ts'
import type { Operation } from '../../model/operation.ts'
import type { Behaviour, BehaviourSource } from './behaviours.ts'
import type { Ledger } from './ledger.ts'
import type { Observation } from './observation.ts'
import type { Said } from './said.ts'
import type { Sequence } from './sequence.ts'
import type { Spoiled } from './spoiled.ts'
import type { AgentFacts, Identity, Surface } from './surface.ts'
import type { Wire } from './wire.ts'

/**
 * What checks count on without judging it: an operation, a behaviour of the agent, a task that is left working
 * (`working`), a task that comes to its end (`finished`).
 */
export type Ground = Operation | Behaviour | 'working' | 'finished'

export interface RunContext {
  readonly agent: AgentFacts
  readonly wire: Wire
  readonly revision: SpecRevision
  /** Ends the run, and with it whatever checks share. */
  readonly signal: AbortSignal
  /** Per task, and per call. */
  readonly timeoutMs: number
  readonly behaviours: BehaviourSource
  /** Headers that identify the caller; `second` is undefined without --bearer-b. */
  readonly credentials: Readonly<Record<Exclude<Identity, 'second'>, readonly (readonly [string, string])[]>> & {
    readonly second: readonly (readonly [string, string])[] | undefined
  }
  /** Public keys the user trusts for the signatures of the card. */
  readonly cardKeys: readonly JWK[]
  /** Hands what was seen to the schema and the observed checks. */
  watch(observation: Observation): void
  /** The check that shows whether this works at all on the surface, if it failed. */
  brokenGround(surface: Surface, ground: Ground): { message: string; blockedBy: string } | undefined
  /** Made once per surface and shared by all checks that only look at it. */
  readonly fixtures: Map<string, Promise<unknown>>
  /** Ids that were made up: no task has them. */
  readonly unusedIds: Set<string>
  /** What went out broken on purpose, and what came of it. */
  readonly spoiled: Spoiled
  /** The messages that went out. */
  readonly said: Said
  readonly sequence: Sequence
  /** What is known of the tasks of a surface. */
  ledgerOf(surface: { generation: DialectId; binding: BindingId }): Ledger
  /** Tasks that checks share: looked at by all, changed by none. */
  readonly kept: Set<string>
  /** Ids of tasks the run made, for the provenance of the report. */
  readonly tasksCreated: Set<string>
}
