// Webhooks of the `tasks/send` generation: one configuration a task, https only, a short body that says what happened,
// the token as bearer, three retries and then the subscription is over.

import type { ArtifactUpdateEvent, StatusUpdateEvent } from '../../model/event.ts'
import type { PushConfig } from '../../model/operation.ts'
import type { PushRules } from '../dialect.ts'
import { encoded } from '../losses.ts'
import { encodeEvent, encodeTask } from './objects.ts'
import { schemas } from './schema/schemas.ts'

export const pushRules: PushRules = {
  configId: (taskId) => taskId,
  requiresHttps: true,
  retryPausesMs: [1_000, 2_000, 4_000],
  wants(config, event) {
    const { events } = config as PushConfig & { events?: unknown }
    return !Array.isArray(events) || events.includes(kindOf(event))
  },
  sendsWholeTask: true,
  encodeBody: (event, task) =>
    encoded((lost) => {
      const update = encodeEvent(event, lost)
      const status = 'status' in update ? update.status : task && encodeTask(task, '', lost).status
      return {
        ...{ taskId: update.id, eventType: kindOf(event), status, timestamp: status?.timestamp },
        ...('artifact' in update ? { artifact: update.artifact } : {}),
      }
    }).wire,
  readBody(body) {
    const { taskId, eventType: kind, status } = body
    if (typeof taskId !== 'string' || typeof kind !== 'string') return undefined
    const issues = schemas.validate('TaskStatus', status)
    return { kind, subject: body, issues: issues.map((issue) => ({ ...issue, pointer: `/status${issue.pointer}` })) }
  },
  authorization({ authentication, token }) {
    if (authentication?.credentials) return `${authentication.scheme} ${authentication.credentials}`
    return token ? `Bearer ${token}` : undefined
  },
}

function kindOf(event: StatusUpdateEvent | ArtifactUpdateEvent): 'status' | 'artifact' {
  return 'statusUpdate' in event ? 'status' : 'artifact'
}
