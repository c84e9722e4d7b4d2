// Payloads as they lie on the wire, in whatever generation: what faults need to find and change in them. Works on the
// members all generations share or spell differently (`status.state`, `taskId`, `parts`), never on versions.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'

const TERMINAL = new Set(['completed', 'failed', 'canceled', 'cancelled', 'rejected'])

export function parsePayload(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** `TASK_STATE_INPUT_REQUIRED` and `input-required` are one state. */
function plainState(state: string): string {
  return state
    .replace(/^TASK_STATE_/, '')
    .replaceAll('_', '-')
    .toLowerCase()
}

/** The state in the same spelling as the one it replaces. */
function spelledLike(example: string, state: string): string {
  return example.startsWith('TASK_STATE_') ? `TASK_STATE_${state.replaceAll('-', '_').toUpperCase()}` : state
}

/** The first task state anywhere in the payload. */
export function stateIn(value: JsonValue | undefined): string | undefined {
  let found: string | undefined
  changeObjects(value ?? null, (object) => {
    if (found === undefined && isJsonObject(object.status) && typeof object.status.state === 'string')
      found = plainState(object.status.state)
    return object
  })
  return found
}

export function isTerminalPayload(value: JsonValue | undefined): boolean {
  return TERMINAL.has(stateIn(value) ?? '')
}

export function withState(value: JsonValue, state: string): JsonValue {
  return changeObjects(value, (object) => {
    const { status } = object
    if (!isJsonObject(status) || typeof status.state !== 'string') return object
    const changed: JsonObject = { ...object, status: { ...status, state: spelledLike(status.state, state) } }
    // 0.3 and older say so beside the state.
    if (typeof object.final === 'boolean') changed.final = TERMINAL.has(state)
    return changed
  })
}

/** A state that has no name, where states are numbers. */
export function withStateNumber(value: JsonValue, state: number): JsonValue {
  return changeObjects(value, (object) =>
    isJsonObject(object.status) && object.status.state !== undefined
      ? { ...object, status: { ...object.status, state } }
      : object,
  )
}

/** Task ids stand in `taskId`, and in the `id` of whatever has a status. */
export function withTaskId(value: JsonValue, taskId: string): JsonValue {
  return changeObjects(value, (object) => ({
    ...object,
    ...(typeof object.taskId === 'string' ? { taskId } : {}),
    ...(isJsonObject(object.status) && typeof object.id === 'string' ? { id: taskId } : {}),
  }))
}

export function withContextId(value: JsonValue, contextId: string): JsonValue {
  return changeObjects(value, (object) => ({
    ...object,
    ...(typeof object.contextId === 'string' ? { contextId } : {}),
    ...(typeof object.sessionId === 'string' ? { sessionId: contextId } : {}),
  }))
}

/** The first part of every list of parts becomes of an unknown kind. */
export function withUnknownPart(value: JsonValue): JsonValue {
  return changeObjects(value, (object) => {
    if (!Array.isArray(object.parts) || object.parts.length === 0) return object
    const [first, ...rest] = object.parts
    const tag = isJsonObject(first) ? (['kind', 'type'] as const).find((name) => name in first) : undefined
    const hologram: JsonObject = { ...(tag === undefined ? {} : { [tag]: 'hologram' }), hologram: 'three dimensions' }
    return { ...object, parts: [hologram, ...rest] }
  })
}

export function withBadBase64(value: JsonValue): JsonValue {
  return changeObjects(value, (object) => ({
    ...object,
    ...(typeof object.raw === 'string' ? { raw: '*** not base64 ***' } : {}),
    ...(typeof object.bytes === 'string' ? { bytes: '*** not base64 ***' } : {}),
  }))
}

const NOWHERE = 'http://127.0.0.1:1/'

export function withLies(card: JsonValue): JsonValue {
  return changeObjects(card, (object) => {
    const changed: JsonObject = { ...object }
    if (typeof object.url === 'string' && !('organization' in object)) changed.url = NOWHERE
    if (isJsonObject(object.capabilities)) {
      const capabilities: JsonObject = { ...object.capabilities }
      for (const [name, claim] of Object.entries(capabilities))
        if (typeof claim === 'boolean') capabilities[name] = !claim
      changed.capabilities = capabilities
    }
    return changed
  })
}

function changeObjects(value: JsonValue, change: (object: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((item) => changeObjects(item, change))
  if (!isJsonObject(value)) return value
  const changed: JsonObject = {}
  for (const [key, member] of Object.entries(change(value)))
    if (member !== undefined) changed[key] = changeObjects(member, change)
  return changed
}
