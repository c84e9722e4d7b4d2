// Where the words of ACTS differ from those of A2A: names of operations and errors, parameters the draft calls
// otherwise, and how it looks at events and file parts. The released specification decides what goes over the wire.

import { randomUUID } from 'node:crypto'
import { objectAt, type RawEvent } from '../../judge/probe/raw.ts'
import type { Surface } from '../../judge/probe/surface.ts'
import type { A2AErrorKind } from '../../model/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import { type MemberOf, ownMember } from '../../yaml/value-path.ts'

export const OPERATION_NAMES = [
  'send_message',
  'send_streaming_message',
  'get_task',
  'list_tasks',
  'cancel_task',
  'subscribe_to_task',
  'get_agent_card',
  'get_extended_agent_card',
  'create_push_config',
  'get_push_config',
  'list_push_configs',
  'delete_push_config',
  // The same four as the draft's own suites call them.
  'set_push_notification_config',
  'get_push_notification_config',
  'list_push_notification_configs',
  'delete_push_notification_config',
] as const

export type OperationName = (typeof OPERATION_NAMES)[number]

const OPERATIONS: Readonly<Record<OperationName, Operation>> = {
  send_message: 'sendMessage',
  send_streaming_message: 'streamMessage',
  get_task: 'getTask',
  list_tasks: 'listTasks',
  cancel_task: 'cancelTask',
  subscribe_to_task: 'subscribeTask',
  get_agent_card: 'getCard',
  get_extended_agent_card: 'getExtendedCard',
  create_push_config: 'createPushConfig',
  get_push_config: 'getPushConfig',
  list_push_configs: 'listPushConfigs',
  delete_push_config: 'deletePushConfig',
  set_push_notification_config: 'createPushConfig',
  get_push_notification_config: 'getPushConfig',
  list_push_notification_configs: 'listPushConfigs',
  delete_push_notification_config: 'deletePushConfig',
}

/** `get_agent_card` with `extended: true` is how the draft's suites ask for the extended card. */
export function operationOf(name: OperationName, params: JsonObject): Operation {
  return name === 'get_agent_card' && params.extended === true ? 'getExtendedCard' : OPERATIONS[name]
}

export const ERROR_TYPES = [
  'TaskNotFoundError',
  'TaskNotCancelableError',
  'UnsupportedOperationError',
  'ContentTypeNotSupportedError',
  'InvalidParamsError',
  'VersionNotSupportedError',
  'PushNotificationNotSupportedError',
  'StreamingNotSupportedError',
  'ExtensionSupportRequiredError',
  'ExtendedCardNotSupportedError',
  'JSONParseError',
  'MethodNotFoundError',
  'InternalError',
  // Errors of 1.0 §3.3.2 and JSON-RPC the draft has no name for.
  'InvalidRequestError',
  'InvalidAgentResponseError',
  'ExtendedAgentCardNotConfiguredError',
] as const

export type ErrorType = (typeof ERROR_TYPES)[number]

/** 1.0 has no error of its own for missing streaming: it is an unsupported operation (§3.3.4). */
export const ERROR_KINDS: Readonly<Record<ErrorType, readonly A2AErrorKind[]>> = {
  TaskNotFoundError: ['TaskNotFound'],
  TaskNotCancelableError: ['TaskNotCancelable'],
  UnsupportedOperationError: ['UnsupportedOperation'],
  ContentTypeNotSupportedError: ['ContentTypeNotSupported'],
  InvalidParamsError: ['InvalidParams'],
  VersionNotSupportedError: ['VersionNotSupported'],
  PushNotificationNotSupportedError: ['PushNotificationNotSupported'],
  StreamingNotSupportedError: ['UnsupportedOperation'],
  ExtensionSupportRequiredError: ['ExtensionSupportRequired'],
  ExtendedCardNotSupportedError: ['UnsupportedOperation', 'ExtendedAgentCardNotConfigured'],
  JSONParseError: ['ParseError'],
  MethodNotFoundError: ['MethodNotFound'],
  InternalError: ['InternalError'],
  InvalidRequestError: ['InvalidRequest'],
  InvalidAgentResponseError: ['InvalidAgentResponse'],
  ExtendedAgentCardNotConfiguredError: ['ExtendedAgentCardNotConfigured'],
}

