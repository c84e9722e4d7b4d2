// What the agent says of a task it said before: looked at whenever a task is seen again, in whatever answer.

import type { ContradictionKind } from '../probe/comparison.ts'
import type { Inspect, ObservationKind } from '../probe/observation.ts'
import type { Probe } from '../probe/probe.ts'
import { area, check, everywhere, observed, type PlacedCheck } from './check.ts'
import { RULES_OF_MEMBERS } from './schema.ts'

export const TASKS: readonly ObservationKind[] = ['sendResult', 'task', 'taskList', 'event', 'notification']

/** Contradictions of these kinds; nothing when nothing of them could be compared. */
export function contradictions(...kinds: ContradictionKind[]): Inspect {
  return (_, { comparison }) => {
    if (!kinds.some((kind) => comparison.compared.has(kind))) return undefined
    return comparison.contradictions.filter(({ kind }) => kinds.includes(kind))
  }
}

/** How many finished tasks are read again, the rarer ends first. */
const MOST_READ = 60
const AT_A_TIME = 6

type Ended = ReturnType<Probe['endedTasks']>[number]

function byInterest(a: Ended, b: Ended): number {
  const rank = ({ view }: Ended) => Number(view.state === 'TASK_STATE_COMPLETED')
  return rank(a) - rank(b)
}

function inGroups<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}

export const consistencyChecks: PlacedCheck[] = area({ name: 'consistency', category: 'lifecycle', phase: 7 }, [
  everywhere(
    check(
      'task-final',
      'MUST NOT change a task after it has ended',
      {
        proves: ['state-terminal-immutable'],
        fix: 'Ignore everything that happens after a task has ended: late events, cancels, messages, clean-ups.',
        yieldsTo: ['state-specified'],
        why: 'Clients act on the end of a task and never look again; they miss whatever changes afterwards.',
        needs: ['check:stream-task-ids', 'check:stream-ids'],
        causes: [
          'The worker continues after a cancel.',
          'A read builds the task again instead of returning the stored one.',
        ],
      },
      async (t) => {
        if (t.endedTasks().length === 0) await t.finishedTask()
        for (const some of inGroups(t.endedTasks().toSorted(byInterest).slice(0, MOST_READ), AT_A_TIME)) {
          const answers = await Promise.all(some.map(({ id }) => t.call('getTask', { id })))
          for (const [at, x] of answers.entries()) {
            const known = some[at]
            // Tasks may be forgotten, and those of the second user are not ours.
            if (known === undefined || x.error !== undefined) continue
            const task = t.taskOf(x)
            t.expectEqual(task.state, known.view.state, 'at the end of the run the state of a finished task', {
              pointer: `${task.pointer}/status/state`,
              at: [known.exchange, x.exchange],
            })
          }
        }
      },
    ),
    TASKS,
    contradictions('state', 'frozen'),
  ),
  observed(
    'task-context-constant',
    'MUST keep a task in its context',
    {
      proves: ['task-context-constant'],
      fix: 'Store the contextId with the task, and use it in every response, event and notification about the task.',
      causes: ['Every response generates a new contextId.', 'Events take the context of the request, not of the task.'],
      needs: ['check:send-task-ids', 'check:stream-task-ids', 'check:stream-ids'],
    },
    TASKS,
    contradictions('context'),
  ),
  observed(
    'task-views-agree',
    'SHOULD return the same finished task from every operation',
    {
      proves: ['task-views-agree'],
      needs: [
        'check:task-final',
        'check:send-snapshot',
        'check:list-artifacts',
        'check:list-by-context',
        'check:task-context-constant',
      ],
      yieldsTo: RULES_OF_MEMBERS,
      fix: 'Build the tasks in sends, lists, streams and notifications with the same code as GetTask.',
      causes: [
        'Lists use a separate mapping that omits a member.',
        'Metadata is kept only while the request is handled.',
      ],
    },
    TASKS,
    contradictions('members'),
  ),
  observed(
    'status-times',
    'SHOULD record when a status was reached',
    {
      proves: ['state-timestamp-monotonic'],
      needs: ['check:task-final', 'check:task-views-agree', 'check:json-enums'],
      yieldsTo: RULES_OF_MEMBERS,
      fix: 'Set status.timestamp to the current time whenever the state changes, and never to an earlier time than before.',
      causes: ['The timestamp of the creation is kept.', 'The clock of another machine is used.'],
    },
    TASKS,
    contradictions('time'),
  ),
])
