// Agents with one fault each: a correct agent behind one wrong thing, and the checks that may tell it. Every other
// check has to pass, or to say that it stands on one of these.

import { isJsonObject } from '../../src/model/json.ts'
import { envelopes, parsed } from '../mutants/layer-edits.ts'
import { at, put, text } from '../mutants/mutant.ts'
import {
  broken,
  cancelIgnored,
  empty,
  type Fault,
  fault,
  isRest,
  known,
  missing,
  refusal,
  renumbered,
  rpcErrors,
  unknownThrows,
} from './fault-kinds.ts'
import { HABIT_FAULTS } from './habit-faults.ts'
import { OLDER_FAULTS } from './older-faults.ts'

const REFUSALS: readonly Fault[] = [
  fault('unknown-empty-result', 'get-task-unknown', 'Reading an unknown task answers an empty result.', {
    reply: (reply, call) => {
      if (call.op !== 'getTask' || !/-32001|TASK_NOT_FOUND/.test(reply.text)) return
      const body = call.isRpc ? { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, result: {} } : {}
      Object.assign(reply, { status: 200, text: JSON.stringify(body) })
    },
  }),
  known('error-as-result', 'get-task-unknown'),
  fault(
    'error-code-text',
    'schema-error',
    'The code of JSON-RPC errors is a text.',
    rpcErrors((error) => put(error, 'code', `${JSON.stringify(error.code)}`)),
  ),
  known('error-wrong-reason', 'get-task-unknown'),
  known('not-found-as-internal', 'get-task-unknown'),
  fault(
    'invalid-params-number',
    'jsonrpc-invalid-params',
    'Bad parameters are internal errors.',
    renumbered(-32602, -32603),
  ),
  fault(
    'method-not-found-number',
    'jsonrpc-method-not-found',
    'Unknown methods are invalid requests.',
    renumbered(-32601, -32600),
  ),
  fault('parse-error-number', 'jsonrpc-parse-error', 'Bodies that are no JSON are invalid requests.', {
    reply: (reply) => {
      reply.text = reply.text.replace('-32700', '-32600')
    },
  }),
  fault('http-500-around-errors', 'jsonrpc-http-status', 'JSON-RPC errors come with HTTP 500.', {
    reply: (reply, call) => {
      const body = parsed(reply.text)
      if ((call.isRpc || isJsonObject(body)) && at(body, 'jsonrpc') !== undefined && at(body, 'error') !== undefined)
        reply.status = 500
    },
  }),
  fault('rest-refuses-json', 'rest-accepts-json', 'REST bodies labeled application/json are refused.', {
    answer: (call) =>
      isRest(call) && call.headers['content-type'] === 'application/json'
        ? refusal(call, 0, 415, 'INVALID_ARGUMENT')
        : undefined,
  }),
  fault('rest-validation-409', 'rest-validation', 'Bad requests over REST are conflicts.', {
    reply: (reply, call) => {
      if (isRest(call) && /INVALID_PARAMS|PARSE_ERROR/.test(reply.text)) {
        reply.status = 409
        reply.text = reply.text.replace('"code":400', '"code":409')
      }
    },
  }),
  fault('rest-errors-bare', 'rest-error-object', 'REST errors are not wrapped.', {
    reply: (reply, call) => {
      const body = parsed(reply.text)
      if (isRest(call) && isJsonObject(body) && isJsonObject(body.error)) reply.text = JSON.stringify(body.error)
    },
  }),
  fault(
    'unsupported-number',
    'send-to-finished',
    'Unsupported operations are internal errors.',
    renumbered(-32004, -32603),
  ),
  fault(
    'not-cancelable-number',
    'cancel-finished',
    'What cannot be canceled is an internal error.',
    renumbered(-32002, -32603),
  ),
]

