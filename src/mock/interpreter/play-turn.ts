// One turn of a script as what has to be emitted, ids filled in. Pure: the same turn for the same task gives the same
// emissions, and the script it came from is never touched.

import { ParleyError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Artifact, Message, Part, TaskState } from '../../model/task.ts'
import type { Step, Turn } from '../script/script.ts'
import type { ScriptedArtifact, ScriptedEvent, ScriptedMessage } from '../script/scripted-event.ts'
import type { TemplateScope } from '../script/template.ts'

export type Emission =
  | { readonly is: 'delay'; readonly ms: number }
  | { readonly is: 'error'; readonly name: string; readonly message: string }
  | { readonly is: 'message'; readonly message: Message }
  | { readonly is: 'metadata'; readonly metadata: JsonObject }
  | StatusEmission
  | ArtifactEmission

export interface StatusEmission {
  readonly is: 'status'
  readonly state: TaskState
  readonly message: Message | undefined
  readonly timestamp: string | undefined
  readonly metadata: JsonObject | undefined
}

export interface ArtifactEmission {
  readonly is: 'artifact'
  readonly artifact: Artifact
  readonly append: boolean
  readonly lastChunk: boolean
  readonly metadata: JsonObject | undefined
}

/** What is known about a turn before it is played. */
interface TurnPlan {
  /** What it emits for everybody, step by step; undefined where that depends on the request. */
  readonly fixed: readonly (readonly Emission[] | undefined)[]
  /** An artifact without an id continues one that was named before, so names have to be remembered. */
  readonly hasNameless: boolean
}

const plans = new WeakMap<Turn, TurnPlan>()

/** Throws a ParleyError when the script does not fit the request: an empty template value, a foreign task id. */
export function playTurn(turn: Turn, scope: TemplateScope): readonly Emission[] {
  let plan = plans.get(turn)
  if (plan === undefined) {
    plan = planOf(turn, scope)
    plans.set(turn, plan)
  }
  const { fixed, hasNameless } = plan
  const player = new Player(scope, hasNameless)
  const emissions: Emission[] = []
  let index = 0
  for (const step of turn) {
    for (const emission of fixed[index] ?? player.playStep(step, index)) emissions.push(emission)
    index++
  }
  return emissions
}

function planOf(turn: Turn, scope: TemplateScope): TurnPlan {
  const hasNameless = turn.some((step) => mayBeNameless(step, scope))
  const player = new Player(scope, false)
  const fixed = turn.map((step, index) => {
    const isNeeded = hasNameless && step.is === 'event' && step.kind === 'artifact-update'
    return !isNeeded && isAlwaysTheSame(step, scope) ? player.playStep(step, index) : undefined
  })
  return { fixed, hasNameless }
}

function mayBeNameless(step: Step, scope: TemplateScope): boolean {
  if (step.is !== 'event' || step.kind === 'message' || step.kind === 'status-update') return false
  const event = step.event.render(scope)
  return event.kind !== 'artifact-update' || event.artifact.artifactId === undefined
}

/** Whether the step emits the same for whoever asks: nothing is filled in, and no id is made from the task's. */
function isAlwaysTheSame(step: Step, scope: TemplateScope): boolean {
  if (step.is !== 'event') return step.is === 'delay'
  if (step.event.hasTemplates) return false
  const event = step.event.render(scope)
  if (event.kind === 'message' || event.taskId !== undefined || event.contextId !== undefined) return false
  if (event.kind === 'artifact-update') return event.artifact.artifactId !== undefined
  return (
    event.kind === 'status-update' &&
    (event.status.message === undefined || event.status.message.messageId !== undefined)
  )
}

class Player {
  readonly #scope: TemplateScope
  /** Ids given to artifacts of this turn, by name, so that an appended part finds its artifact. */
  readonly #artifactIds: Map<string, string> | undefined

  constructor(scope: TemplateScope, remembersNames: boolean) {
    this.#scope = scope
    if (remembersNames) this.#artifactIds = new Map()
  }

