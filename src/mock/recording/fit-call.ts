// Whether a request is the one a recording answers: what was said and about which task must agree; how it was asked
// (streaming, how much history) only makes one recorded call fit better than another.

import { sameJson } from '../../model/json.ts'
import type { Operation, OperationRequest, SendMessageRequest } from '../../model/operation.ts'
import { REDACTED } from '../../trace/redact.ts'
import type { RecordedCall } from './read-exchange.ts'

export type Fit =
  /** `made` are ids of this client for those of the recorded one. */
  | { readonly ok: true; readonly closeness: number; readonly made: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly why: string; readonly isSameKind: boolean }

/** What a recorded id is now; undefined when it was made by the recorded client and has no counterpart yet. */
export type CurrentId = (recorded: string) => string | undefined

const SENDS: ReadonlySet<Operation> = new Set<Operation>(['sendMessage', 'streamMessage'])

export function fitCall(
  call: RecordedCall,
  op: Operation,
  request: OperationRequest<Operation>,
  currentId: CurrentId,
): Fit {
  const isSend = SENDS.has(op)
  if (isSend ? !SENDS.has(call.op) : call.op !== op)
    return { ok: false, why: `it is a ${call.op}, not a ${op}`, isSameKind: false }
  const ids = new IdPairs(currentId)
  const why = isSend
    ? sendDiffers(call.request as SendMessageRequest, request as SendMessageRequest, ids)
    : placeDiffers(call.request, request, ids)
  if (why !== undefined) return { ok: false, why, isSameKind: true }
  const closeness = (call.op === op ? 2 : 0) + (sameJson(wishes(call.request), wishes(request), isSameText) ? 1 : 0)
  return { ok: true, closeness, made: ids.made }
}

class IdPairs {
  readonly made = new Map<string, string>()
  readonly #currentId: CurrentId

  constructor(currentId: CurrentId) {
    this.#currentId = currentId
  }

  differ(what: string, recorded: string | undefined, given: string | undefined): string | undefined {
    if (recorded === undefined)
      return given === undefined ? undefined : `it names no ${what}, and this is about ${given}`
    const expected = this.#currentId(recorded)
    if (expected === undefined) {
      if (given !== undefined) this.made.set(recorded, given)
      return undefined
    }
    return expected === given ? undefined : `its ${what} is ${expected}, not ${given ?? 'absent'}`
  }
}

function sendDiffers(recorded: SendMessageRequest, given: SendMessageRequest, ids: IdPairs): string | undefined {
  const [was, is] = [recorded.message, given.message]
  if (was.role !== is.role) return `its role is ${was.role}, not ${is.role}`
  if (!sameJson(was.parts, is.parts, isSameText)) return `it says ${show(was.parts)}, not ${show(is.parts)}`
  ids.made.set(was.messageId, is.messageId)
  const recordedTask = was.taskId ?? recorded.clientTaskId
  // The name a client gives a new task means nothing to an agent that named its tasks itself.
  const task = ids.differ('task', recordedTask, is.taskId ?? (recordedTask && given.clientTaskId))
  if (task !== undefined) return task
  return is.taskId === undefined ? ids.differ('context', was.contextId, is.contextId) : undefined
}

function placeDiffers(
  recorded: OperationRequest<Operation>,
  given: OperationRequest<Operation>,
  ids: IdPairs,
): string | undefined {
  for (const name of ['taskId', 'id', 'contextId'] as const) {
    const why = ids.differ(name, textIn(recorded, name), textIn(given, name))
    if (why !== undefined) return why
  }
  return undefined
}

function textIn(request: object, name: string): string | undefined {
  const value: unknown = Reflect.get(request, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The request without what must agree anyway, and without what says nothing. */
function wishes(request: OperationRequest<Operation>): object {
  const {
    message,
    tenant: _tenant,
    clientTaskId: _named,
    id: _id,
    taskId: _task,
    contextId: _context,
    ...rest
  } = request as Partial<SendMessageRequest> & { id?: string; taskId?: string; contextId?: string }
  return { ...rest, messageMetadata: message?.metadata }
}

/** What was redacted in the recording may be anything now. */
function isSameText(recorded: string, given: string): boolean {
  if (!recorded.includes(REDACTED)) return false
  const pieces = recorded.split(REDACTED)
  const [first = '', last = ''] = [pieces[0], pieces.at(-1)]
  if (given.length < first.length + last.length || !given.startsWith(first) || !given.endsWith(last)) return false
  let at = first.length
  for (const piece of pieces.slice(1, -1)) {
    const found = given.indexOf(piece, at)
    if (found < 0 || found + piece.length > given.length - last.length) return false
    at = found + piece.length
  }
  return true
}

function show(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
