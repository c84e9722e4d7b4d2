// Random but valid values of the model, and what to do to JSON to surprise a codec.

import fc from 'fast-check'
import type { StreamEvent } from '../../src/model/event.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/model/json.ts'
import type { Artifact, Message, Part, Task, TaskState, TaskStatus } from '../../src/model/task.ts'

/** What a generation can say, so that what it says comes back. */
export interface Sayable {
  partMetadata: boolean
  fileNames: boolean
  dataOfAnyType: boolean
  references: boolean
  states: readonly TaskState[]
}

export const ALL_STATES: readonly TaskState[] = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
]

const id = fc.string({ minLength: 1, maxLength: 12 })
const word = fc.string({ maxLength: 12 })

export const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue)
const struct: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.string({ maxLength: 6 }), json, { maxKeys: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject)
const base64 = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('base64'))
const instant = fc
  .date({ min: new Date('2020-01-01T00:00:00Z'), max: new Date('2040-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString())

function record<T>(required: object, optional: object): fc.Arbitrary<T> {
  return fc
    .tuple(fc.record(required as never), fc.record(optional as never, { requiredKeys: [] }))
    .map(([always, sometimes]) => ({ ...(always as object), ...(sometimes as object) }) as T)
}

export function models(sayable: Sayable) {
  const metadata = sayable.partMetadata ? { metadata: struct } : {}
  const file = { ...metadata, ...(sayable.fileNames ? { filename: word } : {}), mediaType: id }
  const part: fc.Arbitrary<Part> = fc.oneof(
    record<Part>({ text: word }, metadata),
    record<Part>({ raw: base64 }, file),
    record<Part>({ url: id }, file),
    record<Part>({ data: sayable.dataOfAnyType ? json : struct }, metadata),
  )
  const parts = fc.array(part, { minLength: 1, maxLength: 3 })
  const message: fc.Arbitrary<Message> = record<Message>(
    { messageId: id, role: fc.constantFrom('ROLE_USER', 'ROLE_AGENT'), parts },
    {
      contextId: id,
      taskId: id,
      metadata: struct,
      extensions: fc.array(id, { minLength: 1, maxLength: 2 }),
      ...(sayable.references ? { referenceTaskIds: fc.array(id, { maxLength: 2 }) } : {}),
    },
  )
  const artifact: fc.Arbitrary<Artifact> = record<Artifact>(
    { artifactId: id, parts },
    { name: id, description: id, metadata: struct },
  )
  const status: fc.Arbitrary<TaskStatus> = record<TaskStatus>(
    { state: fc.constantFrom(...sayable.states) },
    { message, timestamp: instant },
  )
  const task: fc.Arbitrary<Task> = record<Task>(
    { id, contextId: id, status },
    {
      artifacts: fc.array(artifact, { maxLength: 2 }),
      history: fc.array(message, { maxLength: 2 }),
      metadata: struct,
    },
  )
  const event: fc.Arbitrary<StreamEvent> = fc.oneof(
    fc.record({ task }),
    fc.record({ message }),
    fc.record({
      statusUpdate: record<never>({ taskId: id, contextId: id, status }, { metadata: struct }),
    }),
    fc.record({
      artifactUpdate: record<never>(
        { taskId: id, contextId: id, artifact },
        { append: fc.boolean(), lastChunk: fc.boolean(), metadata: struct },
      ),
    }),
  )
  return { message, task, event }
}

const FREE_FORM: ReadonlySet<string> = new Set(['metadata', 'data'])

/** Gives every object of the protocol members no generation knows. */
export function withUnknownMembers(
  value: JsonValue,
  unknown: readonly [string, JsonValue][] = [['x-unheard-of', { kept: true }]],
): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withUnknownMembers(item, unknown))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(([name, content]): [string, JsonValue] => [
    name,
    FREE_FORM.has(name) ? (content ?? null) : withUnknownMembers(content ?? null, unknown),
  ])
  return Object.fromEntries([...members, ...unknown])
}

/** Replaces one random place of a valid document by random JSON. */
export function damaged(value: JsonValue): fc.Arbitrary<JsonValue> {
  return fc.tuple(fc.nat(), json).map(([step, replacement]) => {
    const text = JSON.stringify(value)
    const places = pathsIn(value)
    const path = places[step % Math.max(1, places.length)]
    return path === undefined ? replacement : replaced(JSON.parse(text) as JsonValue, path, replacement)
  })
}

function pathsIn(value: JsonValue, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, inner]) => pathsIn(inner ?? null, [...path, name]))]
}

function replaced(value: JsonValue, path: readonly string[], replacement: JsonValue): JsonValue {
  const [first, ...rest] = path
  if (first === undefined || typeof value !== 'object' || value === null) return replacement
  const entries = Object.entries(value).map(([name, inner]): [string, JsonValue] => [
    name,
    name === first ? replaced(inner ?? null, rest, replacement) : (inner ?? null),
  ])
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}
