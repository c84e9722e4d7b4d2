// Subscribing to a running task, and several readers of one task (1.0 §3.1.6, §3.5.2).

import { isSettled, isTerminal } from '../../model/state-machine.ts'
import { quote } from '../probe/assertions.ts'
import { GET_ONLY } from '../probe/either-verb.ts'
import { describeError } from '../probe/error-table.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawEvent, RawTask } from '../probe/raw.ts'
import type { RawStream } from '../probe/raw-stream.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { endedTasks } from './ends.ts'
import { expectSameArtifacts } from './fold-artifacts.ts'
import { describeKinds, endsWithin, expectTaskOver, isTerminalEvent, readToOutcome } from './raw-streams.ts'

const CLOSING_MS = 3_000
/** A subscription that says nothing for so long has nothing to say yet. */
const SILENCE_MS = 1_000

export const subscribeChecks: PlacedCheck[] = area({ name: 'subscribe', category: 'streaming', phase: 4 }, [
  check(
    'subscribe-works',
    'MUST let a client subscribe to a task that is running',
    {
      proves: ['subscribe-after-unary-send', 'subscribe-updates', 'rest-subscribe'],
      fix: 'Serve SubscribeToTask for every task that is not finished, and deliver its changes up to the terminal state.',
      needs: [
        'behaviour:slow',
        'check:send-immediately-readable',
        'check:rest-subscribe-route',
        'check:stream-bare',
        'check:stream-envelope',
        'check:send-result',
        'check:get-task-current',
      ],
      groundOf: 'subscribeTask',
      yieldsTo: ['stream-opens', 'stream-ends-terminal'],
    },
    async (t) => {
      const s = await subscribed(t)
      t.expectAnswered(s)
      if (s.exchange.request.method === 'GET') t.warn(3, GET_ONLY)
      // To the end, also where an earlier event says that it is the last: that has a check of its own.
      await s.until(({ state }) => state !== undefined && isSettled(state))
      expectOpened(t, s)
      await expectTaskOver(t, s)
      t.expect(s.events.some(isTerminalEvent), 'the end of the task was not delivered', {
        expected: 'updates up to a terminal state',
        actual: describeKinds(s),
        pointer: '/status/state',
        at: s,
      })
    },
  ),
  check(
    'subscribe-first-task',
    'MUST begin a subscription with the current task',
    {
      proves: ['subscribe-first-task', 'subscribe-snapshot-current'],
      fix: 'Send the current task as the first event of a subscription.',
      yieldsTo: ['schema-event'],
      needs: ['behaviour:slow'],
    },
    async (t) => {
      const { task } = await t.startWorking('slow')
      const s = await t.stream('subscribeTask', { id: task.id })
      const first = await s.next()
      if (s.refused !== undefined) t.notMeasured('the subscription was refused')
      t.expect(first?.kind === 'task', `the first event is a ${first?.kind ?? 'missing'} event`, {
        expected: 'the task',
        actual: quote(first?.json),
        at: s,
      })
      t.expectEqual(first?.taskId, task.id, 'the id of the task', { at: s })
    },
  ),
  check(
    'subscribe-complete',
    'MUST lose nothing between the snapshot and the updates of a subscription',
    {
      proves: ['subscribe-snapshot-current'],
      fix: 'Take the snapshot and start the updates at the same position in the event sequence of the task.',
      yieldsTo: ['stream-artifacts', 'schema-event'],
      needs: ['behaviour:progress'],
    },
    async (t) => {
      const { task } = await t.startWorking('progress')
      // In the middle of it: something is in the snapshot already, and something is still to come.
      await t.awaitTask(task.id, (now) => now.artifacts.length > 0 || isOver(now))
      const s = await t.stream('subscribeTask', { id: task.id })
      await readToOutcome(s)
      if (s.events[0]?.kind !== 'task') t.notMeasured('the subscription does not begin with the task')
      const x = await t.call('getTask', { id: task.id })
      expectSameArtifacts(t, s, x)
    },
  ),
  check(
    'subscribe-closes',
    'MUST end a subscription when the task is finished',
    {
      proves: ['subscribe-closes-on-terminal'],
      fix: 'Close the stream after the terminal status.',
      yieldsTo: ['stream-closes', 'stream-task-then-updates', 'stream-terminal-last'],
      needs: ['behaviour:slow'],
    },
    async (t) => {
      const s = await subscribed(t)
      if (s.refused !== undefined) t.notMeasured('the subscription was refused')
      await readToOutcome(s)
      if (!s.events.some(isTerminalEvent)) t.notMeasured('no terminal state was seen on the stream')
      await endsWithin(s, CLOSING_MS)
      t.expect(s.end === 'server', 'the stream stays open after the terminal state', {
        expected: 'the end of the response',
        at: s,
      })
      const end = s.events.findIndex(isTerminalEvent)
      const late = s.events.slice(end + 1).find(({ kind }) => kind !== 'task')
      t.expect(late === undefined, 'an update follows the terminal state', { actual: quote(late?.json), at: s })
    },
  ),
  check(
    'subscribe-ids',
    'MUST deliver only events of the task subscribed to',
    {
      proves: ['subscribe-updates', 'stream-ids-consistent'],
      fix: 'Deliver only the events of the subscribed task.',
      yieldsTo: ['schema-event', 'stream-ids'],
      needs: ['behaviour:slow'],
    },
    async (t) => {
      const { task } = await t.startWorking('slow')
      const other = await t.startWorking('slow')
      const s = await t.stream('subscribeTask', { id: task.id })
      await readToOutcome(s)
      if (s.events.length === 0) t.notMeasured('the subscription delivered nothing')
      for (const event of s.events) {
        t.expect(event.taskId === task.id, `an event of task ${event.taskId ?? '(none)'} arrived`, {
          expected: task.id,
          actual: event.taskId ?? 'no task id',
          pointer: '/taskId',
          at: [s.exchange, other.x.exchange],
        })
      }
    },
  ),
  check(
    'subscribe-finished',
    'MUST refuse to subscribe to a finished task',
    {
      proves: ['subscribe-terminal-rejected'],
      fix: 'Return UnsupportedOperationError when the task is in a terminal state.',
      category: 'error-handling',
    },
    async (t) => {
      for (const { id } of await endedTasks(t, 'to be subscribed to')) {
        const s = await t.stream('subscribeTask', { id })
        await s.next()
        t.expectError(s, 'UnsupportedOperation')
      }
    },
  ),
  check(
    'subscribe-unknown',
    'MUST report a subscription to an unknown task as not found',
    {
      proves: ['subscribe-not-found'],
      fix: 'Return TaskNotFoundError when no task has the id.',
      category: 'error-handling',
      phase: 2,
    },
    async (t) => {
      const s = await t.stream('subscribeTask', { id: t.unusedId() })
      await s.next()
      t.expectError(s, 'TaskNotFound')
    },
  ),
  check(
    'subscribe-interrupted',
    'MUST let a client subscribe to a task that waits for input',
    {
      proves: ['subscribe-any-nonterminal'],
      fix: 'Refuse subscriptions only for finished tasks; a task that waits for input continues when the user answers.',
      needs: ['behaviour:input-required'],
      yieldsTo: ['subscribe-first-task'],
    },
    async (t) => {
      const { task } = await t.startTask('input-required')
      if (task.state !== 'TASK_STATE_INPUT_REQUIRED') t.notMeasured(`the task is ${task.stateText}`)
      const s = await t.stream('subscribeTask', { id: task.id })
      t.expectAnswered(s)
      const first = await s.next()
      expectOpened(t, s)
      // Whether the stream then stays open is another question (docs/spec-conflicts.md, place 2).
      t.expect(first !== undefined, 'the subscription had no events', {
        expected: 'the task as it stands',
        actual: `a stream that ended (${s.end}) without events`,
        at: s,
      })
    },
  ),
  check(
    'subscribe-cancel',
    'MUST send the canceled state to the open streams of a task and close them',
    {
      proves: ['cancel-closes-streams', 'subscribe-closes-on-terminal'],
      fix: 'Deliver the canceled status to every open stream of the task and close them.',
      needs: ['behaviour:cancelable'],
      yieldsTo: ['cancel-state', 'stream-closes'],
    },
    async (t) => {
      const { task } = await t.startWorking('cancelable')
      const opening = t.stream('subscribeTask', { id: task.id })
      await orSilence(opening.then((opened) => opened.next()))
      const x = await t.call('cancelTask', { id: task.id })
      const s = await opening
      if (s.refused !== undefined) t.notMeasured('the subscription was refused')
      if (x.error !== undefined) t.notMeasured('the task could not be canceled')
      await endsWithin(s, CLOSING_MS)
      t.expect(
        s.events.some(({ state }) => state === 'TASK_STATE_CANCELED'),
        'the open stream did not receive the canceled status',
        { expected: 'a canceled status', actual: describeKinds(s), at: [s.exchange, x.exchange] },
      )
      t.expect(s.end === 'server', 'the stream stays open after the cancellation', { at: s })
    },
  ),
  check(
    'subscribe-broadcast',
    'MUST send every event to every open stream of a task, in the same order',
    {
      proves: ['stream-multi-broadcast', 'stream-multi-same-order'],
      fix: 'Keep one event sequence per task, and a read position per stream.',
      yieldsTo: ['stream-artifacts', 'schema-event'],
      needs: ['behaviour:progress'],
    },
    async (t) => {
      const [first, second] = await twoReaders(t)
      await Promise.all([readToOutcome(first), readToOutcome(second)])
      // Both have seen the task at their own moment; from the later snapshot on they must agree.
      const one = updatesOf(first)
      const two = updatesOf(second)
      const count = Math.min(one.length, two.length)
      t.expect(count > 0, 'one of two streams received no updates', {
        actual: `${one.length} and ${two.length} updates`,
        at: [first.exchange, second.exchange],
      })
      const tails = [one.slice(-count).join('\n'), two.slice(-count).join('\n')]
      t.expect(tails[0] === tails[1], 'two streams of one task differ', {
        expected: 'the same updates in the same order',
        actual: `${describeKinds(first)} | ${describeKinds(second)}`,
        at: [first.exchange, second.exchange],
      })
    },
  ),
  check(
    'subscribe-isolated',
    'MUST NOT affect the other streams of a task when one is closed',
    {
      proves: ['stream-multi-close-isolated'],
      fix: 'Do not end the task or its other streams when one connection is closed.',
      needs: ['behaviour:slow'],
    },
    async (t) => {
      const [first, second] = await twoReaders(t, 'slow')
      first.close()
      await readToOutcome(second)
      await expectTaskOver(t, second)
      t.expect(second.events.some(isTerminalEvent), 'the remaining stream did not reach the end of the task', {
        expected: 'updates up to a terminal state',
        actual: describeKinds(second),
        at: [first.exchange, second.exchange],
      })
    },
  ),
])