const OPERATIONS: readonly Fault[] = [
  fault('list-refused', 'list-answers', 'Nobody may list tasks.', {
    answer: (call) => (call.op === 'listTasks' ? refusal(call, -32603, 401, 'UNAUTHENTICATED') : undefined),
  }),
  fault('list-missing', 'list-answers rest-list-tasks-route', 'There is no ListTasks.', missing('listTasks')),
  known('list-context-ignored', 'list-by-context'),
  fault(
    'subscribe-missing',
    'subscribe-works rest-subscribe-route',
    'There is no SubscribeToTask.',
    missing('subscribeTask'),
  ),
  fault('stream-missing', 'stream-opens rest-stream-route', 'There is no streaming send.', missing('streamMessage')),
  fault('cancel-missing', 'cancel-returns-task rest-cancel-route', 'There is no CancelTask.', missing('cancelTask')),
  fault(
    'extended-card-missing',
    'extended-card-served rest-extended-card-route',
    'There is no extended card.',
    missing('getExtendedCard'),
  ),
  fault('get-broken', 'get-task-current', 'Reading a task throws.', {
    reply: (reply, call) => {
      if (call.op === 'getTask' && reply.status === 200 && at(parsed(reply.text), 'error') === undefined)
        Object.assign(reply, refusal(call, -32603, 500, 'INTERNAL'))
    },
  }),
  fault('cancel-broken', 'cancel-returns-task', 'Canceling throws.', {
    reply: (reply, call) => {
      if (call.op === 'cancelTask' && reply.status === 200 && at(parsed(reply.text), 'error') === undefined)
        Object.assign(reply, refusal(call, -32603, 500, 'INTERNAL'))
    },
  }),
  fault('send-empty', 'send-result', 'A send answers an empty object.', empty('sendMessage')),
  fault('list-empty-object', 'list-answers', 'A list is an empty object.', empty('listTasks')),
  fault('cancel-empty', 'cancel-returns-task', 'Canceling answers an empty object.', empty('cancelTask')),
  ...(
    [
      ['getTask', 'get-task-unknown'],
      ['cancelTask', 'cancel-unknown'],
      ['subscribeTask', 'subscribe-unknown'],
      ['sendMessage', 'send-unknown-task'],
      ['streamMessage', 'stream-unknown-task'],
    ] as const
  ).map(([op, told]) => fault(`unknown-throws-${op}`, told, `${op} throws for unknown tasks.`, unknownThrows(op))),
]

const TASKS: readonly Fault[] = [
  known('task-id-constant', 'send-task-ids'),
  known('send-bare-task', 'send-wrapper schema-task'),
  known('task-wrapped', 'get-task-bare'),
  known('state-stuck', 'get-task-current get-task-completes'),
  known('state-lower-case', 'json-enums'),
  known('state-number', 'json-enums'),
  known('timestamp-number', 'json-timestamps'),
  known('snake-case', 'json-camel-case'),
  known('artifacts-lost', 'send-snapshot'),
  known('task-changes', 'task-final'),
  known('context-changes', 'task-context-constant'),
  fault('cancel-ignored', 'cancel-state', 'Canceling returns the running task and does nothing.', cancelIgnored()),
  known('cancel-finished', 'cancel-finished'),
  known('history-unlimited', 'get-task-history-cap get-task-history-recent get-task-history-zero'),
  known('rest-loses-history', 'equivalence-results task-views-agree task-final'),
  known('list-page-size-ignored', 'list-page-size'),
  known('version-ignored', 'version-unsupported'),
  known('version-major-only', 'version-minor'),
  known('extended-open', 'extended-card-protected'),
  fault('rpc-label', 'jsonrpc-content-type', 'JSON-RPC answers are labelled text/plain.', {
    reply: (reply, call) => {
      const isJson = reply.headers['content-type']?.startsWith('application/json') === true
      if ((call.isRpc || at(parsed(reply.text), 'jsonrpc') !== undefined) && isJson)
        reply.headers['content-type'] = 'text/plain'
    },
  }),
  fault('rest-label', 'rest-content-type', 'REST answers are labelled text/json.', {
    reply: (reply, call) => {
      const isJson = /^application\/(a2a\+)?json/.test(reply.headers['content-type'] ?? '')
      if (isRest(call) && isJson) reply.headers['content-type'] = 'text/json'
    },
  }),
  fault(
    'id-counted',
    'jsonrpc-id-echo',
    'Answers have ids of their own.',
    envelopes((envelope, call) => {
      if (typeof at(call.body, 'id') === 'number') envelope.id = 4711
    }),
  ),
  known('jsonrpc-version', 'jsonrpc-envelope'),
]

