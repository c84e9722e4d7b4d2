// Turns what 0.3 peers write over REST (ProtoJSON, in camelCase or snake_case) into the `kind` shapes of JSON-RPC. What
// already is a `kind` shape comes out as it went in, so one reader serves both, and answers that forgot their tags.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { TASK_STATES } from '../../model/task.ts'
import type { SchemaName } from './schema/definitions.ts'

type Reading = (wire: JsonObject) => JsonValue

const READINGS: Readonly<Partial<Record<SchemaName, Reading>>> = {
  MessageSendParams: sendParams,
  TaskQueryParams: taskQuery,
  TaskPushNotificationConfig: taskPushConfig,
  SendMessageResult: event,
  StreamEvent: event,
  Task: task,
  Message: message,
  AgentCard: card,
}

export function fromProtoJson(name: SchemaName, wire: JsonValue): JsonValue {
  if (name === 'TaskPushNotificationConfigs') return pushConfigs(wire)
  const reading = READINGS[name]
  return reading !== undefined && isJsonObject(wire) ? reading(wire) : wire
}

/** camelCase names, and no nulls: both ways of writing "absent" and both spellings occur. */
function members(wire: JsonObject): JsonObject {
  const kept: [string, JsonValue][] = []
  for (const [name, value] of Object.entries(wire)) {
    if (value !== undefined && value !== null) {
      kept.push([name.startsWith('_') ? name : name.replace(/_([a-z])/g, (_, c: string) => c.toUpperCase()), value])
    }
  }
  return Object.fromEntries(kept)
}

/** Applies a reading to a member that is an object, or to each object of a list. */
function read(holder: JsonObject, member: string, reading: Reading): void {
  const value = holder[member]
  if (Array.isArray(value)) holder[member] = value.map((item) => (isJsonObject(item) ? reading(item) : item))
  else if (isJsonObject(value)) holder[member] = reading(value)
}

function rename(holder: JsonObject, from: string, to: string): void {
  if (holder[from] === undefined) return
  holder[to] ??= holder[from]
  delete holder[from]
}

function part(wire: JsonObject): JsonObject {
  const written = members(wire)
  read(written, 'file', file)
  if (written.kind !== undefined) return written
  if (written.text !== undefined) return { ...written, kind: 'text' }
  if (written.file !== undefined) return { ...written, kind: 'file' }
  const data = written.data
  if (!isJsonObject(data)) return written
  return {
    ...written,
    kind: 'data',
    data: isJsonObject(data.data) && Object.keys(data).length === 1 ? data.data : data,
  }
}

function file(wire: JsonObject): JsonObject {
  const written = members(wire)
  rename(written, 'fileWithUri', 'uri')
  rename(written, 'fileWithBytes', 'bytes')
  return written
}

function message(wire: JsonObject): JsonObject {
  const written = members(wire)
  rename(written, 'content', 'parts')
  read(written, 'parts', part)
  if (typeof written.role === 'string') written.role = written.role.replace(/^ROLE_/, '').toLowerCase()
  return { ...written, kind: 'message' }
}

function artifact(wire: JsonObject): JsonObject {
  const written = members(wire)
  read(written, 'parts', part)
  return written
}

function status(wire: JsonObject): JsonObject {
  const written = members(wire)
  rename(written, 'update', 'message')
  read(written, 'message', message)
  // Proto3 leaves the zero value of an enum out.
  written.state ??= 'TASK_STATE_UNSPECIFIED'
  if (typeof written.state === 'string') written.state = state(written.state)
  // A state that came later: gRPC tells its number only.
  else if (typeof written.state === 'number' && written.state >= TASK_STATES.length) written.state = 'unknown'
  return written
}

function state(written: string): string {
  if (!written.startsWith('TASK_STATE_')) return written
  const name = written.slice('TASK_STATE_'.length).toLowerCase().replaceAll('_', '-')
  if (name === 'cancelled') return 'canceled'
  return name === 'unspecified' ? 'unknown' : name
}

function task(wire: JsonObject): JsonObject {
  const written = members(wire)
  read(written, 'status', status)
  read(written, 'artifacts', artifact)
  read(written, 'history', message)
  return { ...written, kind: 'task' }
}

function event(wire: JsonObject): JsonObject {
  const written = members(wire)
  if (isJsonObject(written.task)) return task(written.task)
  if (isJsonObject(written.statusUpdate)) return statusUpdate(written.statusUpdate)
  if (isJsonObject(written.artifactUpdate)) return artifactUpdate(written.artifactUpdate)
  const reply = written.msg ?? written.message
  if (isJsonObject(reply)) return message(reply)
  if (written.artifact !== undefined) return artifactUpdate(wire)
  if (written.taskId !== undefined && written.status !== undefined) return statusUpdate(wire)
  return written.status === undefined ? message(wire) : task(wire)
}

