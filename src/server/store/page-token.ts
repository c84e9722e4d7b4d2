// Page tokens: a position in the newest-first order, bound to the scope and the filters it was made for. The token
// only says where to continue; what may be seen is decided by the scope of the request, so a forged one gains nothing.

import { createHash } from 'node:crypto'
import { A2AError } from '../../model/errors.ts'
import { type Scope, scopeKey } from '../../model/scope.ts'
import type { TaskStatus } from '../../model/task.ts'
import type { ListQuery } from './task-store.ts'

/** Where a task stands: newest status first; among equal moments the one created later first. */
export interface Position {
  readonly statusMs: number
  /** Its ordinal number within its scope. Counted per scope, so that a token tells nothing about other callers. */
  readonly order: number
}

let parsedText = ''
let parsedMs = 0

/** Tasks change in bursts, so the last answer is often the next one too. */
export function statusMsOf({ timestamp = '' }: TaskStatus): number {
  if (timestamp !== parsedText) {
    parsedText = timestamp
    parsedMs = Date.parse(timestamp) || 0
  }
  return parsedMs
}

const BINDING_BYTES = 12
const TOKEN_BYTES = BINDING_BYTES + 16

export function encodePageToken(scope: Scope, query: ListQuery, last: Position): string {
  const bytes = Buffer.alloc(TOKEN_BYTES)
  bytes.set(binding(scope, query))
  bytes.writeDoubleBE(last.statusMs, BINDING_BYTES)
  bytes.writeDoubleBE(last.order, BINDING_BYTES + 8)
  return bytes.toString('base64url')
}

/** undefined without a token: the first page. */
export function decodePageToken(scope: Scope, query: ListQuery): Position | undefined {
  const token = query.pageToken
  if (token === undefined || token === '') return undefined
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== TOKEN_BYTES || bytes.toString('base64url') !== token)
    throw badToken('was not issued by this server')
  const position = { statusMs: bytes.readDoubleBE(BINDING_BYTES), order: bytes.readDoubleBE(BINDING_BYTES + 8) }
  const isOurs = bytes.subarray(0, BINDING_BYTES).equals(binding(scope, query))
  if (!isOurs || !Number.isSafeInteger(position.statusMs) || !Number.isSafeInteger(position.order)) {
    throw badToken('belongs to another list request; repeat the filters it was returned for')
  }
  return position
}

function binding(scope: Scope, query: ListQuery): Uint8Array {
  const bound = JSON.stringify([scopeKey(scope), query.contextId, query.state, query.statusAfterMs])
  return createHash('sha256').update(bound).digest().subarray(0, BINDING_BYTES)
}

function badToken(what: string): A2AError {
  const message = `pageToken ${what}`
  return new A2AError('InvalidParams', message, { issues: [{ pointer: '/pageToken', message: what }] })
}
