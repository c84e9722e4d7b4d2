// How much the memory store holds unless told otherwise.

import { memoryShare } from '../../../base/memory-share.ts'
import { EXIT, ParleyError } from '../../../model/errors.ts'

export const MAX_TASKS = 100_000

const MAX_BYTES = 256 * 1024 * 1024
/** The rest is for requests, answers, and what tasks take beyond their size while they run. */
const SHARE = 1 / 4

export function defaultMaxBytes(): number {
  return memoryShare(MAX_BYTES, SHARE)
}

export function checkBound(what: 'tasks' | 'bytes', value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value
  const message = `How many ${what} the memory store keeps must be a whole number above 0, not ${value}.`
  throw new ParleyError('bad-limit', message, { exitCode: EXIT.usage })
}
