// What a client adds to requests and results so that they are complete, whoever answers, and how it recognizes that it was
// not understood.

import { randomUUID } from 'node:crypto'
import type { UnaryOperation } from '../bindings/endpoint-client.ts'
import type { AgentCard } from '../model/card.ts'
import { A2AError } from '../model/errors.ts'
import type {
  ListPushConfigsResult,
  Operation,
  OperationRequest,
  OperationResult,
  SendMessageRequest,
  StreamingOperation,
} from '../model/operation.ts'
import type { ClientOperation } from './interceptors.ts'
import type { Beginning } from './resume.ts'

export function completed<O extends ClientOperation>(op: O, request: OperationRequest<O>): OperationRequest<O> {
  return op === 'sendMessage' || op === 'streamMessage' ? named(request as SendMessageRequest) : request
}

/** ProtoJSON leaves an empty list out. */
export function withLists<O extends UnaryOperation>(op: O, result: OperationResult<O>): OperationResult<O> {
  if (op !== 'listPushConfigs') return result
  const { configs = [], ...rest } = result as Partial<ListPushConfigsResult>
  return { ...rest, configs }
}

export function beginningOf(request: OperationRequest<StreamingOperation>): Beginning {
  if ('id' in request) return { taskId: request.id }
  return { taskId: undefined, isContinuation: request.message.taskId !== undefined }
}

/** The `tasks/send` generation lets the client name tasks; the others have no place for the name. */
function named(request: SendMessageRequest): SendMessageRequest {
  return request.clientTaskId === undefined
    ? { ...request, clientTaskId: request.message.taskId ?? randomUUID() }
    : request
}

/** Operations every agent must know: when one is unknown, it is the dialect that is unknown. */
const CORE: ReadonlySet<Operation> = new Set(['sendMessage', 'streamMessage', 'getTask', 'cancelTask'])

export function isUnknownDialect(op: Operation, error: unknown, card: AgentCard | undefined): boolean {
  if (!(error instanceof A2AError)) return false
  if (error.kind === 'VersionNotSupported') return true
  if (error.kind !== 'MethodNotFound' || !CORE.has(op)) return false
  return op !== 'streamMessage' || card?.capabilities.streaming !== false
}

/** A client that does not follow a required extension must not call (1.0 §4.4.4). */
export function checkExtensions(card: AgentCard | undefined, active: readonly string[] = []): void {
  const required = card?.capabilities.extensions?.filter((each) => each.required === true) ?? []
  const missing = required.find(({ uri }) => uri !== undefined && !active.includes(uri))
  if (missing === undefined) return
  throw new A2AError(
    'ExtensionSupportRequired',
    `The card requires the extension ${missing.uri}; name it among the extensions of the client if you follow it.`,
  )
}
