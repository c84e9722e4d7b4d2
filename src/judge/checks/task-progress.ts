// A task goes forward: nothing it brought is lost on the way, and it does not fall back (1.0 §3.1.3, §4.1.3).

import { area, observed, type PlacedCheck } from './check.ts'
import { contradictions, TASKS } from './consistency.ts'
import { RULES_OF_MEMBERS } from './schema.ts'

export const taskProgressChecks: PlacedCheck[] = area({ name: 'task-progress', category: 'lifecycle', phase: 7 }, [
  observed(
    'artifacts-kept',
    'SHOULD keep the artifacts a task has produced',
    {
      proves: ['task-artifacts-kept'],
      needs: ['check:send-snapshot', 'check:stream-artifacts', 'check:task-final'],
      fix: 'Keep earlier artifacts in later turns; replace an artifact only by one with the same artifactId.',
      yieldsTo: ['send-artifacts', ...RULES_OF_MEMBERS],
      causes: ['A follow-up starts with an empty list of artifacts.', 'Artifacts are kept per turn, not per task.'],
    },
    TASKS,
    contradictions('artifacts'),
  ),
  observed(
    'states-forward',
    'SHOULD NOT move a task back from working to submitted',
    {
      proves: ['state-forward'],
      needs: ['check:task-final'],
      yieldsTo: RULES_OF_MEMBERS,
      fix: 'Return the stored state of the task everywhere; a working task must not go back to submitted.',
      causes: ['Two stores, one of which lags behind.', 'The state in lists is taken from a queue.'],
    },
    TASKS,
    contradictions('order'),
  ),
])
