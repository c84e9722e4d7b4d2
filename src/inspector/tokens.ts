// The link that opens the inspector works once: its token, which stands in the fragment and is never sent by following it,
// is exchanged by the page for the token of its session. That one lives in the page's sessionStorage and comes as a header.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const MAX_SESSIONS = 50

export class InspectorTokens {
  #link: Buffer | undefined
  readonly #used: Buffer[] = []
  readonly #sessions: Buffer[] = []

  /** A fresh token for a link; the one before it is void. */
  newLink(): string {
    const token = randomBytes(32).toString('base64url')
    this.#link = digest(token)
    return token
  }

  /** The token of a new session; or why there is none. */
  exchange(given: string): { session: string } | { problem: 'used' | 'wrong' } {
    const found = digest(given)
    if (this.#link === undefined || !timingSafeEqual(found, this.#link))
      return { problem: this.#used.some((used) => timingSafeEqual(found, used)) ? 'used' : 'wrong' }
    this.#used.push(found)
    this.#link = undefined
    const session = randomBytes(32).toString('base64url')
    this.#sessions.push(digest(session))
    if (this.#sessions.length > MAX_SESSIONS) this.#sessions.shift()
    return { session }
  }

  isSession(given: string | undefined): boolean {
    if (given === undefined) return false
    const found = digest(given)
    return this.#sessions.some((session) => timingSafeEqual(session, found))
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
