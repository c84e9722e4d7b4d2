// Where the browser comes back to from a login: each answer belongs to one login, by a `state` that works once.

import type { LoopbackRedirect } from '../auth/loopback-redirect.ts'
import { EXIT, ParleyError } from '../model/errors.ts'

export class LoginCallbacks {
  readonly #waiting = new Map<string, PromiseWithResolvers<string>>()

  /** A login that is about to begin; its browser will come back to `url`. */
  open(url: string): LoopbackRedirect {
    let own: string | undefined
    return {
      url,
      code: (state) => {
        own = state
        const arrived = Promise.withResolvers<string>()
        this.#waiting.set(state, arrived)
        return arrived.promise
      },
      close: async () => {
        if (own !== undefined) this.#waiting.delete(own)
      },
    }
  }

  /** What to tell the person whose browser came back. */
  arrive(said: URLSearchParams): { ok: boolean; text: string } {
    const state = said.get('state') ?? ''
    const waiting = this.#waiting.get(state)
    if (waiting === undefined)
      return {
        ok: false,
        text: 'No login waits for this answer: it was used already, or belongs to another. Log in again.',
      }
    this.#waiting.delete(state)
    const code = said.get('code')
    if (code !== null) {
      waiting.resolve(code)
      return { ok: true, text: 'You are logged in. Close this tab and go back to the inspector.' }
    }
    const why = (said.get('error') ?? 'no code came back').replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 100)
    waiting.reject(
      new ParleyError('login-refused', `The login was not completed: ${why}.`, { exitCode: EXIT.unauthenticated }),
    )
    return { ok: false, text: `The login was not completed: ${why}. Go back to the inspector to try again.` }
  }
}
