// The agent behind the mock: chooses the turn for a message and plays it through the engine, so that what clients see
// obeys the protocol unless a fault says otherwise.

import { AsyncLocalStorage } from 'node:async_hooks'
import { A2AError, ParleyError } from '../model/errors.ts'
import type { Agent, AgentContext } from '../server/engine/agent.ts'
import type { Conversation } from './interpreter/conversation.ts'
import type { NearestRule } from './interpreter/match-rule.ts'
import { type Emission, playTurn } from './interpreter/play-turn.ts'

/** The HTTP request an agent turn belongs to; the engine's interface knows nothing of HTTP. */
export interface CurrentRequest {
  readonly headers: { readonly [name: string]: string }
  chose(choice: AnswerChoice, ids?: { taskId: string; contextId: string }): void
  /** Loses the connection. */
  cut(): void
}

/** What the journal keeps of how an answer was found. */
export type AnswerChoice =
  | { readonly ok: true; readonly id: string; readonly index: number }
  | { readonly ok: false; readonly message: string; readonly nearest?: NearestRule | undefined }

export const currentRequest = new AsyncLocalStorage<CurrentRequest>()

export function scriptedAgent(conversation: () => Conversation): Agent {
  return async (message, context) => {
    const { taskId, contextId, requestMetadata } = context
    const request = currentRequest.getStore()
    const headers = request?.headers ?? {}
    const choice = conversation().choose({ message, headers, requestMetadata, taskId, contextId })
    request?.chose(choice, { taskId, contextId })
    if (!choice.ok) {
      if (choice.reason === 'unmatched') throw new A2AError('InvalidParams', choice.message)
      await fail(context, `The mock cannot answer: ${choice.message}.`)
      return
    }
    const { steps, index: turn, captures, id: ruleId } = choice
    let emissions: Emission[]
    try {
      emissions = playTurn(steps, { message, captures, headers, taskId, contextId, turn, ruleId })
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      await fail(context, error.message)
      return
    }
    await emit(emissions, context)
  }
}

/** A task fails once, so this id is its own; like all ids of a script it follows from the task's. */
function fail(context: AgentContext, text: string): Promise<void> {
  return context.fail({ messageId: `${context.taskId}-failed`, parts: [{ text }] })
}

async function emit(emissions: readonly Emission[], context: AgentContext): Promise<void> {
  const events = emissions.filter(({ is }) => is !== 'delay')
  // A turn of one message is a direct reply; among other events a message is progress of the task.
  const isReply = context.task === undefined && events.length === 1 && events[0]?.is === 'message'
  // An empty turn leaves an open task behind, not nothing.
  if (events.length === 0) await context.setMetadata({})
  for (const emission of emissions) {
    switch (emission.is) {
      case 'delay':
        await context.sleep(emission.ms)
        break
      case 'error':
        throw new A2AError(emission.kind, emission.message)
      case 'message':
        if (isReply) await context.message(emission.message)
        else await context.status('TASK_STATE_WORKING', emission.message)
        break
      case 'metadata':
        await context.setMetadata(emission.metadata)
        break
      case 'status': {
        const { state, message, timestamp, metadata } = emission
        await context.status(state, message, {
          ...(timestamp === undefined ? {} : { timestamp }),
          ...(metadata === undefined ? {} : { metadata }),
        })
        break
      }
      case 'artifact': {
        const { artifact, append, lastChunk, metadata } = emission
        await context.artifact(artifact, { append, lastChunk, ...(metadata === undefined ? {} : { metadata }) })
        break
      }
    }
  }
}
