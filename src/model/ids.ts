// How long an id may be. Ids are kept in indexes, repeated in every event and compared all the time; whoever makes one
// needs a few dozen characters. PostgreSQL cannot index more than about 2,700 bytes, and an odd character takes six.

import type { TaskEvent } from './event.ts'
import type { Issue } from './issue.ts'
import type { Operation, OperationRequest, PushConfig } from './operation.ts'
import type { Message } from './task.ts'

export const MAX_ID_LENGTH = 256
/** Ours are shorter; those of other agents, which we pass on, need not be. */
export const MAX_TOKEN_LENGTH = 1_024

/** Members of requests that are ids, wherever they stand. */
type Identified = Partial<Record<'tenant' | 'id' | 'taskId' | 'contextId' | 'clientTaskId' | 'pageToken', string>> & {
  message?: Message
  configuration?: { taskPushNotificationConfig?: PushConfig }
}

/** The first id of a request that is too long; undefined when none is. */
export function idIssue<O extends Operation>(request: OperationRequest<O>): Issue | undefined {
  const given = request as Identified
  const { message, configuration } = given
  const config = configuration?.taskPushNotificationConfig
  return (
    tooLong('/tenant', given.tenant) ??
    tooLong('/id', given.id ?? given.clientTaskId) ??
    tooLong('/taskId', given.taskId) ??
    tooLong('/contextId', given.contextId) ??
    tooLong('/pageToken', given.pageToken, MAX_TOKEN_LENGTH) ??
    (message && messageIssue(message)) ??
    (config && tooLong('/configuration/taskPushNotificationConfig/id', config.id))
  )
}

function messageIssue({ messageId, taskId, contextId, referenceTaskIds }: Message): Issue | undefined {
  const issue =
    tooLong('/message/messageId', messageId) ??
    tooLong('/message/taskId', taskId) ??
    tooLong('/message/contextId', contextId)
  if (issue !== undefined || referenceTaskIds === undefined) return issue
  for (const [n, id] of referenceTaskIds.entries()) {
    const found = tooLong(`/message/referenceTaskIds/${n}`, id)
    if (found !== undefined) return found
  }
  return undefined
}

/** What is wrong with the ids an agent chose for its event; undefined when nothing is. */
export function eventIdIssue(event: TaskEvent): Issue | undefined {
  if ('artifactUpdate' in event) return tooLong('/artifact/artifactId', event.artifactUpdate.artifact.artifactId)
  if ('statusUpdate' in event) return tooLong('/status/message/messageId', event.statusUpdate.status.message?.messageId)
  return undefined
}

export function tooLong(pointer: string, id: string | undefined, most = MAX_ID_LENGTH): Issue | undefined {
  if (id === undefined || id.length <= most) return undefined
  return { pointer, message: `must have at most ${most} characters, not ${id.length}` }
}
