// An update of the agent that needs nothing but our ids: no file to save, no message whose own ids and references would have
// to be looked up. Where its text is known the ids are exchanged at its beginning, the only place where they can stand.

import type { StreamItem } from '../bindings/endpoint-client.ts'
import type { TaskEvent } from '../model/event.ts'
import { writtenUpdate } from '../server/store/stored-event.ts'
import { stamped } from './catch-up.ts'
import type { TaskLink } from './task-id-links.ts'

/** How updates of a task begin, theirs and ours. */
export interface UpdateHeads {
  readonly theirs: string
  readonly ours: string
}

export function updateHeads({ downstreamTaskId, downstreamContextId = '', taskId, contextId }: TaskLink): UpdateHeads {
  return { theirs: headOf(downstreamTaskId, downstreamContextId), ours: headOf(taskId, contextId) }
}

/** Undefined where it takes more. The update is known to be one of this task. */
export function renamedUpdate({ event, text }: StreamItem, link: TaskLink, heads: UpdateHeads): TaskEvent | undefined {
  if (!link.files.letsAllPass) return undefined
  const { taskId, contextId } = link
  if ('artifactUpdate' in event) {
    const artifactUpdate = { ...event.artifactUpdate, taskId, contextId }
    if (!text?.startsWith(heads.theirs)) return { artifactUpdate }
    return writtenUpdate(artifactUpdate, heads.ours + text.slice(heads.theirs.length))
  }
  if (!('statusUpdate' in event) || event.statusUpdate.status.message !== undefined) return undefined
  const { statusUpdate } = event
  return { statusUpdate: { ...statusUpdate, taskId, contextId, status: stamped(statusUpdate.status) } }
}

function headOf(taskId: string, contextId: string): string {
  return `{"artifactUpdate":{"taskId":${JSON.stringify(taskId)},"contextId":${JSON.stringify(contextId)},`
}
