// What holds for a send holds for a send that streams: contexts, follow-ups, history, push configurations, versions
// and callers (1.0 §3.1.2: the same request; 0.3 §7.2: "just like message/send").

import { isSettled } from '../../model/state-machine.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawEvent, RawTask } from '../probe/raw.ts'
import { rawPushConfigs } from '../probe/raw-push.ts'
import type { RawStream } from '../probe/raw-stream.ts'
import { openTask, webhookUrl } from './accepted-webhook.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { readToOutcome } from './raw-streams.ts'
import { expectHidden } from './security.ts'
import { hasMoved } from './send-follow-ups.ts'

export const streamTwinChecks: PlacedCheck[] = [
  ...area({ name: 'stream-twins', category: 'streaming', phase: 4, needs: ['check:stream-opens'] }, [
    check(
      'stream-context-kept',
      'MUST NOT stream with another contextId than the one given',
      {
        proves: ['stream-context-not-replaced'],
        fix: 'Use the contextId of the client on streaming sends too, or refuse it.',
        needs: ['check:task-context-constant'],
        yieldsTo: ['send-context-kept'],
      },
      async (t) => {
        const contextId = t.unusedId()
        const s = await t.openStream('task', { contextId })
        t.expectAnswered(s)
        await readToOutcome(s)
        if (s.error !== undefined) return t.allow('a context id made by the client is refused, which is allowed')
        const event = s.events.find((one) => (one.contextId ?? '') !== '')
        if (event === undefined) return t.allow('the stream names no context; only another one is forbidden')
        t.expectEqual(event.contextId, contextId, 'the context of the stream', { at: s })
      },
    ),
    check(
      'stream-context-new-task',
      'MUST start a new task for a streamed message that names only a context',
      {
        proves: ['stream-context-new-task'],
        fix: 'Start a new task in the given context for a message with contextId and without taskId, also on streaming sends.',
        yieldsTo: ['task-context-constant', 'send-context-new-task'],
      },
      async (t) => {
        const { id, contextId } = await t.finishedTask()
        if (contextId === undefined) return t.notMeasured('the agent uses no contexts')
        const s = await t.openStream('task', { contextId })
        const first = await firstOf(t, s)
        t.expect(first.taskId !== id, 'the streamed message continued the earlier task', {
          expected: 'a new task id',
          actual: first.taskId ?? 'no task',
          at: s,
        })
        if (first.contextId !== undefined)
          t.expectEqual(first.contextId, contextId, 'the context of the streamed task', { at: s })
      },
    ),
    check(
      'stream-task-ids',
      'MUST give every streamed task a unique id',
      {
        proves: ['stream-task-id-unique'],
        fix: 'Generate a new id for every task, also for those of streaming sends.',
        yieldsTo: ['send-task-ids', 'schema-event'],
      },
      async (t) => {
        const streams = await Promise.all(Array.from({ length: 3 }, () => t.openStream('task')))
        const ids: string[] = []
        for (const s of streams) ids.push((await firstOf(t, s)).taskId ?? '')
        const at = streams.map(({ exchange }) => exchange)
        t.expect(!ids.includes(''), 'a streamed task has no id', { actual: quote(ids), at })
        t.expect(new Set(ids).size === ids.length, 'two streamed tasks share an id', {
          expected: 'distinct ids',
          actual: ids.join(', '),
          at,
        })
      },
    ),
    check(
      'stream-follow-up',
      'MUST continue the task a streamed follow-up names',
      {
        proves: ['stream-followup-same-task'],
        fix: 'Continue the task named by message.taskId on streaming sends too, and stream its events.',
        needs: ['behaviour:input-required', 'check:stream-ids'],
        yieldsTo: ['send-follow-up', 'task-context-constant'],
      },
      async (t) => {
        const task = await waitingTask(t)
        const { followUp = 'done' } = t.behaviour('input-required')
        const s = await t.openStream({ text: followUp }, { taskId: task.id })
        await readToOutcome(s)
        expectNoError(t, s)
        const ids = s.events.flatMap(({ taskId }) => taskId ?? [])
        if (ids.length === 0) t.notMeasured('the stream of a follow-up names no task; another check reports that')
        t.expectEqual(ids[0], task.id, 'the task of the stream', { at: s })
        const known = s.events.find(({ contextId }) => contextId !== undefined)
        if (known !== undefined && task.contextId !== undefined)
          t.expectEqual(known.contextId, task.contextId, 'the context of the stream', { at: s })
        await t.expectTask(task.id, (now) => hasMoved(now, task))
      },
    ),
    check(
      'stream-context-mismatch',
      'MUST refuse to stream a message whose contextId does not match its task',
      {
        proves: ['stream-context-mismatch'],
        fix: 'Compare contextId with that of the task on streaming sends too.',
        needs: ['behaviour:input-required'],
        yieldsTo: ['send-context-mismatch'],
        category: 'error-handling',
      },
      async (t) => {
        const task = await waitingTask(t)
        t.expectRefused(await refused(t, { taskId: task.id, contextId: t.unusedId() }))
      },
    ),
    check(
      'stream-no-client-task',
      'MUST NOT let a client choose the id of a streamed task',
      {
        proves: ['stream-no-client-created-task'],
        fix: 'Do not create a task with an id chosen by the client.',
        needs: ['check:get-task-unknown'],
        yieldsTo: ['stream-unknown-task', 'send-no-client-task'],
        category: 'error-handling',
      },
      async (t) => {
        const id = t.unusedId()
        t.expectRefused(await refused(t, { taskId: id }))
        t.expectError(await t.call('getTask', { id }), 'TaskNotFound')
      },
    ),
    check(
      'stream-history-limit',
      'MUST apply the historyLength of a streaming send',
      {
        proves: ['stream-history-length-limit'],
        fix: 'Apply configuration.historyLength to the tasks in a stream.',
        needs: ['behaviour:input-required'],
        yieldsTo: ['send-history-limit', 'stream-follow-up'],
      },
      async (t) => {
        // A task that is continued has more than one message to tell.
        const task = await waitingTask(t)
        const { followUp = 'done' } = t.behaviour('input-required')
        const s = await t.openStream({ text: followUp }, { taskId: task.id, configuration: { historyLength: 1 } })
        await readToOutcome(s)
        expectHistory(t, s, 1)
      },
    ),
    check(
      'stream-history-zero',
      'SHOULD leave out the history of streamed tasks when none is asked for',
      {
        proves: ['stream-history-length-zero'],
        fix: 'Omit history from the tasks of a stream when configuration.historyLength is 0.',
        yieldsTo: ['send-history-zero'],
      },
      async (t) => {
        const s = await t.openStream('task', { configuration: { historyLength: 0 } })
        await readToOutcome(s)
        expectHistory(t, s, 0)
      },
    ),
    check(
      'version-unsupported-stream',
      'MUST check the version of streaming sends',
      {
        proves: ['version-unsupported-stream'],
        fix: 'Check A2A-Version before dispatching, so that it applies to every operation.',
        yieldsTo: ['version-unsupported', 'version-unsupported-everywhere'],
        category: 'error-handling',
      },
      async (t) => {
        const headers = { 'A2A-Version': '99.0' }
        const s = await t.stream('streamMessage', { message: t.message('x', { taskId: t.unusedId() }) }, { headers })
        await s.next()
        t.expectError(s, 'VersionNotSupported')
      },
    ),
  ]),
  ...area({ name: 'stream-twins', category: 'lifecycle', phase: 5, needs: ['check:stream-opens'] }, [
    check(
      'stream-inline-push',
      'MUST NOT accept a push configuration in a streaming send without declaring push notifications',
      {
        proves: ['stream-inline-push-unsupported'],
        fix: 'Return PushNotificationNotSupportedError when a streaming send carries a push configuration and the capability is off.',
        yieldsTo: ['send-inline-push'],
        phase: 4,
      },
      async (t) => {
        needsStreams(t)
        const configuration = { taskPushNotificationConfig: { url: 'https://parley.invalid/hook' } }
        const s = await t.openStream('task', { configuration })
        await s.next()
        s.close()
        t.expectAnswered(s)
        t.expect(s.error !== undefined, 'the push configuration of a streaming send is silently ignored', {
          expected: 'an error, because the card does not declare pushNotifications (docs/spec-conflicts.md, place 18)',
          actual: `a stream with ${s.events.length} event(s)`,
          at: s,
        })
      },
    ),
    check(
      'push-inline-stream',
      'MUST register the push configuration of a streaming send',
      {
        proves: ['stream-inline-push-config'],
        fix: 'Create configuration.taskPushNotificationConfig for the task of a streaming send, as for a plain one.',
        needs: ['check:push-inline', 'check:push-list'],
      },
      async (t) => {
        needsStreams(t)
        const url = await webhookUrl(t)
        const what = t.known('input-required') === undefined ? 'task' : 'input-required'
        const s = await t.openStream(what, { configuration: { taskPushNotificationConfig: { url } } })
        const first = await firstOf(t, s)
        const taskId = first.taskId ?? t.notMeasured('the agent answered with a message')
        const x = await t.call('listPushConfigs', { taskId })
        const urls = rawPushConfigs(t.expectSuccess(x)).map((config) => config.url)
        t.expect(urls.includes(url), 'the configuration is not listed', {
          expected: url,
          actual: quote(x.result),
          at: [s.exchange, x.exchange],
        })
      },
    ),
  ]),
  ...area({ name: 'stream-twins', category: 'lifecycle', phase: 6, needs: ['check:stream-opens'] }, [
    check(
      'isolation-stream',
      'MUST NOT let one user continue the tasks of another with a streaming send',
      {
        proves: ['sec-scope-stream'],
        fix: 'Return TaskNotFoundError when message.taskId belongs to another user, also on streaming sends.',
        needs: ['second-identity'],
        yieldsTo: ['isolation-send'],
      },
      async (t) => {
        needsStreams(t)
        for (const taskId of [(await openTask(t)).id, (await t.ownFinishedTask()).id]) {
          const message = t.message('done', { taskId })
          const s = await t.stream('streamMessage', { message }, { identity: 'second' })
          await s.next()
          s.close()
          expectHidden(t, s)
        }
      },
    ),
  ]),
]

