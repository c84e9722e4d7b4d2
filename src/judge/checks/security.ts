// Who may do what: calls without credentials, and two users who must not see each other (1.0 §7, §13.1).

import { BINDINGS } from '../../bindings/registry.ts'
import type { Operation, OperationRequest } from '../../model/operation.ts'
import { isStreaming } from '../../model/operation.ts'
import { type Answer, header, isInternalError } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import { demandsAuth } from '../probe/demands-auth.ts'
import { describeError } from '../probe/error-table.ts'
import type { Probe } from '../probe/probe.ts'
import { listAt, textAt } from '../probe/raw.ts'
import type { RawStream } from '../probe/raw-stream.ts'
import type { Identity } from '../probe/surface.ts'
import { openTask, webhookUrl } from './accepted-webhook.ts'
import { secretIssues } from './answers.ts'
import { area, check, everywhere, OVER_HTTP, type PlacedCheck } from './check.ts'

/** Deeper than any honest message, not too deep for writing it ourselves. */
const DEPTH = 1_000

/** The operations every caller tries, with a request that names the task. */
const OPERATIONS: readonly { op: Operation; request: (t: Probe, id: string) => OperationRequest<Operation> }[] = [
  { op: 'sendMessage', request: (t) => ({ message: t.message('x') }) },
  { op: 'streamMessage', request: (t) => ({ message: t.message('x') }) },
  { op: 'getTask', request: (_, id) => ({ id }) },
  { op: 'listTasks', request: () => ({}) },
  { op: 'cancelTask', request: (_, id) => ({ id }) },
  { op: 'subscribeTask', request: (_, id) => ({ id }) },
  { op: 'createPushConfig', request: (_, id) => ({ taskId: id, url: 'https://parley.invalid/hook' }) },
  { op: 'getPushConfig', request: (t, id) => ({ taskId: id, id: t.unusedId() }) },
  { op: 'listPushConfigs', request: (_, id) => ({ taskId: id }) },
  { op: 'deletePushConfig', request: (t, id) => ({ taskId: id, id: t.unusedId() }) },
  { op: 'getExtendedCard', request: () => ({}) },
]

