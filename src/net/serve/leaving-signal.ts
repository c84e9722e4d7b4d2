// The signal of a request that was received: aborted when the client leaves before its answer is complete.

import type { ServerRequest } from './request.ts'

export function leavingSignal(request: Pick<ServerRequest, 'onClose'>): AbortSignal {
  const leaving = new AbortController()
  request.onClose((isAnswered) => {
    if (!isAnswered) leaving.abort()
  })
  return leaving.signal
}
