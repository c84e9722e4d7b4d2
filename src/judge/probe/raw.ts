// A forgiving reading of what an agent sent: every generation's JSON becomes the same small view, and what is missing
// is undefined. The judge does not read through the dialects' codecs, so that one wrong belief cannot make both
// sides agree; whether the shape was right is the business of schema/.

import { defined } from '../../base/defined.ts'
import { isJsonObject, type JsonObject, type JsonValue, listAt, objectAt, textAt } from '../../model/json.ts'
import { TASK_STATES, type TaskState } from '../../model/task.ts'

export { listAt, objectAt, textAt }

export interface RawMessage {
  messageId: string | undefined
  role: 'user' | 'agent' | undefined
  contextId: string | undefined
  taskId: string | undefined
  parts: JsonObject[]
  text: string
  json: JsonObject
  pointer: string
}

export interface RawArtifact {
  /** `artifactId`, or the index of the `tasks/send` generation. */
  id: string | undefined
  name: string | undefined
  parts: JsonObject[]
  text: string
  json: JsonObject
  pointer: string
}

export interface RawTask {
  id: string
  contextId: string | undefined
  state: TaskState | undefined
  /** The state as the agent spelled it. */
  stateText: string
  timestamp: string | undefined
  statusMessage: RawMessage | undefined
  artifacts: RawArtifact[]
  history: RawMessage[] | undefined
  metadata: JsonObject | undefined
  json: JsonObject
  pointer: string
}

export interface RawEvent {
  kind: 'task' | 'message' | 'status' | 'artifact' | 'unknown'
  taskId: string | undefined
  contextId: string | undefined
  state: TaskState | undefined
  task?: RawTask
  message?: RawMessage
  /** The message of a status update. */
  statusMessage?: RawMessage
  artifact?: RawArtifact
  append: boolean
  lastChunk: boolean
  final: boolean | undefined
  timestamp: string | undefined
  /** The StreamResponse, without any JSON-RPC envelope. */
  json: JsonValue
  /** Milliseconds since the request was sent. */
  atMs: number
}

export function flagAt(value: JsonValue | undefined, member: string): boolean {
  return isJsonObject(value) && value[member] === true
}

/** `completed`, `TASK_STATE_COMPLETED` and `TASK_STATE_CANCELLED` all have a meaning; other spellings have none. */
export function stateOf(text: string | undefined): TaskState | undefined {
  if (text === undefined) return undefined
  const bare = text
    .replace(/^TASK_STATE_/, '')
    .replaceAll('-', '_')
    .toUpperCase()
  const name = `TASK_STATE_${bare === 'CANCELLED' ? 'CANCELED' : bare === 'UNKNOWN' ? 'UNSPECIFIED' : bare}`
  return TASK_STATES.find((known) => known === name)
}

function rawMessage(json: JsonValue | undefined, pointer: string): RawMessage | undefined {
  if (!isJsonObject(json)) return undefined
  const role = textAt(json, 'role')
    ?.replace(/^ROLE_/, '')
    .toLowerCase()
  const parts = partsOf(json)
  return {
    messageId: textAt(json, 'messageId'),
    role: role === 'user' || role === 'agent' ? role : undefined,
    contextId: textAt(json, 'contextId'),
    taskId: textAt(json, 'taskId'),
    parts,
    text: textOfParts(parts),
    json,
    pointer,
  }
}

function rawArtifact(json: JsonValue | undefined, pointer: string): RawArtifact | undefined {
  if (!isJsonObject(json)) return undefined
  const parts = partsOf(json)
  const index = json.index
  return {
    id: textAt(json, 'artifactId') ?? (typeof index === 'number' ? String(index) : undefined),
    name: textAt(json, 'name'),
    parts,
    text: textOfParts(parts),
    json,
    pointer,
  }
}

/** A task is an object with an id and a status; anything less is not one. */
export function rawTask(json: JsonValue | undefined, pointer: string): RawTask | undefined {
  if (!isJsonObject(json)) return undefined
  const id = textAt(json, 'id')
  const status = objectAt(json, 'status')
  if (id === undefined || status === undefined) return undefined
  const stateText = textAt(status, 'state')
  return {
    id,
    contextId: textAt(json, 'contextId') ?? textAt(json, 'sessionId'),
    state: stateOf(stateText),
    stateText: stateText ?? '(none)',
    timestamp: textAt(status, 'timestamp'),
    // 0.3 REST calls the status message `update` or `message`, depending on who generated it.
    statusMessage: rawMessage(status.message ?? status.update, `${pointer}/status/message`),
    artifacts: (listAt(json, 'artifacts') ?? []).flatMap(
      (item, at) => rawArtifact(item, `${pointer}/artifacts/${at}`) ?? [],
    ),
    history: listAt(json, 'history')?.flatMap((item, at) => rawMessage(item, `${pointer}/history/${at}`) ?? []),
    metadata: objectAt(json, 'metadata'),
    json,
    pointer,
  }
}

