// An event as a script gives it: the JSON of 0.3 (`kind: status-update`) or of 1.0 (`{statusUpdate: …}`), with the ids
// left out that the mock fills in. Decoding is strict and says which field is wrong.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { isTerminal } from '../../model/state-machine.ts'
import type { Artifact, Message, Part, TaskState } from '../../model/task.ts'
import { didYouMean } from '../../yaml/did-you-mean.ts'

export type ScriptedMessage = Omit<Message, 'messageId'> & { messageId?: string }
export type ScriptedArtifact = Omit<Artifact, 'artifactId'> & { artifactId?: string }
export interface ScriptedStatus {
  state: TaskState
  message?: ScriptedMessage
  timestamp?: string
}

interface Addressed {
  taskId?: string
  contextId?: string
  metadata?: JsonObject
}

export type ScriptedEvent =
  | ({ kind: 'status-update'; status: ScriptedStatus } & Addressed)
  | ({ kind: 'artifact-update'; artifact: ScriptedArtifact; append?: boolean; lastChunk?: boolean } & Addressed)
  | ({ kind: 'task'; status: ScriptedStatus; artifacts?: ScriptedArtifact[] } & Addressed)
  | { kind: 'message'; message: ScriptedMessage }

export function endsTask(event: ScriptedEvent): boolean {
  return (event.kind === 'status-update' || event.kind === 'task') && isTerminal(event.status.state)
}

export interface FieldProblem {
  /** 'artifact.parts[0].file.bytes'; '' is the event itself. */
  readonly field: string
  readonly message: string
}

export type DecodedEvent = { ok: true; event: ScriptedEvent } | { ok: false; problem: FieldProblem }

/** Thrown and caught in this file only: the way out of a deep walk. */
class Invalid extends Error {
  readonly problem: FieldProblem
  constructor(field: string, message: string) {
    super(message)
    this.problem = { field, message }
  }
}

export function decodeScriptedEvent(json: JsonValue | undefined): DecodedEvent {
  return attempt(() => ({ ok: true, event: readEvent(json) }))
}

export function decodeParts(
  json: JsonValue | undefined,
  field: string,
): { ok: true; parts: Part[] } | { ok: false; problem: FieldProblem } {
  return attempt(() => ({ ok: true, parts: readParts(json, field) }))
}

function attempt<T>(read: () => T): T | { ok: false; problem: FieldProblem } {
  try {
    return read()
  } catch (error) {
    if (error instanceof Invalid) return { ok: false, problem: error.problem }
    throw error
  }
}

const KINDS = ['status-update', 'artifact-update', 'task', 'message'] as const
const WRAPPERS = {
  statusUpdate: 'status-update',
  artifactUpdate: 'artifact-update',
  task: 'task',
  message: 'message',
} as const

function readEvent(json: JsonValue | undefined): ScriptedEvent {
  const event = object(json, '')
  if ('kind' in event) {
    const kind = KINDS.find((known) => known === event.kind)
    if (kind === undefined)
      throw new Invalid(
        'kind',
        `must be one of ${KINDS.join(', ')}, not ${JSON.stringify(event.kind)}${suggestion(event.kind, KINDS)}`,
      )
    return readKind(kind, event, '')
  }
  const keys = Object.keys(event)
  const [wrapper] = keys
  if (keys.length !== 1 || wrapper === undefined || !(wrapper in WRAPPERS))
    throw new Invalid(
      '',
      `needs a kind (${KINDS.join(', ')}), or exactly one member of ${Object.keys(WRAPPERS).join(', ')}`,
    )
  return readKind(WRAPPERS[wrapper as keyof typeof WRAPPERS], object(event[wrapper], wrapper), `${wrapper}.`)
}

function readKind(kind: (typeof KINDS)[number], event: JsonObject, prefix: string): ScriptedEvent {
  switch (kind) {
    case 'status-update':
      onlyKnown(event, prefix, ['kind', 'taskId', 'contextId', 'status', 'final', 'metadata'])
      flag(event.final, `${prefix}final`)
      return { kind, ...addressed(event, prefix, 'taskId'), status: readStatus(event.status, `${prefix}status`) }
    case 'artifact-update':
      onlyKnown(event, prefix, ['kind', 'taskId', 'contextId', 'artifact', 'append', 'lastChunk', 'metadata'])
      return {
        kind,
        ...addressed(event, prefix, 'taskId'),
        artifact: readArtifact(event.artifact, `${prefix}artifact`),
        ...present('append', flag(event.append, `${prefix}append`)),
        ...present('lastChunk', flag(event.lastChunk, `${prefix}lastChunk`)),
      }
    case 'task':
      // The history of a played task is what really was said; a scripted one would contradict it.
      onlyKnown(event, prefix, ['kind', 'id', 'contextId', 'status', 'artifacts', 'metadata'])
      return {
        kind,
        ...addressed(event, prefix, 'id'),
        status: readStatus(event.status, `${prefix}status`),
        ...present('artifacts', optionalList(event.artifacts, `${prefix}artifacts`, readArtifact)),
      }
    case 'message':
      return { kind, message: readMessage(event, prefix.slice(0, -1)) }
  }
}