  playStep(step: Step, index: number): readonly Emission[] {
    if (step.is === 'delay') return [step]
    if (step.is === 'error') return [{ is: 'error', name: step.name, message: step.message.render(this.#scope) }]
    return this.#play(step.event.render(this.#scope), index, step.chunks)
  }

  #play(event: ScriptedEvent, index: number, chunks: number): Emission[] {
    const { taskId, contextId } = event.kind === 'message' ? event.message : event
    this.#checkOwn('taskId', taskId, this.#scope.taskId)
    this.#checkOwn('contextId', contextId, this.#scope.contextId)
    switch (event.kind) {
      case 'message':
        return [{ is: 'message', message: this.#message(event.message, index) }]
      case 'status-update':
        return [this.#status(event, index)]
      case 'artifact-update': {
        const { append = false, lastChunk = false, metadata } = event
        const artifact = this.#artifact(event.artifact, index, append)
        if (chunks > 1) return inChunks(artifact, chunks)
        return [{ is: 'artifact', artifact, append, lastChunk, metadata }]
      }
      case 'task':
        return [
          ...(event.metadata === undefined ? [] : [{ is: 'metadata' as const, metadata: event.metadata }]),
          ...(event.artifacts ?? []).map((artifact, i) => ({
            is: 'artifact' as const,
            artifact: this.#artifact(artifact, `${index}-${i}`, false),
            append: false,
            lastChunk: false,
            metadata: undefined,
          })),
          this.#status({ status: event.status }, index),
        ]
    }
  }

  #status(event: Pick<ScriptedEvent & { kind: 'status-update' }, 'status' | 'metadata'>, index: number): Emission {
    const { state, message, timestamp } = event.status
    const said = message === undefined ? undefined : this.#message(message, index)
    return { is: 'status', state, message: said, timestamp, metadata: event.metadata }
  }

  #message(message: ScriptedMessage, index: number): Message {
    return { ...message, messageId: message.messageId ?? `${this.#scope.taskId}-${this.#scope.turn}-${index}` }
  }

  #artifact(artifact: ScriptedArtifact, index: number | string, append: boolean): Artifact {
    const name = artifact.name ?? ''
    const known = append ? this.#artifactIds?.get(name) : undefined
    const artifactId = artifact.artifactId ?? known ?? `artifact-${this.#scope.turn}-${index}`
    this.#artifactIds?.set(name, artifactId)
    return { ...artifact, artifactId }
  }

  #checkOwn(what: 'taskId' | 'contextId', given: string | undefined, own: string): void {
    if (given === undefined || given === own) return
    throw new ParleyError(
      'script-foreign-id',
      `The script gives an event the ${what} '${given}', but this one's is '${own}'; leave it out, or use the fault ${what === 'taskId' ? 'wrong-task-id' : 'wrong-context-id'}.`,
    )
  }
}

/** The artifact of one part as up to `count` pieces; together they are exactly the part. */
function inChunks(artifact: Artifact, count: number): Emission[] {
  const [part] = artifact.parts
  if (part === undefined) return []
  const pieces = split(part, count)
  return pieces.map((piece, i) => ({
    is: 'artifact',
    artifact: { ...artifact, parts: [piece] },
    append: i > 0,
    lastChunk: i === pieces.length - 1,
    metadata: undefined,
  }))
}

function split(part: Part, count: number): Part[] {
  if ('text' in part) return slices(Array.from(part.text), count).map((points) => ({ ...part, text: points.join('') }))
  if (!('raw' in part)) return [part]
  const bytes = Array.from(Buffer.from(part.raw, 'base64'))
  return slices(bytes, count).map((piece) => ({ ...part, raw: Buffer.from(piece).toString('base64') }))
}

function slices<T>(items: readonly T[], count: number): T[][] {
  const pieces = Math.max(1, Math.min(count, items.length))
  return Array.from({ length: pieces }, (_, i) =>
    items.slice(Math.floor((i * items.length) / pieces), Math.floor(((i + 1) * items.length) / pieces)),
  )
}
