// How long a shared store may keep a caller waiting before he hears that it is away: two seconds are promised (SECURITY.md,
// R6), and the answer itself needs a part of them. The deadline is over the whole of an operation, with its wait for a
// connection and its second try; the drivers' own time-outs lie below it, so that abandoned work ends too.

import { unavailable } from './unavailable.ts'

const ANSWER_WITHIN_MS = 1_800
/** For one statement or command, and for one connection. */
export const STEP_WITHIN_MS = 1_500

/** Rejects with A2AError Unavailable when the work has not ended in time; its late outcome is ignored. */
export async function withinDeadline<T>(
  work: (isLate: () => boolean) => Promise<T>,
  withinMs = ANSWER_WITHIN_MS,
): Promise<T> {
  const late = Promise.withResolvers<never>()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    late.reject(unavailable(new Error(`the store did not answer within ${withinMs} ms`)))
  }, withinMs)
  try {
    return await Promise.race([work(() => isLate), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