export const securityChecks: PlacedCheck[] = [
  ...area({ name: 'security', category: 'error-handling', phase: 2 }, [
    check(
      'auth-missing',
      'MUST refuse every operation without credentials',
      {
        proves: ['sec-auth-every-request', 'sec-auth-missing-rejected'],
        fix: 'Authenticate before anything else, on every operation and on streams.',
        // Whose requirements cannot be read has said nothing that callers must show.
        yieldsTo: ['card-requirements-shape', 'card-authentication'],
      },
      async (t) => {
        for (const { op, x } of await strangers(t)) {
          t.expectAnswered(x)
          t.expect(x.error !== undefined, `${op} works without credentials`, { expected: 'HTTP 401', at: x })
        }
      },
    ),
    check(
      'auth-wrong',
      'MUST refuse wrong credentials',
      {
        proves: ['sec-auth-invalid-rejected'],
        fix: 'Verify the credentials, not only their presence.',
        needs: ['credentials'],
        yieldsTo: ['auth-missing'],
      },
      async (t) => {
        const wrong = { identity: 'wrong', mayBeLimited: true } as const
        const x = await t.call('sendMessage', { message: t.message('x') }, wrong)
        t.expectRefused(x)
        for (const value of ['Bearer', 'Bearer ', 'Basic cGFybGV5OnBhcmxleQ==', 'parley']) {
          const y = await t.call('getTask', { id: t.unusedId() }, { ...wrong, headers: { Authorization: value } })
          t.expectRefused(y)
          t.expect(y.error?.reason !== 'TASK_NOT_FOUND', `"${value}" is accepted as a credential`, { at: y })
        }
        // Who limits wrong credentials alone refuses them; who limits all callers has refused no one in particular.
        await t.call('getTask', { id: t.unusedId() })
      },
    ),
    check(
      'auth-status',
      'SHOULD answer 401 to an unauthenticated caller',
      {
        proves: ['sec-auth-status'],
        fix: 'Return HTTP 401, over JSON-RPC too, and over gRPC UNAUTHENTICATED.',
      },
      async (t) => {
        for (const { op, x } of await strangers(t)) {
          if (x.error === undefined) return t.notMeasured(`${op} works without credentials; another check reports this`)
          const { httpStatus: status, statusText } = x.error
          // 403 says the same less exactly.
          t.expect(status === 401 || status === 403, `${op} without credentials is refused with ${statusText}`, {
            expected: 'HTTP 401, over gRPC UNAUTHENTICATED',
            actual: statusText,
            at: x,
          })
        }
      },
    ),
    check(
      'auth-challenge',
      'SHOULD send WWW-Authenticate with a 401',
      {
        proves: ['sec-auth-challenge'],
        fix: 'Send WWW-Authenticate with every 401.',
        // gRPC has no field for it.
        bindings: OVER_HTTP,
      },
      async (t) => {
        const x = await t.call('getTask', { id: t.unusedId() }, { identity: 'none' })
        if (x.status !== 401) t.notMeasured(`the answer is ${x.statusText}`)
        t.expect((header(x, 'www-authenticate') ?? '') !== '', 'the response has no WWW-Authenticate header', {
          expected: 'WWW-Authenticate: …',
          at: x,
        })
      },
    ),
    check(
      'auth-accepted',
      'MUST accept the credentials its card asks for',
      {
        proves: ['extcard-declared-schemes'],
        fix: 'Accept credentials of the schemes declared in securitySchemes.',
        needs: ['credentials'],
      },
      async (t) => {
        const unknown = await t.call('getTask', { id: t.unusedId() })
        // An agent may forbid what it does not have; then a message tells.
        const x = unknown.status === 403 ? await t.send('task') : unknown
        t.expectAnswered(x)
        t.expect(x.status !== 401 && x.status !== 403, 'the credentials are refused', {
          actual: x.statusText,
          at: x,
        })
      },
    ),
    everywhere(
      check(
        'secrets-not-echoed',
        'MUST NOT return the credentials of a caller in a response',
        {
          proves: ['sec-auth-invalid-rejected'],
          fix: 'Never include the Authorization header or parts of it in a response.',
          needs: ['credentials'],
        },
        async (t) => {
          const secret = `parley-canary-${t.unusedId()}`
          const headers = { Authorization: `Bearer ${secret}` }
          const answers = [
            await t.call('getTask', { id: t.unusedId() }, { headers }),
            await t.call('sendMessage', { message: t.message('x') }, { headers }),
          ]
          for (const x of answers) {
            const carried = (x.exchange.response?.headers ?? []).some(([, value]) => value.includes(secret))
            t.expect(!carried && !x.text.includes(secret), 'the response repeats the credential', { at: x })
          }
        },
      ),
      ['answer', 'frame', 'notification'],
      secretIssues,
    ),
  ]),
  ...area({ name: 'isolation', category: 'lifecycle', phase: 6, yieldsTo: ['auth-missing', 'auth-wrong'] }, [
    ...(
      [
        ['getTask', 'sec-scope-get', 'read'],
        ['cancelTask', 'sec-scope-cancel', 'cancel'],
        ['subscribeTask', 'sec-scope-subscribe', 'subscribe to'],
      ] as const
    ).map(([op, row, verb]) =>
      check(
        `isolation-${verb.split(' ')[0]}`,
        `MUST NOT let one user ${verb} the tasks of another`,
        {
          proves: [row, 'sec-no-existence-leak'],
          fix: 'Look tasks up only among those of the caller; return TaskNotFoundError for all others.',
          needs: ['second-identity'],
        },
        async (t) => {
          const { id } = await openTask(t)
          if (isStreaming(op) && !t.declares('streaming')) t.notApplicable('the card does not declare streaming')
          const x = await attempt(t, op, { id }, 'second')
          expectHidden(t, x)
          const own = t.taskOf(await t.call('getTask', { id }))
          t.expect(own.state !== 'TASK_STATE_CANCELED', 'the foreign cancel took effect', { at: x })
        },
      ),
    ),
    check(
      'isolation-send',
      'MUST NOT let one user continue the tasks of another',
      {
        proves: ['sec-scope-send', 'sec-authz-before-lookup'],
        fix: 'Return TaskNotFoundError when message.taskId belongs to another user, finished or not.',
        needs: ['second-identity'],
      },
      async (t) => {
        const ids = [(await openTask(t)).id, (await t.ownFinishedTask()).id]
        for (const taskId of ids) {
          const x = await t.call('sendMessage', { message: t.message('done', { taskId }) }, { identity: 'second' })
          expectHidden(t, x)
        }
      },
    ),
    check(
      'isolation-list',
      'MUST list only the tasks of the caller',
      {
        proves: ['list-auth-scope'],
        fix: 'Filter lists by the caller before filters and paging.',
        needs: ['second-identity'],
      },
      async (t) => {
        const { id, contextId } = await t.finishedTask()
        const requests = [{ pageSize: 100 }, ...(contextId === undefined ? [] : [{ contextId }])]
        for (const request of requests) {
          const x = await t.call('listTasks', request, { identity: 'second' })
          const tasks = listAt(t.expectSuccess(x), 'tasks') ?? []
          t.expect(!tasks.some((task) => textAt(task, 'id') === id), 'the list shows a task of another user', {
            actual: quote(x.result),
            at: x,
          })
        }
      },
    ),
    check(
      'isolation-indistinct',
      'SHOULD return the same error for unknown tasks and for tasks of other users',
      {
        proves: ['sec-notfound-indistinct'],
        fix: 'Return the same error, with the same message, in both cases.',
        needs: ['second-identity'],
        yieldsTo: ['isolation-read'],
      },
      async (t) => {
        const { id } = await t.finishedTask()
        const unknown = t.unusedId()
        const foreign = await t.call('getTask', { id }, { identity: 'second', id: 1 })
        const missing = await t.call('getTask', { id: unknown }, { identity: 'second', id: 1 })
        // Ids and times differ from answer to answer.
        const blank = (x: Answer, own: string) =>
          JSON.stringify(x.body ?? x.text)
            .replaceAll(own, 'ID')
            .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-][\d:]+)/g, 'TIME')
        t.expectEqual(blank(foreign, id), blank(missing, unknown), 'the answer for a foreign task', {
          at: [foreign.exchange, missing.exchange],
        })
        t.expectEqual(foreign.status, missing.status, 'the HTTP status for a foreign task', { at: foreign })
      },
    ),
    check(
      'isolation-push',
      'MUST NOT let one user see the push configurations of another',
      {
        proves: ['sec-scope-push', 'push-get-no-access'],
        fix: 'Return TaskNotFoundError for push operations on tasks of other users.',
        needs: ['second-identity'],
      },
      async (t) => {
        if (!t.declares('pushNotifications')) t.notApplicable('the card does not declare pushNotifications')
        if (!demandsAuth(t.card)) t.notApplicable('the card requires no authentication')
        const { id: taskId } = await openTask(t)
        const url = await webhookUrl(t)
        expectHidden(t, await t.call('createPushConfig', { taskId, url }, { identity: 'second' }))
        expectHidden(t, await t.call('listPushConfigs', { taskId }, { identity: 'second' }))
      },
    ),
  ]),
  ...area({ name: 'input-validation', category: 'error-handling', phase: 3 }, [
    check(
      'input-size',
      'SHOULD NOT crash on deeply nested requests',
      {
        proves: ['sec-size-limits'],
        yieldsTo: ['rest-validation', 'jsonrpc-invalid-params'],
        fix: 'Limit the nesting depth of requests, return 400 or 413 above it, and keep serving.',
      },
      async (t) => {
        const deep = `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`
        const x = await t.call(
          'sendMessage',
          { message: t.message('x') },
          { edit: (params) => ({ ...params, metadata: { deep: JSON.parse(deep) } }) },
        )
        t.expectAnswered(x)
        t.expect(!isInternalError(x), `a message nested ${DEPTH} levels deep is answered as an internal error`, {
          expected: 'a result, or a refusal such as HTTP 413 or 400',
          actual: x.error === undefined ? x.statusText : describeError(x.error),
          at: x,
        })
        t.expectAnswered(await t.call('getTask', { id: t.unusedId() }))
      },
    ),
    check(
      'input-file-url',
      'MUST NOT fetch file URLs that point into its own network',
      {
        proves: ['sec-file-url-ssrf'],
        fix: 'Resolve the url of a file part before fetching it, and refuse loopback and private addresses.',
      },
      async (t) => {
        const canary = await t.webhook()
        const x = await t.send('task', {
          parts: [{ text: t.behaviour('task').text }, { url: canary.url, mediaType: 'text/plain' }],
        })
        t.expectAnswered(x)
        t.expect(canary.deliveries.length === 0, 'the agent fetched a loopback URL', {
          ...(canary.deliveries[0] === undefined ? {} : { at: canary.deliveries[0].exchange }),
        })
      },
    ),
  ]),
]

