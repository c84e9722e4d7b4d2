// A script ready to be played: validated, its regular expressions and templates compiled, its files read in. Nothing
// in it ever changes; what happened so far lives in the conversation.

import type { DialectId } from '../../dialects/dialect.ts'
import { MODEL_GENERATION } from '../../dialects/index.ts'
import type { AgentSkill } from '../../model/card.ts'
import type { Fault } from '../faults/fault-shape.ts'
import type { RecordedConversation } from '../recording/load-recording.ts'
import type { Condition } from './condition.ts'
import type { ScriptedEvent } from './scripted-event.ts'
import type { JsonTemplate } from './template.ts'

/** A credential the mock asks for. Without a value any one will do. */
export type RequiredCredential = { is: 'bearer'; token?: string } | { is: 'api-key'; header: string; value?: string }

export interface MockAgentDescription {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly streaming: boolean
  /** Whose card is served at the root; the other generations are spoken there all the same. */
  readonly generation: DialectId
  readonly security: readonly RequiredCredential[]
  readonly skills: readonly AgentSkill[]
  /** 'counted' names tasks and contexts task-1, context-1, … so that tests can pin them. */
  readonly ids: 'random' | 'counted'
}

export type Step =
  | { readonly is: 'delay'; readonly ms: number }
  | { readonly is: 'error'; readonly name: string; readonly message: JsonTemplate<string> }
  /** `chunks` splits an artifact of one part into that many events. */
  | {
      readonly is: 'event'
      readonly kind: ScriptedEvent['kind']
      /** After it nothing can be said about the task any more. */
      readonly endsTask: boolean
      readonly event: JsonTemplate<ScriptedEvent>
      readonly chunks: number
    }

export type Turn = readonly Step[]

/** The first event that could never be sent, because the one before it ends the task; -1 when there is none. */
export function unsendableStep(turn: Turn): number {
  const end = turn.findIndex((step) => step.is === 'event' && step.endsTask)
  return end < 0 ? -1 : turn.findIndex((step, index) => index > end && step.is !== 'delay')
}

export const AFTER_THE_END =
  'comes after the end of the task and cannot be sent; the fault event-after-terminal does that'

/** A turn of one message is a direct reply; among other events a message is progress of the task. */
export function isDirectReply(turn: Turn): boolean {
  let messages = 0
  for (const step of turn) {
    if (step.is === 'delay') continue
    if (step.is !== 'event' || step.kind !== 'message') return false
    messages++
  }
  return messages === 1
}

export interface Rule {
  readonly id: string
  readonly conditions: readonly Condition[]
  /** Matches only the message with this index of a task; undefined matches a first message. */
  readonly turn: number | undefined
  readonly turns: readonly Turn[]
  readonly times: { readonly min: number; readonly max: number }
}

export interface Script {
  readonly agent: MockAgentDescription
  readonly rules: readonly Rule[]
  readonly faults: readonly Fault[]
  /** Answers instead of the rules. */
  readonly recording?: RecordedConversation
}

export const DEFAULT_AGENT: MockAgentDescription = {
  name: 'mock',
  description: 'An agent that follows a script.',
  version: '1.0.0',
  streaming: true,
  generation: MODEL_GENERATION,
  security: [],
  skills: [{ id: 'scripted', name: 'Scripted', description: 'Answers as its script says.', tags: ['mock'] }],
  ids: 'random',
}

export const EMPTY_SCRIPT: Script = { agent: DEFAULT_AGENT, rules: [], faults: [] }