export type RawSendResult = { task: RawTask } | { message: RawMessage } | undefined

/** The result of a send in any generation: wrapped (`task`, `message`, `msg`) or bare. */
export function rawSendResult(json: JsonValue | undefined, pointer: string): RawSendResult {
  if (!isJsonObject(json)) return undefined
  const wrappedTask = rawTask(json.task, `${pointer}/task`)
  if (wrappedTask !== undefined) return { task: wrappedTask }
  const wrapped = json.message ?? json.msg
  if (isJsonObject(wrapped)) {
    const message = rawMessage(wrapped, `${pointer}/message`)
    if (message !== undefined) return { message }
  }
  const task = rawTask(json, pointer)
  if (task !== undefined) return { task }
  if ('parts' in json || 'content' in json) {
    const message = rawMessage(json, pointer)
    if (message !== undefined) return { message }
  }
  return undefined
}

export function rawEvent(json: JsonValue, atMs: number): RawEvent {
  const blank = { append: false, lastChunk: false, final: undefined, timestamp: undefined, json, atMs }
  const status = objectAt(json, 'statusUpdate') ?? (looksLike(json, 'status-update', 'status') ? json : undefined)
  const artifact =
    objectAt(json, 'artifactUpdate') ?? (looksLike(json, 'artifact-update', 'artifact') ? json : undefined)
  if (!isJsonObject(json)) return unknownEvent(json, atMs)
  if (isJsonObject(artifact)) {
    const chunk = rawArtifact(artifact.artifact, '/artifact')
    const found: RawEvent = {
      ...blank,
      kind: 'artifact',
      taskId: textAt(artifact, 'taskId') ?? textAt(artifact, 'id'),
      contextId: textAt(artifact, 'contextId'),
      state: undefined,
      // The `tasks/send` generation puts the flags into the artifact.
      append: flagAt(artifact, 'append') || flagAt(artifact.artifact, 'append'),
      lastChunk: flagAt(artifact, 'lastChunk') || flagAt(artifact.artifact, 'lastChunk'),
    }
    if (chunk !== undefined) found.artifact = chunk
    return found
  }
  // A bare task has a status too; events of the older generations name their task `taskId`, or have no artifacts
  // and history and only an id.
  const task = rawTask(json.task, '/task') ?? (isBareTask(json) ? rawTask(json, '') : undefined)
  if (task !== undefined) {
    const { id, contextId, state, timestamp } = task
    return { ...blank, kind: 'task', taskId: id, contextId, state, timestamp, task }
  }
  if (isJsonObject(status)) {
    const inner = objectAt(status, 'status')
    const said = rawMessage(
      inner?.message ?? inner?.update,
      `${'statusUpdate' in json ? '/statusUpdate' : ''}/status/message`,
    )
    return {
      ...blank,
      kind: 'status',
      taskId: textAt(status, 'taskId') ?? textAt(status, 'id'),
      contextId: textAt(status, 'contextId'),
      state: stateOf(textAt(inner, 'state')),
      timestamp: textAt(inner, 'timestamp'),
      final: typeof status.final === 'boolean' ? status.final : undefined,
      ...defined({ statusMessage: said }),
    }
  }
  const sent = rawSendResult(json, '')
  if (sent !== undefined && 'message' in sent) {
    const { message } = sent
    const { taskId, contextId } = message
    return { ...blank, kind: 'message', taskId, contextId, state: undefined, message }
  }
  return unknownEvent(json, atMs)
}

function unknownEvent(json: JsonValue, atMs: number): RawEvent {
  return {
    kind: 'unknown',
    taskId: undefined,
    contextId: undefined,
    state: undefined,
    append: false,
    lastChunk: false,
    final: undefined,
    timestamp: undefined,
    json,
    atMs,
  }
}

function looksLike(json: JsonValue, kind: string, member: string): boolean {
  if (!isJsonObject(json)) return false
  if (typeof json.kind === 'string') return json.kind === kind
  return isJsonObject(json[member]) && !isBareTask(json)
}

function isBareTask(json: JsonObject): boolean {
  if (typeof json.kind === 'string') return json.kind === 'task'
  const hasTaskShape = 'history' in json || 'artifacts' in json || 'sessionId' in json || 'contextId' in json
  return isJsonObject(json.status) && hasTaskShape && !('final' in json) && !('taskId' in json)
}

function partsOf(json: JsonObject): JsonObject[] {
  return (listAt(json, 'parts') ?? listAt(json, 'content') ?? []).filter(isJsonObject)
}

function textOfParts(parts: readonly JsonObject[]): string {
  return parts.map((part) => textAt(part, 'text') ?? '').join('')
}
