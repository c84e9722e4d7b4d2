// HTTP+JSON: routes, media types, query parameters and the form of errors (1.0 §11).

import { asSubscribeGet } from '../../bindings/rest/probe.ts'
import type { Operation } from '../../model/operation.ts'
import { type Answer, header } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import { GET_ONLY, isNoRoute } from '../probe/either-verb.ts'
import type { Probe } from '../probe/probe.ts'
import { objectAt, rawSendResult, textAt } from '../probe/raw.ts'
import { labelIssues } from './answers.ts'
import { area, check, everywhere, type PlacedCheck } from './check.ts'
import { ADD_BAD_REQUEST, ADD_ERROR_INFO, ANSWER_NO_JSON, VALIDATE } from './error-repairs.ts'
import { errorInfo } from './jsonrpc-error-details.ts'

/** One harmless request per route: an empty message, a task that does not exist. */
const ROUTE_CHECKS: readonly (readonly [string, Operation, string])[] = [
  ['rest-send', 'sendMessage', 'POST /message:send'],
  ['rest-get-task', 'getTask', 'GET /tasks/{id}'],
  ['rest-list-tasks', 'listTasks', 'GET /tasks'],
  ['rest-cancel', 'cancelTask', 'POST /tasks/{id}:cancel'],
  ['rest-stream', 'streamMessage', 'POST /message:stream'],
  ['rest-subscribe', 'subscribeTask', 'POST /tasks/{id}:subscribe'],
  ['rest-push-create', 'createPushConfig', 'POST /tasks/{id}/pushNotificationConfigs'],
  ['rest-push-get', 'getPushConfig', 'GET /tasks/{id}/pushNotificationConfigs/{configId}'],
  ['rest-push-list', 'listPushConfigs', 'GET /tasks/{id}/pushNotificationConfigs'],
  ['rest-push-delete', 'deletePushConfig', 'DELETE /tasks/{id}/pushNotificationConfigs/{configId}'],
  ['rest-extended-card', 'getExtendedCard', 'GET /extendedAgentCard'],
]

/** Of google.rpc.Code, by the HTTP status they are mapped to. */
const RPC_CODES: Readonly<Record<number, number>> = { 400: 3, 401: 16, 403: 7, 404: 5, 500: 13 }

