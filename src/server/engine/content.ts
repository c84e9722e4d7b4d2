// Turns what an agent author writes (text, parts, or most of a message) into a complete message of the agent.

import { randomId } from '../../base/random-id.ts'
import type { Message } from '../../model/task.ts'
import type { Content } from './agent.ts'

export function toMessage(content: Content, ids: { taskId?: string; contextId: string }): Message {
  const message: Message = {
    messageId: randomId(),
    role: 'ROLE_AGENT',
    parts: [],
    contextId: ids.contextId,
  }
  if (ids.taskId !== undefined) message.taskId = ids.taskId
  if (typeof content === 'string') message.parts = [{ text: content }]
  else if (isParts(content)) message.parts = [...content]
  else return { ...message, ...content, messageId: content.messageId ?? message.messageId, role: 'ROLE_AGENT' }
  return message
}

function isParts(content: Content): content is Exclude<Content, string | { parts: unknown }> {
  return Array.isArray(content)
}
