// A task goes forward: nothing it brought is lost on the way, and it does not fall back (1.0 §3.1.3, §4.1.3).

import { area, observed, type PlacedCheck } from './check.ts'
import { contradictions, TASKS } from './consistency.ts'

export const taskProgressChecks: PlacedCheck[] = area({ name: 'task-progress', category: 'lifecycle', phase: 7 }, [
  observed(
    'artifacts-kept',
    'SHOULD keep the artifacts a task has brought',
    {
      proves: ['task-artifacts-kept'],
      needs: ['check:send-snapshot', 'check:stream-artifacts', 'check:task-final'],
      fix: 'Add artifacts to the task, also in later turns; replace one only by another of the same artifactId.',
      yieldsTo: ['send-artifacts'],
      causes: ['A follow-up begins with an empty list of artifacts.', 'Artifacts are kept per turn, not per task.'],
    },
    TASKS,
    contradictions('artifacts'),
  ),
  observed(
    'states-forward',
    'SHOULD NOT show a task as submitted that was working',
    {
      proves: ['state-forward'],
      needs: ['check:task-final'],
      fix: 'Show the state of the task as it is stored; a task that works is not waiting for its turn.',
      causes: ['Two stores, one of which is behind.', 'The state of a list comes from a queue.'],
    },
    TASKS,
    contradictions('order'),
  ),
])
