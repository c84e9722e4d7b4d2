// How much the memory store holds unless told otherwise.

import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import { EXIT, ParleyError } from '../../../model/errors.ts'

export const MAX_TASKS = 100_000

const MAX_BYTES = 256 * 1024 * 1024
/** The rest is for requests, answers, and what tasks take beyond their size while somebody works with them. */
const SHARE = 1 / 4

/** A quarter of what this process may have, and at most 256 MiB. */
export function defaultMaxBytes(): number {
  const limits = [getHeapStatistics().heap_size_limit, process.constrainedMemory(), totalmem()]
  return Math.floor(Math.min(MAX_BYTES, ...limits.filter((bytes) => bytes > 0).map((bytes) => bytes * SHARE)))
}

export function checkBound(what: 'tasks' | 'bytes', value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value
  const message = `How many ${what} the memory store keeps must be a whole number above 0, not ${value}.`
  throw new ParleyError('bad-limit', message, { exitCode: EXIT.usage })
}