function needsStreams(t: Probe): void {
  if (!t.declares('streaming')) t.notApplicable('the card does not declare streaming')
}

/** A task of the check's own that waits for an answer. */
async function waitingTask(t: Probe): Promise<RawTask> {
  const { task } = await t.startTask('input-required')
  if (task.state === 'TASK_STATE_INPUT_REQUIRED') return task
  // Where a send returns at once, the question comes later.
  const later = await t.awaitRest(task.id, 'input-required', isSettled)
  if (later.state !== 'TASK_STATE_INPUT_REQUIRED') t.notProvoked('input-required', later)
  return later
}

/** The event a stream begins with; what was refused or brings none is told by others. */
async function firstOf(t: Probe, s: RawStream): Promise<RawEvent> {
  const first = await s.next()
  s.close()
  if (first === undefined) return t.notMeasured('the agent opened no stream', 'a streaming call that succeeds')
  if (first.kind === 'message') return t.notMeasured('the agent answered with a message')
  return first
}

/** What a streaming send of such a message is answered with, when it is refused. */
async function refused(t: Probe, ids: { taskId: string; contextId?: string }): Promise<RawStream> {
  const s = await t.stream('streamMessage', { message: t.message('done', ids) })
  await s.next()
  s.close()
  return s
}

function expectNoError(t: Probe, s: RawStream): void {
  if (s.error !== undefined) t.fail(`${s.about} failed`, { expected: 'a stream', actual: quote(s.error.json), at: s })
}

function expectHistory(t: Probe, s: RawStream, most: number): void {
  expectNoError(t, s)
  const tasks = s.events.flatMap(({ task }) => task ?? [])
  if (tasks.length === 0) t.notMeasured('the stream shows no task')
  for (const { history = [], json } of tasks) {
    t.expect(history.length <= most, `a streamed task has ${history.length} messages of history`, {
      expected: `at most ${most}`,
      actual: quote(json.history),
      at: s,
    })
  }
}
