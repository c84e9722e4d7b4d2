// A client that is told to come back later and asks again at once costs as much as one that is served, and hundreds of
// them take the time of those whose requests were accepted, and of newcomers: Node accepts one connection per turn of
// the event loop. So after a refusal the connection is not read for a moment. The refusal itself is never late, and who
// waits as long as Retry-After says does not notice. Behind a reverse proxy, whoever comes next on that connection waits
// that moment.

import type { IncomingMessage, ServerResponse } from 'node:http'

/** With the work itself well below the second in which a refusal is promised. */
const PAUSE_MS = 250

const COME_BACK_LATER: ReadonlySet<number> = new Set([429, 503])

/** To be called before the request is answered: whether it is refused shows when the answer has gone out. */
export function pauseAfterRejection({ socket }: IncomingMessage, res: ServerResponse): void {
  // After node:http's own listener, which reads away what is left of the request.
  res.once('finish', () => {
    if (!COME_BACK_LATER.has(res.statusCode) || socket.destroyed) return
    socket.pause()
    setTimeout(() => socket.resume(), PAUSE_MS).unref()
  })
}