export const restChecks: PlacedCheck[] = area(
  { name: 'errors-rest', category: 'error-handling', phase: 2, bindings: ['rest'] },
  [
    ...ROUTE_CHECKS.map(([row, op, route]) =>
      check(
        `${row}-route`,
        `MUST offer ${route}`,
        {
          proves: [row],
          fix: `Route ${route} relative to the URL of the interface.`,
          needs: ['check:rest-no-version-prefix'],
          groundOf: op,
        },
        async (t) => {
          const x = await harmless(t, op)
          t.expectAnswered(x)
          if (op === 'subscribeTask' && isMissing(x)) {
            const other = await t.call(op, { id: t.unusedId() }, { tamper: asSubscribeGet })
            if (!isMissing(other)) return t.warn(3, GET_ONLY)
          }
          // A server may say "not found" of tasks and of routes alike; whether the operation works shows when it is used.
          if (isMissing(x) && x.status === 404 && (await saysSoOfTasks(t, x)))
            t.notMeasured('the response does not show whether the route or the task is missing')
          t.expect(!isMissing(x), `${route} is not served: HTTP ${x.status}`, {
            expected: 'a result or an A2A error',
            actual: `HTTP ${x.status} ${quote(x.text, 120)}`,
            at: x,
          })
        },
      ),
    ),
    check(
      'rest-no-version-prefix',
      'MUST NOT insert a version into the paths',
      {
        proves: ['rest-no-version-prefix'],
        fix: 'Serve the routes directly below the URL of the interface, without /v1.',
      },
      async (t) => {
        const plain = await t.raw({ method: 'GET', path: `/tasks/${t.unusedId()}` })
        t.expectAnswered(plain)
        const isThere = plain.error?.reason === 'TASK_NOT_FOUND'
        const prefixed = isThere ? plain : await t.raw({ method: 'GET', path: `/v1/tasks/${t.unusedId()}` })
        t.expect(isThere || prefixed.error?.reason !== 'TASK_NOT_FOUND', 'only the /v1 paths answer', {
          expected: 'the same below the interface URL',
          actual: quote(plain.text),
          at: [plain.exchange, prefixed.exchange],
        })
      },
    ),
    everywhere(
      check(
        'rest-content-type',
        'SHOULD label bodies application/a2a+json',
        { proves: ['rest-content-type'], fix: 'Send Content-Type: application/a2a+json.' },
        async (t) => {
          const x = await harmless(t, 'getTask')
          t.expectAnswered(x)
          if (x.body === undefined) t.notMeasured('the response is not JSON; another check reports that')
          if (x.mediaType === 'application/json') {
            return t.allow('application/json is the media type of revision 1.0.0; 1.0.1 prefers application/a2a+json')
          }
          if (x.mediaType === 'application/problem+json') t.conflict(31, 'an error is labeled application/problem+json')
          t.expect(x.mediaType === 'application/a2a+json', `the body is labeled ${x.mediaType || 'nothing'}`, {
            expected: 'application/a2a+json',
            actual: header(x, 'content-type') ?? 'no Content-Type',
            at: x,
          })
        },
      ),
      ['answer'],
      labelIssues('application/a2a+json', 'application/json'),
    ),
    ...(['application/a2a+json', 'application/json'] as const).map((type) =>
      check(
        type === 'application/json' ? 'rest-accepts-json' : 'rest-accepts-a2a-json',
        type === 'application/json'
          ? 'SHOULD accept bodies labeled application/json'
          : 'SHOULD accept bodies labeled application/a2a+json',
        {
          proves: [type === 'application/json' ? 'rest-accepts-json' : 'rest-accepts-a2a-json'],
          fix: `Accept Content-Type: ${type}.`,
          yieldsTo: ['send-unknown-task'],
        },
        async (t) => {
          const x = await t.call(
            'sendMessage',
            { message: t.message('x', { taskId: t.unusedId() }) },
            { headers: { 'Content-Type': type } },
          )
          t.expectError(x, 'TaskNotFound')
        },
      ),
    ),
    check(
      'rest-malformed-json',
      'MUST refuse malformed JSON with HTTP 400',
      {
        proves: ['rest-malformed-json'],
        fix: ANSWER_NO_JSON,
        yieldsTo: ['rest-error-object', 'rest-validation'],
      },
      async (t) => {
        const x = await t.raw({ path: '/message:send', body: '{"message": ' })
        t.expectError(x, 'ParseError', 'InvalidParams')
        t.expect(x.error?.message !== undefined, 'the response is not an error object', {
          expected: '{"error": {…}}',
          actual: quote(x.text),
          at: x,
        })
      },
    ),
    check(
      'rest-validation',
      'MUST refuse invalid requests with HTTP 400',
      {
        proves: ['rest-error-validation', 'sec-schema-validated'],
        fix: VALIDATE,
        tells: true,
      },
      async (t) => {
        for (const body of [{}, { message: 'text' }]) {
          t.expectError(await t.raw({ path: '/message:send', body }), 'InvalidParams')
        }
      },
    ),
    check(
      'rest-bad-request',
      'SHOULD name the bad fields in a google.rpc.BadRequest',
      {
        proves: ['rest-error-bad-request'],
        fix: ADD_BAD_REQUEST,
        yieldsTo: ['rest-validation', 'rest-error-info'],
      },
      async (t) => {
        const x = await t.raw({ path: '/message:send', body: {} })
        t.expectRefused(x)
        const isThere = x.error?.details.some((detail) => Array.isArray(detail.fieldViolations)) === true
        t.expect(isThere, 'the validation error names no fields', {
          expected: 'fieldViolations',
          actual: quote(x.error?.json),
          pointer: '/error/details',
          at: x,
        })
      },
    ),
    check(
      'rest-error-object',
      'MUST put every error into an error object',
      {
        proves: ['rest-error-envelope'],
        fix: 'Return {"error": {"code": …, "status": …, "message": …}}, also for queries and bodies that cannot be read.',
        why: 'A client reads the reason from the error object; a line of text tells it nothing.',
        causes: ['The web framework answers before the handler does.', 'Query parameters are parsed by hand.'],
      },
      async (t) => {
        const answers = [
          await harmless(t, 'getTask'),
          await t.raw({ path: '/tasks?pageSize=abc' }),
          await t.raw({ path: '/tasks?historyLength=abc' }),
          await t.raw({ path: '/tasks?includeArtifacts=perhaps' }),
          await t.raw({ path: '/tasks?statusTimestampAfter=yesterday' }),
          await t.raw({ path: `/tasks/${t.unusedId()}?historyLength=abc` }),
          await t.raw({ path: '/message:send', body: '[]' }),
          await t.raw({ path: '/message:send', body: '' }),
        ]
        // What is refused, and by which status, has checks of its own.
        const refused = answers.filter(
          ({ error, status, body }) =>
            error !== undefined && status !== 401 && status !== 403 && !(status >= 500 && body === undefined),
        )
        for (const x of refused) {
          const error = objectAt(x.body, 'error')
          t.expect(typeof error?.code === 'number' && typeof error.message === 'string', aboutError(x), {
            expected: '{"error": {"code": …, "message": …}}',
            actual: `${x.mediaType || 'no media type'}: ${quote(x.text)}`,
            pointer: error === undefined ? '/error' : typeof error.code === 'number' ? '/error/message' : '/error/code',
            at: x,
          })
        }
      },
    ),
    check(
      'rest-error-code',
      'MUST repeat the HTTP status in error.code',
      {
        proves: ['rest-error-code-matches'],
        fix: 'Set error.code to the status of the response.',
        yieldsTo: ['get-task-unknown', 'rest-validation', 'rest-error-object'],
      },
      async (t) => {
        for (const x of [await harmless(t, 'getTask'), await t.raw({ path: '/message:send', body: {} })]) {
          t.expectRefused(x)
          const code = x.error?.code
          if (code !== undefined && code === RPC_CODES[x.status])
            t.conflict(45, `error.code is ${code}, the gRPC number of the error`)
          t.expectEqual(code, x.status, 'error.code', { pointer: '/error/code', at: x })
        }
      },
    ),
    check(
      'rest-error-status',
      'SHOULD name the canonical status of the error',
      {
        proves: ['rest-error-status-name'],
        fix: 'Set error.status to the google.rpc code that belongs to the error, NOT_FOUND for an unknown task.',
        yieldsTo: ['get-task-unknown', 'rest-validation', 'rest-error-object'],
      },
      async (t) => {
        for (const [x, name] of [
          [await harmless(t, 'getTask'), 'NOT_FOUND'],
          [await t.raw({ path: '/message:send', body: {} }), 'INVALID_ARGUMENT'],
        ] as const) {
          if (x.error === undefined) t.notMeasured('no request was refused, so there is no error to check')
          t.expectEqual(x.error?.statusName, name, 'error.status', { pointer: '/error/status', at: x })
        }
      },
    ),
    check(
      'rest-error-info',
      'MUST explain A2A errors with a google.rpc.ErrorInfo',
      {
        proves: ['rest-error-info'],
        fix: ADD_ERROR_INFO,
        yieldsTo: ['get-task-unknown', 'rest-error-object'],
      },
      async (t) => {
        const x = await harmless(t, 'getTask')
        t.expectRefused(x)
        const info = errorInfo(x)
        t.expect(
          info?.reason === 'TASK_NOT_FOUND' && info.domain === 'a2a-protocol.org',
          'error.details has no ErrorInfo with reason and domain of the error',
          {
            expected: 'reason TASK_NOT_FOUND, domain a2a-protocol.org',
            actual: quote(x.error?.json),
            pointer: '/error/details',
            at: x,
          },
        )
      },
    ),
    check(
      'rest-unknown-route',
      'SHOULD answer unknown routes and verbs with 404 or 405',
      {
        proves: ['rest-unknown-route'],
        fix: 'Return 404 for paths and 405 for verbs that do not exist.',
        yieldsTo: ['rest-validation', 'get-task-unknown'],
      },
      async (t) => {
        const id = t.unusedId()
        for (const x of [
          await t.raw({ path: '/parley-no-such-route' }),
          await t.raw({ method: 'PUT', path: `/tasks/${id}`, body: {} }),
          await t.raw({ method: 'GET', path: `/tasks/${id}:cancel` }),
        ]) {
          t.expectAnswered(x)
          t.expect(x.status === 404 || x.status === 405 || x.status === 501, `the answer is HTTP ${x.status}`, {
            expected: 'HTTP 404 or 405',
            actual: `HTTP ${x.status}`,
            at: x,
          })
        }
      },
    ),
    check(
      'rest-query-types',
      'MUST parse query parameters of every type',
      {
        proves: ['rest-query-types', 'list-query-parameters', 'rest-query-camel'],
        fix: 'Parse camelCase query parameters: numbers, true and false, enum names, ISO 8601 timestamps; refuse what does not parse.',
        yieldsTo: ['list-empty', 'schema-list', 'rest-query-decoded'],
      },
      async (t) => {
        const good = await t.raw({
          path: `/tasks?contextId=${t.unusedId()}&status=TASK_STATE_COMPLETED&pageSize=5&includeArtifacts=true&historyLength=0&statusTimestampAfter=2025-01-01T00%3A00%3A00Z`,
        })
        const result = t.expectSuccess(good)
        t.expect(textAt(result, 'nextPageToken') !== undefined, 'the answer is not a list of tasks', {
          actual: quote(result),
          at: good,
        })
        const bad = await t.raw({ path: '/tasks?pageSize=abc' })
        t.expectError(bad, 'InvalidParams')
      },
    ),
  ],
)

