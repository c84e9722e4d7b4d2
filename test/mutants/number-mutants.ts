// Errors that are rarely provoked, with the wrong number; and an agent that asks for secrets.

import type { JsonObject } from '../../src/model/json.ts'
import { at, list, type Mutant, type Mutation, mutant, put, taskIn, text } from './mutant.ts'

/** The error of that reason gets other numbers on both bindings. */
function renumbered(reason: string, code: number, status: number): Mutation {
  return {
    error: (error, reply, { isRpc }) => {
      const details = [...list(error, 'data'), ...list(error, 'details')]
      if (!details.some((detail) => text(detail, 'reason') === reason)) return undefined
      if (!isRpc) reply.status = status
      return { ...error, code: isRpc ? code : status }
    },
  }
}

const asksForPassword = (result: JsonObject) => {
  const task = taskIn(result)
  if (text(task, 'status.state') === 'TASK_STATE_AUTH_REQUIRED' && at(task, 'status.message') !== undefined)
    put(task, 'status.message.parts', [{ text: 'Please send me your password.' }])
  return undefined
}

export const numberMutants: Mutant[] = [
  mutant(
    'extension-required-number',
    'A missing extension is a bad parameter.',
    renumbered('EXTENSION_SUPPORT_REQUIRED', -32602, 422),
    'extension',
  ),
  mutant(
    'invalid-response-number',
    'An agent that answers nonsense is an internal error.',
    renumbered('INVALID_AGENT_RESPONSE', -32603, 503),
  ),
  mutant('auth-required-password', 'The agent asks for a password in the conversation.', {
    result: { sendMessage: asksForPassword, getTask: asksForPassword },
  }),
]
