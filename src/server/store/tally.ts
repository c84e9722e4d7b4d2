// How ListTasks knows exact totals without counting a million tasks: every durable store keeps, per scope and state, how
// many tasks came to rest (ended, or wait for the client) in which span of time. Spans are powers of two of
// milliseconds; their bounds never move, so writers need not agree on anything. Tasks under way are few and change
// often: they are counted on request.

import { isSettled } from '../../model/state-machine.ts'
import type { Task, TaskState } from '../../model/task.ts'
import { statusMsOf } from './page-token.ts'

/** A span of this width is `milliseconds >> width`: about a minute, about 19 hours, and all time. */
export const FINE = 16
export const COARSE = 26
export const WHOLE = 62

const WIDTHS = [FINE, COARSE, WHOLE] as const

/** What a task contributes to the totals. */
export interface StatusKey {
  readonly state: TaskState
  readonly statusMs: number
}

export function statusKeyOf({ status }: Pick<Task, 'status'>): StatusKey {
  return { state: status.state, statusMs: statusMsOf(status) }
}

export interface TallyChange {
  readonly width: number
  readonly span: number
  readonly state: TaskState
  readonly by: 1 | -1
}

const NONE: readonly TallyChange[] = []

export function isTallied(state: TaskState): boolean {
  return isSettled(state)
}

/** Always in the same order, so that two writers never wait for each other. `from` is undefined for a new task. */
export function tallyChanges(from: StatusKey | undefined, to: StatusKey): readonly TallyChange[] {
  const wasTallied = from !== undefined && isTallied(from.state)
  if (!wasTallied && !isTallied(to.state)) return NONE
  const changes: TallyChange[] = []
  for (const width of WIDTHS) {
    const old = wasTallied ? changeOf(width, from, -1) : undefined
    const now = isTallied(to.state) ? changeOf(width, to, 1) : undefined
    if (old !== undefined && now !== undefined && old.span === now.span && old.state === now.state) continue
    const both = [old, now].filter((change) => change !== undefined)
    changes.push(...both.sort((a, b) => a.span - b.span || (a.state < b.state ? -1 : 1)))
  }
  return changes
}

function changeOf(width: number, { state, statusMs }: StatusKey, by: 1 | -1): TallyChange {
  return { width, span: spanOf(statusMs, width), state, by }
}

function spanOf(ms: number, width: number): number {
  return Math.floor(ms / 2 ** width)
}

/** Everything since a moment, as whole spans and a rest that has to be counted. */
export interface SpansSince {
  /** The rest: from the moment to here, exclusive. */
  readonly end: number
  /** FINE spans, both inclusive; none when last < first. */
  readonly firstFine: number
  readonly lastFine: number
  /** All COARSE spans from here on. */
  readonly firstCoarse: number
}

export function spansSince(ms: number): SpansSince {
  const firstFine = spanOf(ms, FINE) + 1
  const firstCoarse = spanOf(ms, COARSE) + 1
  return { end: firstFine * 2 ** FINE, firstFine, lastFine: firstCoarse * 2 ** (COARSE - FINE) - 1, firstCoarse }
}
