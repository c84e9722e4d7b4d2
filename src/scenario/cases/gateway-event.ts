// What a caller sees, in the words of the case format: status updates, artifact updates, and how it ended.

import { A2AError, ParleyError } from '../../model/errors.ts'
import type { StreamEvent } from '../../model/event.ts'
import type { SendMessageResult } from '../../model/operation.ts'
import { isSettled } from '../../model/state-machine.ts'
import type { Artifact, Part, Task, TaskState, TaskStatus } from '../../model/task.ts'

export interface GatewayEvent {
  readonly type: 'status_update' | 'artifact_update' | 'final_response' | 'error'
  /** `working`, `input-required`; `message` for a direct reply. */
  readonly state?: string
  readonly parts: readonly Part[]
  readonly artifact?: Artifact
  readonly error?: { readonly kind: string; readonly message: string }
}

export function plainState(state: TaskState): string {
  return state
    .replace(/^TASK_STATE_/, '')
    .replaceAll('_', '-')
    .toLowerCase()
}

export function eventsOfStream(event: StreamEvent): GatewayEvent[] {
  if ('message' in event) return [{ type: 'final_response', state: 'message', parts: event.message.parts }]
  if ('task' in event) return [...artifactsOf(event.task), statusEvent(event.task.status)]
  if ('statusUpdate' in event) return [statusEvent(event.statusUpdate.status)]
  const { artifact } = event.artifactUpdate
  return [{ type: 'artifact_update', parts: artifact.parts, artifact }]
}

/** A finished turn seen at once: what was said on the way is in the history, since the last message of the caller. */
export function eventsOfResult(result: SendMessageResult): GatewayEvent[] {
  if ('message' in result) return eventsOfStream(result)
  const { history = [], status } = result.task
  const asked = history.findLastIndex(({ role }) => role === 'ROLE_USER')
  const said = history.slice(asked + 1).filter(({ messageId }) => messageId !== status.message?.messageId)
  return [
    ...said.map(({ parts }): GatewayEvent => ({ type: 'status_update', state: 'working', parts })),
    ...artifactsOf(result.task),
    statusEvent(status),
  ]
}

/** Undefined when it is no answer to the caller but a fault of ours. */
export function eventOfError(error: unknown): GatewayEvent | undefined {
  if (!(error instanceof A2AError) && !(error instanceof ParleyError)) return undefined
  const { message } = error
  const kind = error instanceof A2AError ? error.label : error.code
  return { type: 'error', parts: [{ text: message }], error: { kind, message } }
}

export function isEnd({ type }: GatewayEvent): boolean {
  return type === 'final_response' || type === 'error'
}

function artifactsOf({ artifacts = [] }: Task): GatewayEvent[] {
  return artifacts.map((artifact) => ({ type: 'artifact_update', parts: artifact.parts, artifact }))
}

function statusEvent({ state, message }: TaskStatus): GatewayEvent {
  const isOver = isSettled(state)
  return { type: isOver ? 'final_response' : 'status_update', state: plainState(state), parts: message?.parts ?? [] }
}

export function describeEvent(event: GatewayEvent): string {
  const said = event.parts.map(describePart).join(' ')
  const what =
    event.artifact === undefined ? (event.state ?? event.error?.kind ?? '') : `"${event.artifact.name ?? ''}"`
  return [event.type, what, said].filter((each) => each !== '').join(' ')
}

export function describePart(part: Part): string {
  if ('text' in part) return JSON.stringify(shorten(part.text))
  if ('url' in part) return `<${part.url}>`
  if ('raw' in part) return `(${Buffer.from(part.raw, 'base64').byteLength} bytes of ${part.filename ?? 'a file'})`
  return `(data ${shorten(JSON.stringify(part.data))})`
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
