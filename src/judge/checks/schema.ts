// Everything an agent sends is held against the strict schemas of its generation, whichever check asked for it.

import { isEnveloped } from '../../bindings/registry.ts'
import { dialectById } from '../../dialects/index.ts'
import { errorIssues, messageIssues } from '../../dialects/message-schemas.ts'
import type { Issue } from '../../model/issue.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import type { Observation, ObservationKind } from '../probe/observation.ts'
import { OF_HTTP } from './answers.ts'
import { area, observed, type PlacedCheck } from './check.ts'

const NOTHING: readonly Issue[] = []

/** What has a shape of its own, besides errors. */
type Content = Exclude<ObservationKind, 'error' | 'answer' | 'frame'>

/** The operation whose result has the shape of the kind. */
const OPERATION_OF: Readonly<Record<Content, Operation>> = {
  sendResult: 'sendMessage',
  task: 'getTask',
  taskList: 'listTasks',
  event: 'streamMessage',
  notification: 'streamMessage',
  pushConfig: 'getPushConfig',
  pushConfigList: 'listPushConfigs',
  deletion: 'deletePushConfig',
  card: 'getCard',
  extendedCard: 'getExtendedCard',
}

/** What the text of a generation that speaks ProtoJSON leaves open although the schema says it. */
function isOpen({ message, pointer }: Issue, kind: Content | 'error'): boolean {
  if (kind !== 'error') return message === STRICT_BASE64
  // The status name stands only in an example of 1.0 §11.6.
  return pointer.startsWith('/error/data') || pointer === '/error/status'
}

/** Which alphabet is used is looked at by part-raw-base64. */
const STRICT_BASE64 = 'must be standard base64 with padding'

export function schemaIssues(observation: Observation): readonly Issue[] {
  // Who is not let in is told so in front of the protocol (docs/spec-conflicts.md, place 21).
  const status = observation.exchange.response?.status ?? 0
  const { kind } = observation
  if (kind === 'answer' || kind === 'frame') return NOTHING
  if (kind === 'error' && (status === 401 || status === 403)) return NOTHING
  // Nor is the page of a server that broke down, or what HTTP itself says, an error of the wrong form.
  const isPage = kind === 'error' && typeof observation.value === 'string'
  if (isPage && (status >= 500 || OF_HTTP.has(status))) return NOTHING
  const { messages, expects } = dialectById(observation.generation)
  const { isProtoJson } = expects.rules
  const { value, binding = 'jsonrpc' } = observation
  const issues =
    kind === 'error'
      ? errorIssues(messages, binding, value)
      : // Readers of ProtoJSON take null for absent.
        messageIssues(messages, 'results', binding, OPERATION_OF[kind], isProtoJson ? withoutNulls(value) : value)
  if (issues === undefined) return NOTHING
  // What is no object at all has no error object, which is the member another check is about.
  if (kind === 'error' && !isEnveloped(binding) && !isJsonObject(value))
    return issues.map((issue) => ({ ...issue, pointer: '/error' }))
  return isProtoJson ? issues.filter((issue) => !isOpen(issue, kind)) : issues
}

/** Rules of the data model that say what is wrong with a member better than its schema does. */
const RULES = [
  'json-camel-case',
  'json-no-kind',
  'json-timestamps',
  'json-enums',
  'state-specified',
  'part-one-content',
  'part-raw-base64',
  'metadata-object',
  'status-message-role',
] as const

/** A member that has the wrong form is told by these, also where it then seems to be missing or another. */
export const RULES_OF_MEMBERS: readonly string[] = [...RULES, 'schema-task', 'schema-event', 'schema-list']

/** The value without members that are null; what is the author's own stays as it is. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const hasContent = ['text', 'raw', 'url'].some((name) => (value[name] ?? null) !== null)
  const kept = Object.entries(value).filter(([name, inner]) => inner !== null || (name === 'data' && !hasContent))
  return Object.fromEntries(
    kept.map(([name, inner]) => [name, name === 'data' || name === 'metadata' ? inner : withoutNulls(inner ?? null)]),
  )
}

export const schemaChecks: PlacedCheck[] = area({ name: 'schema', category: 'lifecycle', phase: 6 }, [
  observed(
    'schema-task',
    'MUST send tasks and send results that are valid against the schema',
    {
      proves: ['dm-task-required', 'dm-status-state', 'dm-artifact-required', 'send-message-reply-required-fields'],
      fix: 'Correct the member named by the pointer; every required member has to be present with its JSON type.',
      why: 'Clients generated from the protocol definition reject or silently drop objects that do not match it.',
      yieldsTo: RULES,
    },
    ['sendResult', 'task'],
    schemaIssues,
  ),
  observed(
    'schema-event',
    'MUST send stream events that are valid against the schema',
    {
      proves: ['stream-status-required-fields', 'stream-artifact-required-fields', 'stream-event-oneof'],
      fix: 'Correct the member named by the pointer; each event is exactly one of task, message, statusUpdate or artifactUpdate.',
      category: 'streaming',
      yieldsTo: [...RULES, 'schema-task', 'stream-bare', 'stream-envelope'],
    },
    ['event'],
    schemaIssues,
  ),
  observed(
    'schema-list',
    'MUST send task lists that are valid against the schema',
    {
      proves: ['list-response-fields', 'list-next-page-token-present'],
      fix: 'Always send tasks, nextPageToken, pageSize and totalSize, also when they are empty or zero.',
      yieldsTo: [...RULES, 'schema-task'],
    },
    ['taskList'],
    schemaIssues,
  ),
  observed(
    'schema-push-config',
    'MUST send push configurations that are valid against the schema',
    {
      proves: ['push-config-flat-shape'],
      fix: 'Send the push configuration as one flat object with taskId, id and url.',
    },
    ['pushConfig', 'pushConfigList'],
    schemaIssues,
  ),
  observed(
    'schema-error',
    'MUST send errors that are valid against the schema',
    {
      proves: ['err-code-and-message', 'jsonrpc-error-object', 'rest-error-envelope', 'err-details-typed'],
      fix: 'Send errors in the form of the binding: the JSON-RPC error object, or {"error": {code, status, message, details}}.',
      category: 'error-handling',
      yieldsTo: [
        'jsonrpc-envelope',
        'jsonrpc-error-data',
        'jsonrpc-parse-error-id',
        'jsonrpc-id-echo',
        'rest-error-object',
      ],
    },
    ['error'],
    schemaIssues,
  ),
  observed(
    'schema-notification',
    'MUST send push notifications that are valid against the schema',
    {
      proves: ['push-deliver-payload'],
      fix: 'Send a StreamResponse with exactly one of task, message, statusUpdate or artifactUpdate as the body.',
      yieldsTo: [...RULES, 'schema-task', 'schema-event'],
    },
    ['notification'],
    schemaIssues,
  ),
])
