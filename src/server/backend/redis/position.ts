// Where a task stands in the lists of the Redis store: a text whose alphabetical order is the order of ListTasks, so
// that a page is a range of a sorted set and never an offset.

import { keyText } from '../../../model/key-text.ts'
import type { Position } from '../../store/page-token.ts'
import type { ListQuery } from '../../store/task-store.ts'

const DIGITS = 16
/** Keeps moments before 1970 in order. */
const MS_OFFSET = 10 ** 15

export function encodePosition(statusMs: number, order: number, key: string): string {
  return `${digits(statusMs + MS_OFFSET)}${digits(order)}${key}`
}

export function positionIn(text: string): Position {
  return { statusMs: Number(text.slice(0, DIGITS)) - MS_OFFSET, order: Number(text.slice(DIGITS, 2 * DIGITS)) }
}

export function idIn(text: string): string {
  return text.slice(2 * DIGITS)
}

export interface ListRange {
  readonly key: string
  /** Bounds of ZRANGE … BYLEX REV. */
  readonly max: string
  readonly min: string
  readonly isWhole: boolean
}

export function listRange(scope: string, query: ListQuery, before: Position | undefined): ListRange {
  const { state, statusAfterMs } = query
  const context = query.contextId === undefined ? undefined : keyText(query.contextId)
  let key = `list:${scope}`
  if (context !== undefined && state !== undefined) key += `:b:${state}:${context}`
  else if (context !== undefined) key += `:c:${context}`
  else if (state !== undefined) key += `:s:${state}`
  return {
    key,
    max: before === undefined ? '+' : `(${encodePosition(before.statusMs, before.order, '')}`,
    min: statusAfterMs === undefined ? '-' : `[${digits(Math.ceil(statusAfterMs) + MS_OFFSET)}`,
    isWhole: statusAfterMs === undefined,
  }
}

function digits(value: number): string {
  return String(Math.min(Math.max(value, 0), 10 ** DIGITS - 1)).padStart(DIGITS, '0')
}