function statusUpdate(wire: JsonObject): JsonObject {
  const written = members(wire)
  read(written, 'status', status)
  return { ...written, kind: 'status-update' }
}

function artifactUpdate(wire: JsonObject): JsonObject {
  const written = members(wire)
  read(written, 'artifact', artifact)
  return { ...written, kind: 'artifact-update' }
}

function sendParams(wire: JsonObject): JsonObject {
  const written = members(wire)
  rename(written, 'request', 'message')
  const isProto = isJsonObject(written.message) && written.message.content !== undefined
  read(written, 'message', message)
  read(written, 'configuration', (configuration) => sendConfiguration(configuration, isProto))
  return written
}

function sendConfiguration(wire: JsonObject, isProto: boolean): JsonObject {
  const written = members(wire)
  rename(written, 'pushNotification', 'pushNotificationConfig')
  read(written, 'pushNotificationConfig', pushConfig)
  // The 0.3 proto has no presence for these: an absent `blocking` is false, a zero `historyLength` is "all".
  if (isProto) {
    written.blocking ??= false
    if (written.historyLength === 0) delete written.historyLength
  }
  return written
}

function taskQuery(wire: JsonObject): JsonObject {
  const written = members(wire)
  const length = written.historyLength
  if (typeof length === 'string' && /^-?\d+$/.test(length)) written.historyLength = Number(length)
  return written
}

function pushConfig(wire: JsonObject): JsonObject {
  const written = members(wire)
  // Proto3 leaves empty lists out, and 0.3 requires the list.
  read(written, 'authentication', (authentication) => ({ schemes: [], ...members(authentication) }))
  return written
}

/**
 * The text sends `{config}`, the proto's body is the configuration, the SDKs send either request or resource, and the
 * task is named in the path, in `parent` or in `name`.
 */
function taskPushConfig(wire: JsonObject): JsonObject {
  const { taskId, parent, configId, config, ...flat } = members(wire)
  const resource = isJsonObject(config) ? members(config) : flat
  const { name, pushNotificationConfig, taskId: inner, ...bare } = resource
  const written = pushConfig(isJsonObject(pushNotificationConfig) ? pushNotificationConfig : bare)
  const [task, id] = idsIn(name)
  const configName = written.id ?? configId ?? id
  if (configName !== undefined) written.id = configName
  return { taskId: taskId ?? idsIn(parent)[0] ?? task ?? inner, pushNotificationConfig: written }
}

/** `tasks/{id}/pushNotificationConfigs/{configId}`. */
function idsIn(name: JsonValue | undefined): [string | undefined, string | undefined] {
  const match = typeof name === 'string' ? /^tasks\/([^/]+)(?:\/pushNotificationConfigs\/([^/]+))?/.exec(name) : null
  return [match?.[1], match?.[2]]
}

function pushConfigs(wire: JsonValue): JsonValue {
  const list = Array.isArray(wire) ? wire : isJsonObject(wire) ? (members(wire).configs ?? []) : wire
  return Array.isArray(list) ? list.map((item) => (isJsonObject(item) ? taskPushConfig(item) : item)) : list
}

function card(wire: JsonObject): JsonObject {
  const written = members(wire)
  for (const member of ['provider', 'capabilities', 'additionalInterfaces']) read(written, member, members)
  read(written, 'security', requirement)
  read(written, 'skills', (skill) => {
    const read_ = members(skill)
    read(read_, 'security', requirement)
    return read_
  })
  const schemes = written.securitySchemes
  if (isJsonObject(schemes)) {
    written.securitySchemes = Object.fromEntries(
      Object.entries(schemes).map(([name, scheme]) => [name, isJsonObject(scheme) ? securityScheme(scheme) : scheme]),
    )
  }
  return written
}

const SCHEME_TYPES: Readonly<Record<string, string>> = {
  apiKeySecurityScheme: 'apiKey',
  httpAuthSecurityScheme: 'http',
  oauth2SecurityScheme: 'oauth2',
  openIdConnectSecurityScheme: 'openIdConnect',
  mtlsSecurityScheme: 'mutualTLS',
}

function securityScheme(wire: JsonObject): JsonObject {
  for (const [member, value] of Object.entries(members(wire))) {
    const type = SCHEME_TYPES[member]
    if (type === undefined || !isJsonObject(value)) continue
    const written = members(value)
    rename(written, 'location', 'in')
    return { ...written, type }
  }
  return wire
}

function requirement(wire: JsonObject): JsonObject {
  if (!isJsonObject(wire.schemes)) return wire
  return Object.fromEntries(
    Object.entries(wire.schemes).map(([name, scopes]) => [name, isJsonObject(scopes) ? (scopes.list ?? []) : scopes]),
  )
}
