// The agent behind the mock: chooses the turn for a message and plays it through the engine, so that what clients see
// obeys the protocol unless a fault says otherwise.

import { AsyncLocalStorage } from 'node:async_hooks'
import { errorNamed } from '../dialects/index.ts'
import { A2AError, ParleyError } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import type { Message } from '../model/task.ts'
import type { Agent, AgentContext } from '../server/engine/agent.ts'
import type { Conversation, TurnRequest } from './interpreter/conversation.ts'
import type { NearestRule } from './interpreter/match-rule.ts'
import { type Emission, playTurn } from './interpreter/play-turn.ts'
import { type ProducedArtifacts, TurnArtifacts } from './produced-artifacts.ts'
import { isDirectReply } from './script/script.ts'
import type { TemplateScope } from './script/template.ts'

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

export function scriptedAgent(conversation: () => Conversation, artifacts: () => ProducedArtifacts): Agent {
  return (message, context) => {
    const { taskId, contextId } = context
    const request = currentRequest.getStore()
    const facts = new TurnFacts(message, context, request)
    // Taken now: what a turn still says after a reset belongs to no session.
    const ofSession = artifacts()
    const choice = conversation().choose(facts)
    request?.chose(choice, { taskId, contextId })
    if (!choice.ok) {
      if (choice.reason === 'unmatched') throw new A2AError('InvalidParams', choice.message)
      return fail(context, `The mock cannot answer: ${choice.message}.`)
    }
    const { steps } = choice
    facts.captures = choice.captures
    facts.turn = choice.index
    facts.ruleId = choice.id
    let emissions: readonly Emission[]
    try {
      emissions = playTurn(steps, facts)
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      return fail(context, error.message)
    }
    const produced = new TurnArtifacts(ofSession, taskId, emissions)
    return emit(context, produced, context.task === undefined && isDirectReply(steps))
  }
}

/** What rules and templates may look at; headers are only put together when one does. */
class TurnFacts implements TurnRequest, TemplateScope {
  readonly message: Message
  readonly requestMetadata: JsonObject | undefined
  readonly taskId: string
  readonly contextId: string
  /** Known once the turn is chosen. */
  captures: TemplateScope['captures'] = {}
  turn = 0
  ruleId = ''
  readonly #request: CurrentRequest | undefined
  #headers: { readonly [name: string]: string } | undefined

  constructor(message: Message, context: AgentContext, request: CurrentRequest | undefined) {
    this.message = message
    this.requestMetadata = context.requestMetadata
    this.taskId = context.taskId
    this.contextId = context.contextId
    this.#request = request
  }

  get headers(): { readonly [name: string]: string } {
    this.#headers ??= this.#request?.headers ?? {}
    return this.#headers
  }
}

/** A task fails once, so this id is its own; like all ids of a script it follows from the task's. */
function fail(context: AgentContext, text: string): Promise<void> {
  return context.fail({ messageId: `${context.taskId}-failed`, parts: [{ text }] })
}

async function emit(context: AgentContext, produced: TurnArtifacts, isReply: boolean): Promise<void> {
  const { emissions } = produced
  try {
    // An empty turn leaves an open task behind, not nothing.
    if (emissions.every(({ is }) => is === 'delay')) await context.setMetadata({})
    // By index: a loop over an iterator keeps twice as much alive at every await.
    for (let index = 0; index < emissions.length; index++) {
      const emission = emissions[index]
      if (emission === undefined) continue
      await publish(context, emission, isReply)
      if (emission.is === 'artifact') produced.add(index)
    }
  } finally {
    produced.end()
  }
}

function publish(context: AgentContext, emission: Emission, isReply: boolean): Promise<unknown> {
  switch (emission.is) {
    case 'delay':
      return context.sleep(emission.ms)
    case 'error':
      throw errorNamed(emission.name, emission.message)
    case 'message':
      return isReply ? context.message(emission.message) : context.status('TASK_STATE_WORKING', emission.message)
    case 'metadata':
      return context.setMetadata(emission.metadata)
    case 'status':
      return context.status(emission.state, emission.message, emission)
    case 'artifact':
      return context.artifact(emission.artifact, emission)
  }
}