function isMissing({ status, error }: Answer): boolean {
  return isNoRoute(status, error?.reason !== undefined || error?.statusName !== undefined)
}

/** That a task is not there is said in the same way as that a route is not; tasks that exist can be read. */
async function saysSoOfTasks(t: Probe, { mediaType, op }: Answer): Promise<boolean> {
  if (mediaType === 'application/problem+json') return true
  if (op === 'listTasks' || op === 'getExtendedCard') return false
  return t.shared('whether tasks are found where unknown ones are not', async (own) => {
    if (!isMissing(await own.call('getTask', { id: own.unusedId() }))) return false
    const sent = await own.send('task')
    const made = sent.result === undefined ? undefined : rawSendResult(sent.result, '')
    if (made === undefined || !('task' in made)) return false
    return (await own.call('getTask', { id: made.task.id })).error === undefined
  })
}

function aboutError({ exchange, status, body }: Answer): string {
  const { pathname, search } = new URL(exchange.request.url)
  const error = objectAt(body, 'error')
  const without = typeof error?.code === 'number' ? 'text as its message' : 'number as its code'
  const what = error === undefined ? 'no error object' : `an error object without a ${without}`
  return `${exchange.request.method} ${pathname}${search} is answered with HTTP ${status} and ${what}`
}

function harmless(t: Probe, op: Operation) {
  const id = t.unusedId()
  switch (op) {
    case 'sendMessage':
    case 'streamMessage':
      return t.call(op, { message: t.message('x', { taskId: id }) })
    case 'getTask':
    case 'cancelTask':
    case 'subscribeTask':
      return t.call(op, { id })
    case 'createPushConfig':
      return t.call(op, { taskId: id, url: 'https://parley.invalid/hook' })
    case 'getPushConfig':
    case 'deletePushConfig':
      return t.call(op, { taskId: id, id: t.unusedId() })
    case 'listPushConfigs':
      return t.call(op, { taskId: id })
    case 'listTasks':
      return t.call(op, { contextId: id })
    case 'getCard':
    case 'getExtendedCard':
      return t.call(op, {})
  }
}
