import { area, check, type PlacedCheck } from './check.ts'
import { expectSameArtifacts } from './fold-artifacts.ts'
import { aboutEvent, eachStream, isTerminalEvent } from './raw-streams.ts'

export const streamUpdateChecks: PlacedCheck[] = area({ name: 'streaming', category: 'streaming', phase: 4 }, [
  check(
    'stream-ids',
    'MUST send only events of the task the stream is about',
    {
      proves: ['stream-ids-consistent'],
      fix: 'Use the id and the context of the task in every event of its stream.',
      yieldsTo: ['schema-event'],
    },
    (t) =>
      eachStream(t, async (s) => {
        const [first] = s.events
        for (const event of s.events.slice(1)) {
          t.expectEqual(event.taskId, first?.taskId, `the task id of ${aboutEvent(event)}`, {
            pointer: '/taskId',
            at: s,
          })
          if (event.contextId === undefined || first?.contextId === undefined) continue
          t.expectEqual(event.contextId, first.contextId, `the context id of ${aboutEvent(event)}`, {
            pointer: '/contextId',
            at: s,
          })
        }
      }),
  ),
  check(
    'stream-order',
    'MUST send events in the order in which they happened',
    {
      proves: ['stream-order'],
      fix: 'Send events in the order of their timestamps; a task never goes back to submitted.',
      yieldsTo: ['stream-task-then-updates'],
    },
    (t) =>
      eachStream(t, async (s) => {
        let newest = Number.NEGATIVE_INFINITY
        let hasWorked = false
        for (const event of s.events) {
          const at = Date.parse(event.timestamp ?? '')
          t.expect(Number.isNaN(at) || at >= newest, 'a timestamp goes backwards', {
            expected: `at or after ${Number.isFinite(newest) ? new Date(newest).toISOString() : 'anything'}`,
            actual: event.timestamp ?? '',
            at: s,
          })
          if (!Number.isNaN(at)) newest = at
          t.expect(!(hasWorked && event.state === 'TASK_STATE_SUBMITTED'), 'the task goes back to submitted', { at: s })
          hasWorked ||= event.state === 'TASK_STATE_WORKING'
        }
      }),
  ),
  check(
    'stream-artifacts',
    'MUST stream the same artifacts as GetTask returns',
    {
      proves: ['stream-artifact-append'],
      fix: 'Send every chunk once and in order; append: true extends the artifact of that id, otherwise it is replaced.',
      yieldsTo: [
        'send-snapshot',
        'stream-task-ids',
        'schema-event',
        'stream-task-then-updates',
        'stream-ends-terminal',
      ],
    },
    (t) =>
      eachStream(t, async (s) => {
        const id = s.events[0]?.taskId ?? t.notMeasured('the agent answered with a message')
        const x = await t.call('getTask', { id })
        const stored = t.taskOf(x)
        if (stored.artifacts.length === 0 && !s.events.some(({ kind }) => kind === 'artifact'))
          t.notMeasured('the task has no artifacts')
        expectSameArtifacts(t, s, x)
      }),
  ),
  check(
    'stream-final-state',
    'MUST end a stream in the same state as GetTask returns',
    {
      proves: ['stream-matches-get-task'],
      fix: 'Store the final status before (or when) it is streamed.',
      yieldsTo: ['stream-ends-terminal', 'stream-task-ids', 'stream-ids'],
    },
    (t) =>
      eachStream(t, async (s) => {
        // What comes after a terminal state is another fault, and another check's.
        const last = s.events.find(isTerminalEvent) ?? s.events.findLast((event) => event.state !== undefined)
        if (last?.taskId === undefined) return t.notMeasured('no state was seen on the stream')
        const id = last.taskId
        const x = await t.call('getTask', { id })
        const task = t.taskOf(x)
        t.expectEqual(task.state, last.state, 'the state of the task', {
          pointer: `${task.pointer}/status/state`,
          at: [s.exchange, x.exchange],
        })
      }),
  ),
  check(
    'stream-last-chunk',
    'SHOULD add nothing to an artifact after its last chunk',
    {
      proves: ['stream-artifact-last-chunk'],
      fix: 'Set lastChunk only with the last update of an artifact.',
      yieldsTo: ['stream-task-then-updates', 'stream-artifacts'],
    },
    (t) =>
      eachStream(t, async (s) => {
        const complete = new Set<string>()
        let chunks = 0
        for (const { artifact, lastChunk } of s.events) {
          if (artifact?.id === undefined) continue
          chunks++
          t.expect(!complete.has(artifact.id), `artifact ${artifact.id} gets more chunks after lastChunk`, { at: s })
          if (lastChunk) complete.add(artifact.id)
        }
        if (chunks === 0) t.notMeasured('the stream has no artifacts')
      }),
  ),
  check(
    'stream-chunk-flags',
    'MUST NOT set append on the first chunk of an artifact',
    {
      proves: ['stream-artifact-append'],
      fix: 'Send the first chunk of an artifact with append: false; append: true is for those that follow.',
      yieldsTo: ['stream-artifacts'],
    },
    (t) =>
      eachStream(t, async (s) => {
        const seen = new Set<string>((s.events[0]?.task?.artifacts ?? []).map(({ id }) => id ?? ''))
        for (const { kind, artifact, append } of s.events) {
          if (kind !== 'artifact' || artifact?.id === undefined) continue
          const isFirst = !seen.has(artifact.id)
          t.expect(!(isFirst && append), `the first chunk of artifact ${artifact.id} claims to extend it`, {
            expected: 'append: false',
            actual: 'append: true',
            at: s,
          })
          seen.add(artifact.id)
        }
        if (seen.size === 0) t.notMeasured('the stream has no artifacts')
      }),
  ),
])