const STREAMS: readonly Fault[] = [
  fault('stream-without-end', 'stream-ends-terminal', 'The streams of sends end without the terminal status.', {
    event: (event, { call }) =>
      call.op === 'streamMessage' && /COMPLETED|FAILED|REJECTED|CANCELED/.test(text(event, 'statusUpdate.status.state'))
        ? []
        : undefined,
  }),
  fault('subscribe-without-end', 'subscribe-works', 'Subscriptions end without the terminal status.', {
    event: (event, { call }) =>
      call.op === 'subscribeTask' && /COMPLETED|FAILED|REJECTED|CANCELED/.test(text(event, 'statusUpdate.status.state'))
        ? []
        : undefined,
  }),
  known('stream-no-task-id', 'schema-event stream-ids'),
  known('stream-rest-envelope', 'stream-bare'),
  known('subscribe-no-snapshot', 'subscribe-first-task'),
  known('lies-streaming', 'stream-opens subscribe-works'),
]

const CARDS: readonly Fault[] = [
  known('skill-without-name', 'card-skill-fields'),
  known('card-without-capabilities', 'card-required-fields'),
  known('card-streaming-text', 'card-capabilities-boolean'),
  known('card-provider-half', 'card-provider'),
  known('scheme-key-nameless', 'card-scheme-api-key'),
  known('card-binding-rest', 'card-binding-token'),
  known('card-interface-dead', 'card-interfaces-accurate'),
]

const CALLERS: readonly Fault[] = [
  known('auth-none', 'auth-missing'),
  known('auth-any', 'auth-wrong'),
  known('auth-not-on-lists', 'auth-missing'),
  known('foreign-getTask', 'isolation-read isolation-get'),
  known('extension-not-enforced', 'extension-required'),
]

const PUSH: readonly Fault[] = [
  known('lies-push', 'push-create'),
  fault(
    'push-create-broken',
    'push-create',
    'Creating a push configuration throws.',
    broken('createPushConfig'),
    'push',
  ),
  fault('push-get-broken', 'push-get', 'Reading a push configuration throws.', broken('getPushConfig'), 'push'),
  fault('push-list-broken', 'push-list', 'Listing push configurations throws.', broken('listPushConfigs'), 'push'),
  fault(
    'push-delete-broken',
    'push-delete',
    'Deleting a push configuration throws.',
    broken('deletePushConfig'),
    'push',
  ),
  fault(
    'push-get-missing',
    'push-get rest-push-get-route',
    'There is no reading of push configurations.',
    missing('getPushConfig'),
    'push',
  ),
  known('push-delete-ignored', 'push-delete'),
  known('push-silent', 'push-deliver'),
  known('push-unauthenticated', 'push-deliver-auth push-deliver-auth-basic'),
]

