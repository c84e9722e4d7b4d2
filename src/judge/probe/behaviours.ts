// How to make an agent show a behaviour a check needs. In this order: what the user names (--behaviors), what the
// card shows (an agent that testers drive by known keywords), the examples of the skills, a plain greeting.

import { EXIT, ParleyError } from '../../model/errors.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { didYouMean } from '../../yaml/did-you-mean.ts'
import { listAt, textAt } from './raw.ts'

export const BEHAVIOURS = [
  'task',
  'message-only',
  'slow',
  'progress',
  'cancelable',
  'input-required',
  'auth-required',
  'chunked',
  'fails',
  'rejects',
  'invalid-response',
  'artifact-text',
  'artifact-file',
  'artifact-data',
  'echo',
  'delegate',
] as const

/** Something an agent can be made to do. */
export type Behaviour = (typeof BEHAVIOURS)[number]

/** What to say so that the agent behaves that way. */
export interface Prompt {
  /** What to say to the agent. */
  text: string
  /** Testers' agents are also driven by the beginning of the messageId. */
  messageIdPrefix?: string
  /** The follow-up that lets an `input-required` task go on to its end. */
  followUp?: string
}

/** How to make an agent show each behavior. */
export type BehaviourFile = Readonly<Partial<Record<Behaviour, Prompt>>>

/** The spec agent and its relatives say by their skill ids which keywords they know. */
const SPEC_SKILLS: Readonly<Partial<Record<Behaviour, { skill: string; text: string; followUp?: string }>>> = {
  task: { skill: 'task-lifecycle', text: 'task-lifecycle conformance run' },
  'message-only': { skill: 'message-only', text: 'message-only conformance run' },
  slow: { skill: 'streaming', text: 'streaming conformance run' },
  progress: { skill: 'streaming', text: 'streaming conformance run' },
  cancelable: { skill: 'task-cancel', text: 'task-cancel conformance run' },
  'input-required': { skill: 'multi-turn', text: 'multi-turn conformance run', followUp: 'done' },
  chunked: { skill: 'streaming', text: 'streaming conformance run' },
  fails: { skill: 'task-failure', text: 'task-failure conformance run' },
  'artifact-text': { skill: 'task-lifecycle', text: 'task-lifecycle conformance run' },
  'artifact-file': { skill: 'data-types', text: 'data-types conformance run' },
  'artifact-data': { skill: 'data-types', text: 'data-types conformance run' },
  echo: { skill: 'task-lifecycle', text: 'task-lifecycle' },
}

/** Keywords only Parley's own spec agents know; their names say so. */
const PARLEY_EXTRAS: BehaviourFile = {
  slow: { text: 'slow 1000' },
  chunked: { text: 'chunks 5' },
  'auth-required': { text: 'auth-required', followUp: 'continue' },
  rejects: { text: 'reject' },
  'invalid-response': { text: 'invalid-response' },
}

/** What agents made for the official test kit do, by prefix of messageId and text. */
const TCK_PREFIXES: Readonly<Partial<Record<Behaviour, { prefix: string; followUp?: string }>>> = {
  task: { prefix: 'tck-complete-task' },
  'message-only': { prefix: 'tck-message-response' },
  slow: { prefix: 'tck-long-running' },
  cancelable: { prefix: 'tck-cancel' },
  'input-required': { prefix: 'tck-multi-turn', followUp: 'done' },
  'auth-required': { prefix: 'tck-auth-required' },
  chunked: { prefix: 'tck-stream-chunked' },
  fails: { prefix: 'tck-task-failure' },
  rejects: { prefix: 'tck-reject-task' },
  'artifact-text': { prefix: 'tck-artifact-text' },
  'artifact-file': { prefix: 'tck-artifact-file' },
  'artifact-data': { prefix: 'tck-artifact-data' },
}

export interface BehaviourSource {
  named: BehaviourFile
  card: JsonObject | undefined
  /** --skills: only examples of these. */
  skills: readonly string[] | undefined
}

export function promptFor(behaviour: Behaviour, source: BehaviourSource): Prompt | undefined {
  const named = source.named[behaviour]
  if (named !== undefined) return named
  const skills = (listAt(source.card, 'skills') ?? []).filter(isJsonObject)
  const ids = new Set(skills.map((skill) => textAt(skill, 'id')))
  const name = textAt(source.card, 'name') ?? ''
  if (/\btck\b/i.test(name) || [...ids].some((id) => id?.startsWith('tck') === true)) {
    const known = TCK_PREFIXES[behaviour]
    if (known !== undefined) {
      return { text: `${known.prefix} conformance run`, messageIdPrefix: known.prefix, ...followUpOf(known) }
    }
  }
  const isSpecAgent = ids.has('task-lifecycle') && ids.has('message-only')
  if (isSpecAgent && name.startsWith('Parley')) {
    const extra = PARLEY_EXTRAS[behaviour]
    if (extra !== undefined) return extra
  }
  const keyword = SPEC_SKILLS[behaviour]
  if (keyword !== undefined && ids.has(keyword.skill)) return { text: keyword.text, ...followUpOf(keyword) }
  if (behaviour !== 'task') return undefined
  return { text: exampleOf(skills, source.skills) ?? 'Hello! Please introduce yourself in one sentence.' }
}

/** A skill the card does not have would silently use no example at all. */
export function checkSkills(wanted: readonly string[] | undefined, card: JsonObject): void {
  const ids = (listAt(card, 'skills') ?? []).flatMap((skill) => textAt(skill, 'id') ?? [])
  const unknown = wanted?.find((id) => !ids.includes(id))
  if (unknown === undefined) return
  const there =
    ids.length === 0 ? 'it has none' : `it has ${ids.slice(0, 10).join(', ')}${ids.length > 10 ? ', …' : ''}`
  throw new ParleyError(
    'unknown-skill',
    `The card has no skill '${unknown}'${didYouMean(unknown, ids) || `; ${there}.`}`,
    {
      exitCode: EXIT.usage,
    },
  )
}

/** Sentences the card offers for trying the agent out. */
function exampleOf(skills: readonly JsonObject[], wanted: readonly string[] | undefined): string | undefined {
  for (const skill of skills) {
    if (wanted !== undefined && !wanted.includes(textAt(skill, 'id') ?? '')) continue
    for (const example of listAt(skill, 'examples') ?? []) {
      if (typeof example === 'string' && example.trim() !== '') return example
    }
  }
  return undefined
}

function followUpOf(known: { followUp?: string }): { followUp?: string } {
  return known.followUp === undefined ? {} : { followUp: known.followUp }
}
