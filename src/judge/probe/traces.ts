// What a request leaves behind at the agent, and whom it touches there.

import { isJsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation, OperationRequest } from '../../model/operation.ts'
import { parsed } from './answer.ts'
import type { OutgoingRequest } from './outgoing.ts'

/** Operations that leave behind what was sent: a wrong message in a history, a wrong configuration in a list. */
export const LEAVES_TRACES: ReadonlySet<Operation> = new Set(['sendMessage', 'streamMessage', 'createPushConfig'])

/** The task a call changes when it succeeds. */
export function changedTask<O extends Operation>(op: O, request: OperationRequest<O>): string | undefined {
  if (op === 'cancelTask') return (request as OperationRequest<'cancelTask'>).id
  if (op === 'sendMessage' || op === 'streamMessage') return (request as OperationRequest<'sendMessage'>).message.taskId
  return undefined
}

/** Does a hand-made request carry a message, in whatever binding? */
export function saysSomething(request: JsonValue | undefined): boolean {
  const params = isJsonObject(request) ? (request.params ?? request) : undefined
  return isJsonObject(params) && 'message' in params
}

/** The body as JSON, when it is. */
export function jsonIn({ body, grpcMessage }: OutgoingRequest): JsonValue | undefined {
  if (grpcMessage !== undefined) return parsed(grpcMessage)
  return body === undefined ? undefined : parsed(new TextDecoder().decode(body))
}

/** An error status the agent itself gives, not a router or a guard in front of it; its body has to be an error. */
export function isSpoken(status: number): boolean {
  return [400, 409, 415, 422, 500].includes(status)
}
