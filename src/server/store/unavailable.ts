// What callers are told when a shared store cannot be reached: that, and nothing the database said.

import { A2AError } from '../../model/errors.ts'

const RETRY_AFTER_SECONDS = 2

export function unavailable(cause: unknown): A2AError {
  return new A2AError('Unavailable', 'The task store is not available; try again shortly.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  })
}
