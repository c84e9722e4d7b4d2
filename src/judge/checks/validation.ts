// Requests that lack or misuse members: refused as invalid, never half-processed (1.0 §3.3.2, §5.7).

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { type Answer, isInternalError } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import { describeError } from '../probe/error-table.ts'
import type { Probe } from '../probe/probe.ts'
import { area, check, OVER_HTTP, type PlacedCheck, type Title } from './check.ts'
import { REFUSE_ODD_FORMS } from './error-repairs.ts'

/** id, title, row, and the messages that must not pass. */
export const BAD_MESSAGES: readonly (readonly [
  string,
  Title,
  readonly string[],
  string,
  (message: JsonObject) => JsonObject[],
])[] = [
  [
    'send-missing-message-id',
    'SHOULD refuse a message without messageId',
    ['send-missing-message-id', 'dm-required-rejected'],
    'messageId',
    (message) => [without(message, 'messageId'), { ...message, messageId: '' }],
  ],
  [
    'send-missing-role',
    'SHOULD refuse a message without role',
    ['send-missing-role'],
    'role',
    (message) => [without(message, 'role'), { ...message, role: 'ROLE_UNSPECIFIED' }],
  ],
  [
    'send-empty-parts',
    'SHOULD refuse a message without parts',
    ['send-empty-parts'],
    'parts',
    (message) => [{ ...message, parts: [] }, without(message, 'parts')],
  ],
  [
    'send-empty-part',
    'SHOULD refuse a part without content',
    ['send-part-without-content'],
    'parts',
    (message) => [{ ...message, parts: [{ mediaType: 'text/plain' }] }],
  ],
  [
    'send-two-contents',
    'MUST refuse a part with two contents',
    ['send-part-two-contents'],
    'parts',
    (message) => [{ ...message, parts: [{ text: 'a', url: 'https://parley.invalid/' }] }],
  ],
  [
    'send-invalid-role',
    'MUST refuse a role that does not exist',
    ['send-invalid-role-enum'],
    'role',
    // The spelling of older generations may be taken as well (A.2).
    (message) => [{ ...message, role: 'ROLE_BOSS' }],
  ],
]

/** The same bytes, as files are usually written and as they are written in URLs. */
const BYTES = '+//+AA=='
const BYTES_IN_URLS = '-__-AA'

/** Forms ProtoJSON allows on input; each asks for the tasks of a context that does not exist. */
const LENIENT: readonly (readonly [string, Title, string, string, (contextId: string) => JsonObject])[] = [
  [
    'null-as-absent',
    'SHOULD treat null as absent',
    'json-null-as-absent',
    'Treat null as an absent member in requests.',
    (contextId) => ({ contextId, pageToken: null, status: null }),
  ],
  [
    'proto-names',
    'SHOULD accept the snake_case proto names of members too',
    'json-accepts-proto-names',
    'Accept context_id as well as contextId in requests.',
    (contextId) => ({ context_id: contextId, page_size: 1 }),
  ],
  [
    'enum-numbers',
    'SHOULD accept enums as numbers',
    'json-enum-numbers-accepted',
    'Accept the number of an enum value in requests.',
    (contextId) => ({ contextId, status: 3 }),
  ],
  [
    'integers-as-strings',
    'SHOULD accept integers written as strings',
    'json-int-forms',
    'Accept "5" for 5 in requests.',
    (contextId) => ({ contextId, pageSize: '5' }),
  ],
]

