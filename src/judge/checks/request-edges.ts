// Requests at the edge of what is usual: ids, headers and media types in other legal forms, unknown members, ids that are
// missing (1.0 §3.2.6, §3.3.2, §5.7, §9.3; JSON-RPC 2.0 §4-5; RFC 9110 §8.3).

import { isJsonObject, type JsonObject } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import { isInternalError } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { isOffered } from './errors-jsonrpc.ts'
import { requiredExtensions } from './extensions.ts'

/** Operations that cannot do anything without the id of a task. */
const OF_A_TASK: readonly Operation[] = [
  'cancelTask',
  'subscribeTask',
  'createPushConfig',
  'getPushConfig',
  'listPushConfigs',
  'deletePushConfig',
]

export const requestEdgeChecks: PlacedCheck[] = [
  ...area({ name: 'request-edges', category: 'error-handling', phase: 2, bindings: ['jsonrpc'] }, [
    check(
      'jsonrpc-id-null',
      'MUST NOT answer a request with id null under another id',
      {
        proves: ['jsonrpc-id-echo'],
        fix: 'Answer with id null, or not at all.',
        needs: ['check:jsonrpc-id-echo'],
        yieldsTo: ['jsonrpc-parse-error-id'],
      },
      async (t) => {
        const x = await t.raw({ body: { ...t.envelope('getTask', { id: t.unusedId() }), id: null } })
        t.expectAnswered(x)
        if (x.text === '') return t.allow('answered without a body')
        t.expectEqual(x.envelope?.id ?? null, null, 'the id of the response', { pointer: '/id', at: x })
      },
    ),
    check(
      'task-id-missing',
      'MUST refuse task operations without a task id',
      {
        proves: ['op-missing-id'],
        fix: 'Return a validation error (or not found) when the id of the task is missing or empty, on every operation.',
        needs: ['check:jsonrpc-invalid-params'],
        // An operation that breaks down over every request is told by the check of what it is for.
        yieldsTo: ['cancel-finished'],
      },
      async (t) => {
        for (const op of OF_A_TASK) {
          const method = t.surface.dialect.methods[op]
          // What the card does not offer is refused for that reason, or told by the check about that.
          if (method === undefined || !t.works(op) || !isOffered(t, op)) continue
          for (const params of [{}, { id: '', taskId: '' }]) {
            const x = await t.rpc(method, params, { timeoutMs: Math.min(t.timeoutMs, 10_000) })
            t.expectRefused(x)
            t.expect(!isInternalError(x), `${method} with ${quote(params)} causes an internal error`, {
              expected: '-32602',
              actual: quote(x.error?.json),
              pointer: '/error/code',
              at: x,
            })
          }
        }
      },
    ),
  ]),
  ...area({ name: 'request-edges', category: 'error-handling', phase: 2 }, [
    check(
      'unknown-members-deep',
      'SHOULD ignore members it does not know at any depth',
      {
        proves: ['json-unknown-ignored'],
        fix: 'Ignore unknown members of messages, parts and configurations, so that newer clients keep working.',
        needs: ['check:send-unknown-task'],
        yieldsTo: ['unknown-members'],
      },
      async (t) => {
        for (const path of [['message'], ['message', 'parts', '0'], ['configuration'], []]) {
          const request = { message: t.message('x', { taskId: t.unusedId() }), configuration: { historyLength: 1 } }
          const edit = (params: JsonObject) => withMember(params, path)
          t.expectError(await t.call('sendMessage', request, { edit }), 'TaskNotFound')
        }
      },
    ),
    check(
      'content-type-forms',
      'SHOULD accept every valid form of the Content-Type header',
      {
        proves: ['http-content-type-forms'],
        fix: 'Compare type and subtype case-insensitively, and ignore parameters such as charset.',
        needs: ['check:send-unknown-task'],
        causes: ['The whole header is compared as a string.'],
      },
      async (t) => {
        for (const type of [
          'application/json; charset=utf-8',
          'application/json;charset="UTF-8"',
          'Application/JSON',
        ]) {
          const request = { message: t.message('x', { taskId: t.unusedId() }) }
          t.expectError(await t.call('sendMessage', request, { headers: { 'Content-Type': type } }), 'TaskNotFound')
        }
      },
    ),
  ]),
  ...area({ name: 'request-edges', category: 'error-handling', phase: 2, bindings: ['rest'] }, [
    check(
      'rest-path-decoded',
      'SHOULD decode percent-encoded characters of a path',
      {
        proves: ['rest-path-urldecode'],
        fix: 'Decode each path segment once, as UTF-8, before comparing it.',
        yieldsTo: ['rest-query-decoded'],
        needs: ['check:get-task-current'],
        phase: 3,
      },
      async (t) => {
        const { id } = await t.finishedTask()
        const code = id.charCodeAt(0)
        if (code > 0x7f) t.notMeasured('the id does not begin with an ASCII letter')
        const path = `/tasks/%${code.toString(16).toUpperCase().padStart(2, '0')}${encodeURIComponent(id.slice(1))}`
        const x = await t.call(
          'getTask',
          { id },
          { tamper: (request) => ({ ...request, url: request.url.replace(/\/tasks\/[^/?]*/, path) }) },
        )
        t.expectAnswered(x)
        // Not measured where the task is gone, however it is asked for.
        t.taskOf(await t.call('getTask', { id }))
        t.expect(x.error === undefined, `GET ${path} is refused, and the same path without the escape is not`, {
          expected: `task ${id}`,
          actual: x.statusText,
          at: x,
        })
        t.expectEqual(t.taskOf(x).id, id, 'the id of the task', { pointer: `${x.resultPointer}/id`, at: x })
      },
    ),
  ]),
  ...area({ name: 'request-edges', category: 'lifecycle', phase: 3 }, [
    check(
      'extension-header-case',
      'MUST read the A2A-Extensions header case-insensitively',
      {
        proves: ['ext-header-case'],
        fix: 'Look headers up case-insensitively.',
        needs: ['check:extension-declared'],
      },
      async (t) => {
        const uris = requiredExtensions(t)
        for (const name of ['a2a-extensions', 'A2A-EXTENSIONS']) {
          const headers = { 'A2A-Extensions': undefined, [name]: uris.join(',') }
          t.sendResultOf(await t.send('task', { headers }))
        }
      },
    ),
  ]),
]

/** An unknown member in the object at that path. */
function withMember(params: JsonObject, path: readonly string[]): JsonObject {
  const [name, ...rest] = path
  if (name === undefined) return { ...params, parleyUnknownMember: { deep: [1] } }
  const inner = params[name]
  if (Array.isArray(inner))
    return { ...params, [name]: inner.map((item) => (isJsonObject(item) ? withMember(item, rest.slice(1)) : item)) }
  return isJsonObject(inner) ? { ...params, [name]: withMember(inner, rest) } : params
}