function addressed(event: JsonObject, prefix: string, idName: 'id' | 'taskId'): Addressed {
  return {
    ...present('taskId', optionalText(event[idName], `${prefix}${idName}`)),
    ...present('contextId', optionalText(event.contextId, `${prefix}contextId`)),
    ...present('metadata', optionalObject(event.metadata, `${prefix}metadata`)),
  }
}

const STATES: { readonly [name: string]: TaskState } = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  canceled: 'TASK_STATE_CANCELED',
  failed: 'TASK_STATE_FAILED',
  rejected: 'TASK_STATE_REJECTED',
}

/** The states a script may report, in the short spelling of 0.3. */
export const STATE_NAMES = Object.keys(STATES)

/** Accepts both spellings: `working` and `TASK_STATE_WORKING`. */
export function stateNamed(name: string): TaskState | undefined {
  return Object.hasOwn(STATES, name) ? STATES[name] : Object.values(STATES).find((state) => state === name)
}

function readStatus(json: JsonValue | undefined, at: string): ScriptedStatus {
  const status = object(json, at)
  onlyKnown(status, `${at}.`, ['state', 'message', 'timestamp'])
  const state = typeof status.state === 'string' ? stateNamed(status.state) : undefined
  if (state === undefined)
    throw new Invalid(
      `${at}.state`,
      `must be one of ${STATE_NAMES.join(', ')}, not ${JSON.stringify(status.state) ?? 'absent'}${suggestion(status.state, STATE_NAMES)}`,
    )
  return {
    state,
    ...present('message', status.message == null ? undefined : readMessage(status.message, `${at}.message`)),
    ...present('timestamp', optionalText(status.timestamp, `${at}.timestamp`)),
  }
}

const MESSAGE_KEYS = [
  'kind',
  'messageId',
  'taskId',
  'contextId',
  'role',
  'parts',
  'metadata',
  'extensions',
  'referenceTaskIds',
]

function readMessage(json: JsonValue | undefined, at: string): ScriptedMessage {
  const message = object(json, at)
  const prefix = at === '' ? '' : `${at}.`
  onlyKnown(message, prefix, MESSAGE_KEYS)
  const role = message.role ?? 'agent'
  if (role !== 'agent' && role !== 'ROLE_AGENT')
    throw new Invalid(`${prefix}role`, `must be 'agent', not ${JSON.stringify(role)}`)
  return {
    role: 'ROLE_AGENT',
    parts: readParts(message.parts, `${prefix}parts`),
    ...present('messageId', optionalText(message.messageId, `${prefix}messageId`)),
    ...present('taskId', optionalText(message.taskId, `${prefix}taskId`)),
    ...present('contextId', optionalText(message.contextId, `${prefix}contextId`)),
    ...present('metadata', optionalObject(message.metadata, `${prefix}metadata`)),
    ...present('extensions', optionalList(message.extensions, `${prefix}extensions`, requiredText)),
    ...present('referenceTaskIds', optionalList(message.referenceTaskIds, `${prefix}referenceTaskIds`, requiredText)),
  }
}

function readArtifact(json: JsonValue | undefined, at: string): ScriptedArtifact {
  const artifact = object(json, at)
  onlyKnown(artifact, `${at}.`, ['artifactId', 'name', 'description', 'parts', 'metadata', 'extensions'])
  return {
    parts: readParts(artifact.parts, `${at}.parts`),
    ...present('artifactId', optionalText(artifact.artifactId, `${at}.artifactId`)),
    ...present('name', optionalText(artifact.name, `${at}.name`)),
    ...present('description', optionalText(artifact.description, `${at}.description`)),
    ...present('metadata', optionalObject(artifact.metadata, `${at}.metadata`)),
    ...present('extensions', optionalList(artifact.extensions, `${at}.extensions`, requiredText)),
  }
}

function readParts(json: JsonValue | undefined, at: string): Part[] {
  if (!Array.isArray(json) || json.length === 0) throw new Invalid(at, 'must be a list with at least one part')
  return json.map((part, i) => readPart(part, `${at}[${i}]`))
}

