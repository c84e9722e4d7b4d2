// When a stream of 1.0 ends. §3.1.2 and §11.7 disagree about interrupted states: we close streamMessage at
// INPUT_REQUIRED, because the next word is the client's, and keep it open at AUTH_REQUIRED, because the credential may
// arrive out of band (§7.6.1). A subscription watches the task to its end (§3.1.6).

import type { StreamingOperation } from '../../model/operation.ts'
import { isTerminal } from '../../model/state-machine.ts'
import type { TaskState } from '../../model/task.ts'

export function endsStream(op: StreamingOperation, state: TaskState): boolean {
  return isTerminal(state) || (op === 'streamMessage' && state === 'TASK_STATE_INPUT_REQUIRED')
}