export const validationChecks: PlacedCheck[] = area({ name: 'validation', category: 'error-handling', phase: 3 }, [
  ...BAD_MESSAGES.map(([id, title, row, member, variants]) =>
    check(
      id,
      title,
      { proves: row, fix: `Validate message.${member} before doing anything, and return a validation error.` },
      async (t) => {
        for (const x of await sendAll(t, variants)) t.expectError(x, 'InvalidParams')
      },
    ),
  ),
  check(
    'send-raw-not-base64',
    'MUST refuse a part whose raw bytes are not base64',
    {
      proves: ['send-raw-not-base64'],
      fix: 'Decode raw strictly, and return a validation error for characters that are not base64.',
      causes: ['The decoder skips invalid characters.', 'The text is stored without decoding it.'],
    },
    async (t) => {
      const variants = (message: JsonObject) => [
        { ...message, parts: [{ raw: 'not base64!', mediaType: 'text/plain' }] },
      ]
      // An agent that takes no files may say that first.
      for (const x of await sendAll(t, variants)) t.expectError(x, 'InvalidParams', 'ContentTypeNotSupported')
    },
  ),
  check(
    'send-missing-message',
    'MUST refuse a send without its message',
    {
      proves: ['send-missing-message'],
      fix: 'Return a validation error when a required member is missing.',
      yieldsTo: ['jsonrpc-invalid-params', 'rest-validation'],
    },
    async (t) => {
      t.expectError(await t.call('sendMessage', { message: t.message('x') }, { edit: () => ({}) }), 'InvalidParams')
    },
  ),
  check(
    'unknown-members',
    'SHOULD ignore members it does not know',
    {
      proves: ['json-unknown-ignored'],
      fix: 'Ignore unknown members of requests, so that newer clients keep working.',
      yieldsTo: ['get-task-unknown'],
    },
    async (t) => {
      const x = await t.call(
        'getTask',
        { id: t.unusedId() },
        { edit: (params) => ({ ...params, parleyUnknownMember: 1 }) },
      )
      t.expectError(x, 'TaskNotFound')
    },
  ),
  // Which forms ProtoJSON readers take is not in the text itself (docs/spec-conflicts.md, place 33).
  ...LENIENT.map(([id, title, row, fix, params]) =>
    check(
      id,
      title,
      { proves: [row], fix, needs: ['check:list-empty'], yieldsTo: ['jsonrpc-invalid-params'], bindings: ['jsonrpc'] },
      async (t) => {
        const plain = await t.call('listTasks', { contextId: t.unusedId() })
        if (!isEmptyList(plain)) t.notMeasured('the same list in its usual form is not empty')
        const x = await t.call('listTasks', {}, { edit: () => params(t.unusedId()) })
        t.expectAnswered(x)
        t.expect(!isInternalError(x), `ListTasks ${quote(params('…'))} causes an internal error`, {
          expected: 'a list or a validation error',
          actual: quote(x.body),
          at: x,
          fix: REFUSE_ODD_FORMS,
        })
        if (isEmptyList(x)) return
        const isRefused = x.error?.code === -32602 || x.error?.code === -32600
        // Anything else is not about the form: a caller who was let in before, a limit, a list that changed its shape.
        if (x.error !== undefined && !isRefused) t.notMeasured(`answered with ${describeError(x.error)}`)
        t.conflict(33, `${quote(params('…'))} is ${isRefused ? 'refused' : 'read as something else'}`)
      },
    ),
  ),
  check(
    'bytes-forms',
    'SHOULD accept bytes in both alphabets of base64, with and without padding',
    {
      proves: ['json-bytes-forms'],
      fix: 'Decode raw as ProtoJSON does: base64 or base64url, padded or not.',
      needs: ['check:send-result'],
      bindings: OVER_HTTP,
    },
    async (t) => {
      const sent = (raw: string) => t.send('task', { parts: [{ text: t.behaviour('task').text }, { raw }] })
      if ((await sent(BYTES)).error !== undefined) t.notApplicable('the agent does not accept files')
      const x = await sent(BYTES_IN_URLS)
      t.expectAnswered(x)
      if (x.error === undefined) return t.allow('read in both forms')
      t.conflict(33, `raw ${quote(BYTES_IN_URLS)} is refused where ${quote(BYTES)} is not`)
    },
  ),
  check(
    'empty-ids-absent',
    'SHOULD treat empty ids of a message as absent',
    {
      proves: ['json-empty-ids'],
      fix: 'Treat an empty taskId or contextId as absent: "" is the default value of a string in proto3.',
      yieldsTo: ['send-task-ids'],
      needs: ['check:send-result'],
      bindings: OVER_HTTP,
    },
    async (t) => {
      const edit = editedMessage((message) => ({ ...message, taskId: '', contextId: '' }))
      const x = await t.send('task', { edit })
      t.expectAnswered(x)
      if (x.error !== undefined) t.conflict(33, `a message with empty ids is refused: ${describeError(x.error)}`)
      const sent = t.sendResultOf(x)
      t.expect(!('task' in sent) || sent.task.id !== '', 'the new task has the empty id', { at: x })
    },
  ),
  check(
    'timestamps-accepted',
    'MUST read timestamps in all legal forms',
    {
      proves: ['json-timestamp-parse'],
      fix: 'Parse timestamps in UTC with 0, 3, 6 or 9 fraction digits, and refuse anything that is not a timestamp.',
      yieldsTo: ['rest-query-decoded'],
    },
    async (t) => {
      for (const statusTimestampAfter of [
        '2025-01-01T00:00:00Z',
        '2025-01-01T00:00:00.123Z',
        '2025-01-01T00:00:00.123456Z',
        '2025-01-01T00:00:00.123456789Z',
      ]) {
        t.expectSuccess(await t.call('listTasks', { contextId: t.unusedId(), statusTimestampAfter }))
      }
      t.expectError(await t.call('listTasks', { statusTimestampAfter: 'yesterday' }), 'InvalidParams')
    },
  ),
  check(
    'data-any-json',
    'MUST accept any JSON value as structured data',
    {
      proves: ['dm-part-data-any'],
      fix: 'Accept objects, arrays, strings, numbers and booleans as data, and null inside them.',
    },
    async (t) => {
      for (const data of [{ a: 1 }, [1, 'two', null], 'text', 3.5, true]) {
        const x = await t.send('task', { parts: [{ text: t.behaviour('task').text }, { data }] })
        t.expectAnswered(x)
        if (x.error?.reason === 'CONTENT_TYPE_NOT_SUPPORTED' || x.error?.code === -32005)
          t.notApplicable('the agent does not accept structured data')
        t.expectSuccess(x)
      }
    },
  ),
  check(
    'error-names-field',
    'SHOULD say which member is wrong',
    {
      proves: ['err-validation-names-field', 'err-actionable'],
      needs: ['check:send-empty-parts'],
      fix: 'Name the member and the reason in the message, or in BadRequest.fieldViolations.',
      yieldsTo: ['jsonrpc-bad-request', 'rest-bad-request'],
    },
    async (t) => {
      for (const x of await sendAll(t, (message) => [{ ...message, parts: [] }])) {
        t.expectRefused(x)
        const text = JSON.stringify(x.error?.json ?? '')
        t.expect(/parts/i.test(text), 'the error does not name the member', {
          expected: 'message.parts',
          actual: quote(x.error?.json),
          at: x,
        })
        t.expect(
          !/\bat .*\.(js|ts|py|java|go|rs):\d+|Traceback|Exception in thread/.test(text),
          'the error shows a stack trace',
          { expected: 'no internals', actual: quote(x.error?.json), at: x },
        )
      }
    },
  ),
  check(
    'error-guides',
    'SHOULD say what would be valid',
    {
      proves: ['err-validation-guidance'],
      fix: 'Name the allowed range or values in the error.',
      yieldsTo: ['schema-error', 'jsonrpc-bad-request', 'rest-bad-request'],
    },
    async (t) => {
      const x = await t.call('listTasks', { pageSize: -1 })
      t.expectAnswered(x)
      if (x.error === undefined) t.notMeasured('a page size of -1 is not refused')
      t.expect(
        /\b(1|0|100|min|max|positive|between|least|greater)\b/i.test(
          JSON.stringify(x.error?.json ?? '').replace(/-1/g, ''),
        ),
        'the error does not say what is allowed',
        { expected: 'the allowed range', actual: quote(x.error?.json), at: x },
      )
    },
  ),
])

function isEmptyList(x: Answer): boolean {
  const tasks = isJsonObject(x.result) ? x.result.tasks : undefined
  return Array.isArray(tasks) && tasks.length === 0
}

async function sendAll(t: Probe, variants: (message: JsonObject) => JsonObject[]) {
  const answers = []
  for (let at = 0; at < variants({}).length; at++) {
    const edit = editedMessage((message) => variants(message)[at] ?? {})
    answers.push(await t.call('sendMessage', { message: t.message(t.behaviour('task').text) }, { edit }))
  }
  return answers
}

/** An edit of the parameters that changes only their message. */
export function editedMessage(change: (message: JsonObject) => JsonObject): (params: JsonObject) => JsonValue {
  return (params) => ({ ...params, ...(isJsonObject(params.message) ? { message: change(params.message) } : {}) })
}

function without(message: JsonObject, member: string): JsonObject {
  const { [member]: _removed, ...rest } = message
  return rest
}
