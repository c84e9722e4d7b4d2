// Answers with a state that 1.0 does not know. A client should survive it (§4.1.3): the task is then in an unspecified
// state, which is neither finished nor waiting.

import type { Issue } from '../../model/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { TASK_STATES } from '../../model/task.ts'

const STATE = '/state'
/** Any that is known: it only stands in until the rest has been read. */
const STAND_IN = 'TASK_STATE_WORKING'
const UNSPECIFIED = 'TASK_STATE_UNSPECIFIED'

/** Reads the rest as if the states were known; undefined when they are not all that is wrong. */
export function readWithUnknownStates(
  wire: JsonValue,
  issues: readonly Issue[],
  read: (wire: JsonValue) => JsonValue | undefined,
): JsonValue | undefined {
  const pointers = issues.map(({ pointer }) => pointer)
  if (!pointers.every((pointer) => pointer.endsWith(STATE) && isLaterState(parentOf(wire, pointer)?.state)))
    return undefined
  const copy = structuredClone(wire)
  setStates(copy, pointers, STAND_IN)
  const value = read(copy)
  if (value !== undefined) setStates(value, pointers, UNSPECIFIED)
  return value
}

/**
 * Spelled like one of ours, or a number beyond ours, which is all that gRPC tells of it: anything else is no state of a
 * later release, but a mistake.
 */
function isLaterState(state: JsonValue | undefined): boolean {
  if (typeof state === 'number') return Number.isInteger(state) && state >= TASK_STATES.length
  return typeof state === 'string' && /^TASK_STATE_[A-Z_]+$/.test(state)
}

function setStates(value: JsonValue, pointers: readonly string[], state: string): void {
  for (const pointer of pointers) {
    const parent = parentOf(value, pointer)
    if (parent !== undefined) parent.state = state
  }
}

function parentOf(value: JsonValue, pointer: string): JsonObject | undefined {
  let at: JsonValue | undefined = value
  for (const name of pointer.split('/').slice(1, -1))
    at = Array.isArray(at) ? at[Number(name)] : isJsonObject(at) ? at[name] : undefined
  return isJsonObject(at) ? at : undefined
}