function readPart(json: JsonValue | undefined, at: string): Part {
  const part = object(json, at)
  return 'kind' in part ? readPart03(part, at) : readPart10(part, at)
}

function readPart03(part: JsonObject, at: string): Part {
  const metadata = present('metadata', optionalObject(part.metadata, `${at}.metadata`))
  if (part.kind === 'text') {
    onlyKnown(part, `${at}.`, ['kind', 'text', 'metadata'])
    return { text: requiredText(part.text, `${at}.text`), ...metadata }
  }
  if (part.kind === 'data') {
    onlyKnown(part, `${at}.`, ['kind', 'data', 'metadata'])
    return { data: object(part.data, `${at}.data`), ...metadata }
  }
  if (part.kind !== 'file')
    throw new Invalid(`${at}.kind`, `must be one of text, file, data, not ${JSON.stringify(part.kind)}`)
  onlyKnown(part, `${at}.`, ['kind', 'file', 'metadata'])
  const file = object(part.file, `${at}.file`)
  onlyKnown(file, `${at}.file.`, ['name', 'mimeType', 'bytes', 'uri'])
  const described = {
    ...present('filename', optionalText(file.name, `${at}.file.name`)),
    ...present('mediaType', optionalText(file.mimeType, `${at}.file.mimeType`)),
    ...metadata,
  }
  if ('bytes' in file === 'uri' in file) throw new Invalid(`${at}.file`, "needs exactly one of 'bytes' and 'uri'")
  return 'bytes' in file
    ? { raw: base64(file.bytes, `${at}.file.bytes`), ...described }
    : { url: requiredText(file.uri, `${at}.file.uri`), ...described }
}

function readPart10(part: JsonObject, at: string): Part {
  onlyKnown(part, `${at}.`, ['text', 'raw', 'url', 'data', 'metadata', 'filename', 'mediaType'])
  const contents = ['text', 'raw', 'url', 'data'].filter((name) => name in part)
  if (contents.length !== 1) throw new Invalid(at, "needs a 'kind', or exactly one of text, raw, url, data")
  const described = {
    ...present('filename', optionalText(part.filename, `${at}.filename`)),
    ...present('mediaType', optionalText(part.mediaType, `${at}.mediaType`)),
    ...present('metadata', optionalObject(part.metadata, `${at}.metadata`)),
  }
  if ('text' in part) return { text: requiredText(part.text, `${at}.text`), ...described }
  if ('raw' in part) return { raw: base64(part.raw, `${at}.raw`), ...described }
  if ('url' in part) return { url: requiredText(part.url, `${at}.url`), ...described }
  return { data: part.data ?? null, ...described }
}

function suggestion(given: JsonValue | undefined, known: readonly string[]): string {
  return typeof given === 'string' ? didYouMean(given, known) : ''
}

function base64(json: JsonValue | undefined, at: string): string {
  const value = requiredText(json, at)
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(value) || value.length % 4 !== 0) throw new Invalid(at, 'is not base64')
  return value
}

function object(json: JsonValue | undefined, at: string): JsonObject {
  if (!isJsonObject(json)) throw new Invalid(at, json === undefined ? 'is missing' : 'must be an object')
  return json
}

function onlyKnown(value: JsonObject, prefix: string, known: readonly string[]): void {
  for (const key of Object.keys(value))
    if (!known.includes(key))
      throw new Invalid(`${prefix}${key}`, `is unknown${didYouMean(key, known) || `; known are ${known.join(', ')}`}`)
}

function requiredText(json: JsonValue | undefined, at: string): string {
  if (typeof json !== 'string') throw new Invalid(at, json === undefined ? 'is missing' : 'must be text')
  return json
}

function optionalText(json: JsonValue | undefined, at: string): string | undefined {
  return json == null ? undefined : requiredText(json, at)
}

function optionalObject(json: JsonValue | undefined, at: string): JsonObject | undefined {
  return json == null ? undefined : object(json, at)
}

function optionalList<T>(
  json: JsonValue | undefined,
  at: string,
  read: (item: JsonValue, at: string) => T,
): T[] | undefined {
  if (json == null) return undefined
  if (!Array.isArray(json)) throw new Invalid(at, 'must be a list')
  return json.map((item, i) => read(item, `${at}[${i}]`))
}

function flag(json: JsonValue | undefined, at: string): boolean | undefined {
  if (json == null) return undefined
  if (typeof json !== 'boolean') throw new Invalid(at, 'must be true or false')
  return json
}

/** Leaves absent members absent instead of undefined. */
function present<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [key in K]?: V }
}
