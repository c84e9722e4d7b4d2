// The unchanging part of a configuration as databases hold it: one JSON text, so that ids with characters a
// database cannot hold survive, too.

import type { PushRow, PushState, Registration } from './push-store.ts'
import type { TaskRecord } from './task-store.ts'

export function registrationText({ scope, taskId, id, config, registeredIn, mediaType }: Registration): string {
  return JSON.stringify({ scope, taskId, id, config, registeredIn, mediaType })
}

export function startText(start: TaskRecord | undefined): string | null {
  return start === undefined ? null : JSON.stringify(start)
}

export interface StoredRow {
  readonly body: string
  readonly start: string | null
  readonly delivered: number
  readonly attempts: number
  readonly state: string
  readonly error: string | null
}

/** The texts are what a store wrote itself, so their shape is trusted. */
export function rowFrom({ body, start, delivered, attempts, state, error }: StoredRow): PushRow {
  return {
    ...(JSON.parse(body) as Registration),
    start: start ? (JSON.parse(start) as TaskRecord) : undefined,
    deliveredSeq: delivered,
    attempts,
    state: state as PushState,
    error: error ?? undefined,
  }
}