/** The parameters of a step as the generation of the surface writes them. */
export function wireParams(op: Operation, given: JsonObject, surface: Surface): JsonObject {
  const params: JsonObject = { ...given }
  delete params.extended
  if (isJsonObject(params.message)) {
    // The draft's suites name task and context beside the message; A2A has them in it (1.0 §4.1.4).
    for (const member of ['taskId', 'contextId'] as const) {
      if (!(member in params) || member in params.message) continue
      params.message = { ...params.message, [member]: params[member] }
      delete params[member]
    }
    params.message = wireMessage(params.message)
  }
  if (op === 'listTasks' && 'cursor' in params && !('pageToken' in params)) {
    params.pageToken = params.cursor
    delete params.cursor
  }
  if (surface.tenant !== undefined && !('tenant' in params)) params.tenant = surface.tenant
  return pushParams(op, params, surface)
}

/** The message of a raw body gets its id too (ACTS §12.4); `body_raw` is never touched. */
export function withMessageIds(body: JsonValue): JsonValue {
  if (!isJsonObject(body)) return body
  if (isJsonObject(body.params)) return { ...body, params: withMessageIds(body.params) }
  const { message } = body
  return isJsonObject(message) && Array.isArray(message.parts) ? { ...body, message: identified(message) } : body
}

function identified(message: JsonObject): JsonObject {
  return 'messageId' in message ? message : { ...message, messageId: randomUUID() }
}

function wireMessage(message: JsonObject): JsonObject {
  const withId = identified(message)
  const { parts } = withId
  return Array.isArray(parts) ? { ...withId, parts: parts.map(wirePart) } : withId
}

/** The draft nests files; 1.0 §4.1.6 has them flat. Parts with `kind` or `type` belong to older generations. */
function wirePart(part: JsonValue): JsonValue {
  if (!isJsonObject(part) || 'kind' in part || 'type' in part || !isJsonObject(part.file)) return part
  const { file, ...rest } = part
  const { name, bytes, ...others } = file
  return {
    ...rest,
    ...others,
    ...(bytes === undefined ? {} : { raw: bytes }),
    ...(name === undefined ? {} : { filename: name }),
  }
}

const PUSH_KEYS: ReadonlySet<Operation> = new Set(['getPushConfig', 'listPushConfigs', 'deletePushConfig'])

/** Push operations named by `taskId` are neutral; the dialect knows where its generation puts the members. */
function pushParams(op: Operation, params: JsonObject, { dialect, binding }: Surface): JsonObject {
  const codec = dialect.codecs[binding]
  if (codec === undefined || typeof params.taskId !== 'string') return params
  const { pushNotificationConfig: config, configId, taskId, ...rest } = params
  const id = typeof configId === 'string' ? { id: configId } : {}
  if (op === 'createPushConfig') {
    // The test decides whether there is a URL.
    const request = { ...rest, ...(isJsonObject(config) ? config : {}), taskId } as { taskId: string; url: string }
    return asObject(codec.encodeRequest(op, request).wire)
  }
  return PUSH_KEYS.has(op) ? asObject(codec.encodeRequest('getPushConfig', { ...rest, ...id, taskId }).wire) : params
}

function asObject(wire: JsonValue): JsonObject {
  return isJsonObject(wire) ? wire : {}
}

/** An event under the names of the draft: `status_update` and the like, and the members of what is inside. */
export function eventView(event: RawEvent): JsonObject {
  const { json, kind } = event
  if (!isJsonObject(json)) return { value: json }
  const inner = objectAt(json, INNER[kind] ?? '') ?? (kind === 'unknown' ? {} : json)
  const name = DRAFT_EVENT[kind]
  return { ...inner, ...json, ...(name === undefined ? {} : { [name]: inner }) }
}

const INNER: Readonly<Record<string, string>> = {
  status: 'statusUpdate',
  artifact: 'artifactUpdate',
  task: 'task',
  message: 'message',
}
const DRAFT_EVENT: Readonly<Record<string, string>> = {
  status: 'status_update',
  artifact: 'artifact_update',
  task: 'task',
  message: 'message',
}

/** Members of domain objects, with `file` and `fileUrl` for file parts, which 1.0 §4.1.6 has flat. */
export const domainMember: MemberOf = (object, name) => {
  const own = ownMember(object, name)
  if (own !== undefined || (name !== 'file' && name !== 'fileUrl')) return own
  const { raw, url, filename, mediaType } = object
  if (typeof url !== 'string' && (name === 'fileUrl' || typeof raw !== 'string')) return undefined
  return defined({ url, raw, mediaType, name: filename })
}

function defined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}