/** An error may come as an answer, or as the first event. */
function expectOpened(t: Probe, s: RawStream): void {
  if (s.error === undefined && s.refused === undefined) return
  const actual = s.error === undefined ? quote(s.refused?.text) : describeError(s.error)
  t.fail(`the subscription was refused: ${actual}`, { expected: 'a stream of events', actual, at: s })
}

/**
 * Not every generation begins a subscription with the task: then there is nothing to hear until something happens, and
 * some servers send not even the head of the answer.
 */
async function orSilence(heard: Promise<unknown>): Promise<void> {
  const { promise: silence, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, SILENCE_MS)
  await Promise.race([heard, silence])
  clearTimeout(timer)
}

async function subscribed(t: Probe): Promise<RawStream> {
  const { task } = await t.startWorking('slow')
  const s = await t.stream('subscribeTask', { id: task.id })
  await s.next()
  if (s.refused !== undefined && isOver(t.taskOf(await t.call('getTask', { id: task.id }))))
    t.notMeasured('the task was finished before the subscription', 'a prompt for "slow" that takes longer')
  return s
}

function isOver({ state }: RawTask): boolean {
  return state !== undefined && isTerminal(state)
}

/** Two subscriptions to one running task, both past their first event. */
async function twoReaders(t: Probe, what: 'progress' | 'slow' = 'progress'): Promise<[RawStream, RawStream]> {
  const { task } = await t.startWorking(what)
  const first = await t.stream('subscribeTask', { id: task.id })
  await first.next()
  if (first.events.length === 0) t.notMeasured('the subscription was refused')
  const second = await t.stream('subscribeTask', { id: task.id })
  await second.next()
  if (second.events.length === 0) t.notMeasured('the agent allows only one stream per task, which is allowed')
  return [first, second]
}

function updatesOf(s: RawStream): string[] {
  return s.events
    .filter(({ kind, state }: RawEvent) => kind !== 'task' || (state !== undefined && isTerminal(state)))
    .map(({ kind, state, artifact, json }) => JSON.stringify([kind, state ?? null, artifact?.json ?? null, json]))
}
