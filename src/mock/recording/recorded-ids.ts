// Ids between a recording and those who play it again. Ids the agent gave out are the recorded ones the first time and
// numbered afterwards; ids clients make up are new every time and are put where the recording has the old ones.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { RecordedCall } from './read-exchange.ts'

const TASK_AND_CONTEXT = new Set(['taskId', 'clientTaskId', 'contextId'])

/** Task and context ids that were in an answer before they were in a request. */
export function issuedIds(calls: readonly RecordedCall[]): ReadonlySet<string> {
  const issued = new Set<string>()
  const made = new Set<string>()
  for (const { request, answer } of calls) {
    for (const id of idsIn(request as JsonValue)) if (!issued.has(id)) made.add(id)
    const answered =
      answer.is === 'result' ? [answer.result] : answer.is === 'stream' ? answer.events.map(({ event }) => event) : []
    for (const id of idsIn(answered as JsonValue)) if (!made.has(id)) issued.add(id)
  }
  return issued
}

/** Of a task, also the `id` beside its status. */
export function idsIn(value: JsonValue | undefined): Set<string> {
  const found = new Set<string>()
  const visit = (member: JsonValue | undefined): void => {
    if (Array.isArray(member)) for (const item of member) visit(item)
    if (!isJsonObject(member)) return
    for (const [key, inner] of Object.entries(member)) {
      if (
        typeof inner === 'string' &&
        inner !== '' &&
        (TASK_AND_CONTEXT.has(key) || (key === 'id' && 'status' in member))
      )
        found.add(inner)
      else visit(inner)
    }
  }
  visit(value)
  return found
}

/** Short ids are only replaced as whole values: inside a sentence they could be anything. */
const MIN_EMBEDDED = 8

/** A copy with every id put in its place, also inside texts such as "Task … has ended". */
export function translated<T>(value: T, ids: ReadonlyMap<string, string>): T {
  if (ids.size === 0) return value
  const text = (from: string): string => {
    const whole = ids.get(from)
    if (whole !== undefined) return whole
    let to = from
    for (const [recorded, now] of ids)
      if (recorded.length >= MIN_EMBEDDED && to.includes(recorded)) to = to.replaceAll(recorded, now)
    return to
  }
  const copy = (member: JsonValue | undefined): JsonValue | undefined => {
    if (typeof member === 'string') return text(member)
    if (Array.isArray(member)) return member.map((item) => copy(item) ?? null)
    if (!isJsonObject(member)) return member
    const object: JsonObject = {}
    for (const [key, inner] of Object.entries(member)) object[key] = copy(inner)
    return object
  }
  return copy(value as JsonValue) as T
}
