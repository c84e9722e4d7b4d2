// Version negotiation and service parameters (1.0 §3.2.6, §3.6).

import { type Answer, isInternalError } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import { describeError } from '../probe/error-table.ts'
import type { Probe } from '../probe/probe.ts'
import { listAt } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { isOffered } from './errors-jsonrpc.ts'

const EVERYWHERE = [
  'getTask',
  'listTasks',
  'cancelTask',
  'subscribeTask',
  'createPushConfig',
  'getPushConfig',
  'listPushConfigs',
  'deletePushConfig',
  'getExtendedCard',
] as const

export const versionChecks: PlacedCheck[] = area({ name: 'version', category: 'error-handling', phase: 2 }, [
  check(
    'version-supported',
    'MUST accept requests of its own protocol version',
    {
      proves: ['version-1-0-processed', 'svc-params-headers-jsonrpc', 'svc-params-headers-http-json'],
      fix: 'Accept A2A-Version: 1.0 on an interface that declares 1.0, and answer in the 1.0 format.',
      mandatory: true,
    },
    async (t) => {
      const message = t.message('x', { taskId: t.unusedId() })
      const headers = { 'A2A-Version': '1.0' }
      // Whatever else is wrong with the answers is said by the checks of these operations.
      for (const x of [await askWith(t, '1.0'), await t.call('sendMessage', { message }, { headers })]) {
        t.expectAnswered(x)
        const isRefused = x.error?.reason === 'VERSION_NOT_SUPPORTED' || x.error?.code === -32009
        t.expect(!isRefused, `${x.op} with A2A-Version: 1.0 is refused`, {
          expected: 'an answer in 1.0',
          actual: x.error === undefined ? 'a result' : describeError(x.error),
          at: x,
        })
      }
    },
  ),
  check(
    'version-unsupported',
    'MUST refuse a version it does not support',
    {
      proves: ['version-unsupported-rejected'],
      fix: 'Return VersionNotSupportedError (JSON-RPC -32009, HTTP 400) when A2A-Version names a version the interface does not offer.',
      tells: true,
    },
    async (t) => {
      const x = await t.call(
        'sendMessage',
        { message: t.message('x', { taskId: t.unusedId() }) },
        { headers: { 'A2A-Version': '99.0' } },
      )
      t.expectError(x, 'VersionNotSupported')
    },
  ),
  check(
    'version-unsupported-everywhere',
    'MUST check the version on every operation',
    {
      proves: ['version-unsupported-all-ops'],
      fix: 'Check A2A-Version before dispatching, so that it applies to every operation.',
      yieldsTo: ['version-unsupported', 'jsonrpc-method-names'],
    },
    async (t) => {
      const id = t.unusedId()
      const wrong = { headers: { 'A2A-Version': '99.0' } }
      const push = { taskId: id, id, url: 'https://parley.invalid/' }
      for (const op of EVERYWHERE) {
        const request = op.includes('Push') ? push : { id }
        if (!t.works(op)) continue
        const x = await t.call(op, request, wrong)
        // Which comes first is not said: that the version is wrong, or that the agent does not have the feature.
        if (isOffered(t, op)) t.expectError(x, 'VersionNotSupported')
        else t.expectRefused(x)
      }
    },
  ),
  check(
    'version-empty',
    'MUST read an empty version as 0.3',
    {
      proves: ['version-empty-means-0-3'],
      fix: 'Treat an empty A2A-Version as 0.3: serve 0.3, or return VersionNotSupportedError.',
      yieldsTo: ['version-unsupported'],
    },
    async (t) => {
      const x = await askWith(t, '', false)
      t.expectAnswered(x)
      const servesOld = t.agent.surfaces.some(({ generation }) => generation !== t.generation)
      // In 0.3 the method of 1.0 does not exist, so "not found" and "no such method" both show the older reading.
      if (servesOld || x.error?.code === -32601) return t.allow('an empty version is read as an older protocol version')
      if (x.error?.reason === 'TASK_NOT_FOUND' || x.error?.code === -32001) {
        t.conflict(5, 'an empty version is served as 1.0')
      }
      t.expectError(x, 'VersionNotSupported')
    },
  ),
  check(
    'version-missing',
    'MUST treat a missing version like an empty one',
    {
      proves: ['version-missing-means-0-3'],
      fix: 'Treat requests without A2A-Version as 0.3.',
      yieldsTo: ['version-unsupported', 'error-version'],
    },
    async (t) => {
      const x = await t.call('getTask', { id: t.unusedId() }, { headers: { 'A2A-Version': undefined }, watched: false })
      t.expectAnswered(x)
      const isServed = x.error?.reason === 'TASK_NOT_FOUND' || x.error?.code === -32001
      if (isServed) t.conflict(5, 'a request without version is served as 1.0')
      t.expect(!isInternalError(x), 'a request without version causes an internal error', {
        expected: 'an answer in 0.3, or VersionNotSupportedError',
        actual: x.error === undefined ? 'a result' : describeError(x.error),
        at: x,
      })
      t.note(`answered with ${x.error === undefined ? 'success' : describeError(x.error)}`)
    },
  ),
  check(
    'version-patch',
    'MUST ignore the patch number',
    {
      proves: ['version-patch-ignored'],
      fix: 'Compare Major.Minor only; 1.0.1 and 1.0.99 are 1.0.',
      needs: ['check:get-task-unknown'],
    },
    async (t) => {
      for (const version of ['1.0.1', '1.0.99']) t.expectError(await askWith(t, version), 'TaskNotFound')
    },
  ),
  check(
    'version-minor',
    'MUST refuse a newer minor version it does not support',
    {
      proves: ['version-minor-matching'],
      fix: 'Return VersionNotSupportedError for 1.9 when only 1.0 is offered.',
      yieldsTo: ['get-task-unknown', 'version-unsupported'],
    },
    async (t) => {
      const x = await askWith(t, '1.9')
      t.expectAnswered(x)
      const isServed = x.error?.reason === 'TASK_NOT_FOUND' || x.error?.code === -32001
      t.expect(!isServed, 'the unsupported minor version 1.9 is served', {
        expected: 'VersionNotSupportedError',
        actual: quote(x.error?.json),
        at: x,
      })
      t.expectError(x, 'VersionNotSupported')
    },
  ),
  check(
    'version-malformed',
    'SHOULD refuse a malformed version',
    {
      proves: ['version-malformed-rejected'],
      fix: 'Return VersionNotSupportedError when A2A-Version is not Major.Minor.',
      yieldsTo: ['get-task-unknown', 'version-unsupported', 'error-version'],
    },
    async (t) => {
      for (const version of ['abc', '1', 'v1.0']) {
        const x = await askWith(t, version)
        t.expectRefused(x)
        t.expect(!isInternalError(x), `A2A-Version: ${version} causes an internal error`, {
          expected: 'a refusal',
          actual: quote(x.text),
          at: x,
        })
        const isServed = x.error?.reason === 'TASK_NOT_FOUND' || x.error?.code === -32001
        t.expect(!isServed, `A2A-Version: ${version} is accepted`, {
          expected: 'VersionNotSupportedError',
          actual: quote(x.error?.json),
          at: x,
        })
      }
    },
  ),
  check(
    'version-header-case',
    'MUST match the names of service parameters regardless of case',
    {
      proves: ['version-header-case-insensitive', 'svc-params-case'],
      fix: 'Look headers up case-insensitively.',
      yieldsTo: ['get-task-unknown', 'version-unsupported'],
    },
    async (t) => {
      for (const name of ['a2a-version', 'A2A-VERSION']) {
        const x = await t.call(
          'getTask',
          { id: t.unusedId() },
          { headers: { 'A2A-Version': undefined, [name]: '99.0' } },
        )
        t.expectError(x, 'VersionNotSupported')
      }
    },
  ),
  check(
    'version-query',
    'SHOULD read the version from the query string too',
    {
      proves: ['version-query-parameter'],
      fix: 'Accept A2A-Version as a query parameter too, because clients may send it there.',
      yieldsTo: ['get-task-unknown', 'version-unsupported'],
    },
    async (t) => {
      const without = { headers: { 'A2A-Version': undefined } }
      const good = await t.raw({ path: `/tasks/${t.unusedId()}?A2A-Version=1.0`, ...without })
      t.expectError(good, 'TaskNotFound')
      t.expectError(await t.raw({ path: `/tasks/${t.unusedId()}?A2A-Version=99.0`, ...without }), 'VersionNotSupported')
    },
  ),
  check(
    'version-no-side-effect',
    'SHOULD NOT create a task for a request it refuses for its version',
    {
      proves: ['version-unsupported-no-side-effect'],
      fix: 'Check the version before creating a task.',
      phase: 3,
      yieldsTo: ['version-unsupported', 'list-by-context'],
    },
    async (t) => {
      const contextId = t.unusedId()
      // With which error is another check's business; an agent may mind the context first.
      t.expectRefused(await t.send('task', { contextId, headers: { 'A2A-Version': '99.0' } }))
      const x = await t.call('listTasks', { contextId })
      const tasks = listAt(t.expectSuccess(x), 'tasks') ?? []
      t.expect(tasks.length === 0, 'the refused send created a task', {
        expected: 'no task',
        actual: quote(tasks),
        pointer: `${x.resultPointer}/tasks`,
        at: x,
      })
    },
  ),
])

function askWith(t: Probe, version: string, watched = true): Promise<Answer> {
  return t.call('getTask', { id: t.unusedId() }, { headers: { 'A2A-Version': version }, watched })
}