/** What belongs to another caller is not there, or is forbidden: the text says both. */
export function expectHidden(t: Probe, x: Answer | RawStream): void {
  t.expectRefused(x)
  const { httpStatus } = x.error ?? { httpStatus: 0 }
  const isOwnCode = x.error !== undefined && BINDINGS[t.binding].probe.errors.isAgentsOwn(x.error)
  if (httpStatus === 403 || (isOwnCode && httpStatus < 500)) t.warn(56, `a foreign task is answered with ${about(x)}`)
  else t.expectError(x, 'TaskNotFound')
}

function about({ error }: Answer | RawStream): string {
  return error === undefined ? 'success' : describeError(error)
}

/** What every operation answers without credentials; asked once per surface. */
function strangers(t: Probe): Promise<{ op: Operation; x: Answer | RawStream }[]> {
  return t.shared('answers to a caller without credentials', async (own) => {
    const answers = []
    for (const { op, request } of OPERATIONS) {
      if (!own.surface.dialect.has(op) || !own.works(op)) continue
      answers.push({ op, x: await attempt(own, op, request(own, own.unusedId()), 'none') })
    }
    return answers
  })
}

export async function attempt(
  t: Probe,
  op: Operation,
  request: OperationRequest<Operation>,
  identity: Identity,
): Promise<Answer | RawStream> {
  if (!isStreaming(op)) return t.call(op, request, { identity })
  const s = await t.stream(op, request as OperationRequest<'streamMessage'>, { identity })
  await s.next()
  s.close()
  return s
}