/** Faults that several checks meet, each told by one. */
const ONCE: readonly Fault[] = [
  known('card-missing', 'card-available'),
  known('card-not-json', 'card-available'),
  known('card-in-envelope', 'card-required-fields'),
  known('error-no-details', 'rest-error-info jsonrpc-error-info'),
  known('rest-validation-500', 'rest-validation'),
  known('rest-validation-422', 'rest-validation'),
  known('signature-hmac', 'card-signature-verifies'),
  known('signature-stale', 'card-signature-verifies'),
  known('signature-no-kid', 'card-signature-kid'),
  known('signature-unsorted', 'card-signature-canonical'),
  known('signature-keeps-defaults', 'card-signature-defaults-dropped'),
  known('rest-query-undecoded', 'rest-query-decoded'),
  known('rest-problem-json', 'rest-error-object'),
  known('state-stuck-send', 'send-blocking'),
  known('state-unspecified', 'state-specified'),
  known('artifacts-lost-everywhere', 'send-artifacts'),
  known('task-id-empty', 'send-task-ids'),
  known('method-missing-undeclared', 'jsonrpc-method-names'),
  known('error-no-bad-request', 'jsonrpc-bad-request rest-bad-request'),
  known('timestamp-seconds', 'json-timestamp-millis'),
  known('push-delete-all', 'push-delete'),
  fault('heartbeats-as-events', 'schema-event', 'Streams are kept alive with empty objects.', {
    event: (event) => [{}, event],
  }),
  known('answers-bom', 'json-utf8'),
  known('answers-latin1', 'json-utf8'),
  known('spec03-answers-bom', 'json-utf8'),
  known('spec03-answers-latin1', 'json-utf8'),
  known('forgets-at-once', 'get-task-completes'),
  known('forgets-soon', 'get-task-idempotent'),
  known('spec03-forgets-at-once', 'get-task-completes'),
  known('spec03-forgets-soon', 'get-task-idempotent'),
  known('rest-refuses-application-json', 'rest-accepts-json'),
  known('list-crash', 'null-as-absent proto-names enum-numbers integers-as-strings'),
  known('snake-case-cancelTask', 'json-camel-case'),
  known('spec03-finished-history-grows', 'task-final'),
  known('canceled-completes', 'task-final'),
  known('list-no-context', 'task-views-agree'),
  known('oldest-event-no-id', 'schema-event'),
  known('part-kind', 'json-no-kind'),
  known('oldest-final-early', 'stream-final-flag'),
  known('rest-unknown-forbidden', 'get-task-unknown'),
  known('unknown-no-content', 'get-task-unknown'),
  known('push-notification-list', 'schema-notification'),
  known('old-event-part-no-kind', 'schema-event'),
  known('old-history-oldest', 'get-task-history-recent'),
  known('card-snake-case', 'card-required-fields'),
  known('card-etag-random', 'card-etag'),
  known('card-behind-auth', 'card-available'),
  known('lies-required-extension', 'extension-required'),
  known('id-on-parse-error', 'jsonrpc-parse-error-id'),
  known('error-own-types', 'rest-error-info jsonrpc-error-info'),
  known('finished-takes-messages', 'send-to-finished stream-to-finished'),
  known('push-create-no-id', 'push-create-id'),
  known('spec-stream-task-id-constant', 'stream-task-ids'),
  known('spec03-stream-task-id-constant', 'stream-task-ids'),
  known('snake-case-events', 'json-camel-case'),
  known('snake-case-notifications', 'json-camel-case'),
  known('rest-snake-query', 'rest-query-read'),
  known('task-other', 'get-task-current'),
  known('id-missing', 'jsonrpc-envelope'),
  known('id-constant', 'jsonrpc-id-echo'),
  known('result-and-error', 'jsonrpc-envelope'),
  known('html-on-bad-json', 'jsonrpc-parse-error rest-malformed-json'),
  known('error-no-message', 'rest-error-object schema-error'),
  known('extended-wrong-error', 'extended-card-undeclared'),
  known('wrong-code-version', 'error-version jsonrpc-error-range'),
  known('wrong-code-content-type', 'error-content-type jsonrpc-error-range'),
  known('wrong-code-unsupported', 'error-unsupported-operation jsonrpc-error-range'),
  known('old-card-without-url', 'card-required-fields'),
  known('requirement-bare-list', 'card-requirements-shape'),
  known('rest-unknown-in-words', 'rest-error-object'),
  known('rest-unknown-in-words-everywhere', 'rest-error-object'),
  known('rest-delete-page', 'push-delete'),
  known('unknown-breaks-down', 'get-task-unknown'),
  known('old-stream-foreign', 'stream-ids'),
  known('stream-empty-context', 'stream-ids'),
  known('list-token-on-full-page', 'list-cursor'),
  known('cancel-nothing', 'cancel-state'),
  known('stream-two-terminals', 'stream-terminal-last'),
  known('push-one-per-task', 'push-create-id'),
  known('context-on-read', 'task-context-constant'),
  known('rest-errors-in-words', 'rest-error-object'),
  known('card-url-spaced', 'card-interface-url'),
  known('events-twice', 'stream-task-then-updates'),
  known('spec03-error-code-text', 'schema-error'),
  known('spec03-final-text', 'schema-event'),
  known('spec03-parts-typed', 'schema-task'),
  known('push03-delete-denied', 'push-delete'),
  known('push03-token-lost', 'push-deliver-token'),
  ...HABIT_FAULTS.map(([name, told, story, mutation]) => fault(name, told, story, mutation)),
]

export const FAULTS: readonly Fault[] = [
  ...REFUSALS,
  ...OPERATIONS,
  ...TASKS,
  ...STREAMS,
  ...CARDS,
  ...CALLERS,
  ...PUSH,
  ...OLDER_FAULTS,
  ...ONCE,
]
