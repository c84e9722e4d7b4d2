// An agent that is also a client: sends its message on to another agent, in that agent's generation, and returns
// what came back, artifacts included. How to reach the other agent is given from outside.

import { A2AError } from '../model/errors.ts'
import type { SendMessageResult } from '../model/operation.ts'
import { isInterrupted } from '../model/state-machine.ts'
import type { Message } from '../model/task.ts'
import { textOf } from '../model/task.ts'
import type { Agent } from '../server/engine/agent.ts'

export interface RelayOptions {
  /** Where messages go when they name no target themselves. */
  target: string | undefined
  /** Allows `relay <url> <text>`: a message that chooses the target. */
  allowsChosenTargets: boolean
  /** `isChosen` says that the message named the target, not the operator. */
  forward(
    target: string,
    message: Message,
    options: { signal: AbortSignal; isChosen: boolean },
  ): Promise<SendMessageResult>
}

export function relayAgent(options: RelayOptions): Agent {
  return async (message, context) => {
    const { target, parts, isChosen } = addressOf(message, options)
    const forwarded: Message = { messageId: message.messageId, role: 'ROLE_USER', parts }
    const answer = await options.forward(target, forwarded, { signal: context.signal, isChosen })
    if ('message' in answer) return answer.message.parts
    const { status, artifacts = [] } = answer.task
    for (const artifact of artifacts) await context.artifact(artifact, { lastChunk: true })
    const words = status.message?.parts
    if (isInterrupted(status.state)) await context.fail(`The other agent stopped at ${status.state}.`)
    else await context.status(status.state, words)
    return undefined
  }
}

interface Address {
  target: string
  parts: Message['parts']
  isChosen: boolean
}

function addressOf(message: Message, options: RelayOptions): Address {
  const chosen = /^relay\s+(https?:\/\/\S+)\s*([\s\S]*)$/i.exec(textOf(message).trim())
  const [, url, text] = chosen ?? []
  if (url !== undefined) {
    if (!options.allowsChosenTargets)
      throw new A2AError(
        'InvalidParams',
        'This relay does not let messages choose the target; start it with --allow-relay-targets.',
      )
    return { target: url, parts: [{ text: text ?? '' }], isChosen: true }
  }
  if (options.target === undefined)
    throw new A2AError('InvalidParams', 'This relay has no target; start the server with --relay-to URL.')
  return { target: options.target, parts: message.parts, isChosen: false }
}
