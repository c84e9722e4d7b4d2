// The access token of a run that lasts longer than the token: what goes out with the first one gets the one of now, and a
// call that is refused because its token has ended is made once more with the next.

import type { TokenSource } from '../../auth/session-tokens.ts'
import { type TokenProvider, tokenSourceOf } from '../../auth/token-provider.ts'
import { BINDINGS } from '../../bindings/registry.ts'
import type { Exchange } from '../../trace/exchange.ts'
import { NotMeasured } from './check-failure.ts'
import type { OutgoingRequest } from './outgoing.ts'

const UNAUTHENTICATED = 401

export class LiveToken {
  readonly #source: TokenSource
  /** What requests are dressed with. */
  readonly #first: string
  readonly #seen: Set<string>
  /** Told of every new token, before it is used. */
  onToken: (token: string) => void = () => {}

  constructor(provider: TokenProvider, first: string) {
    this.#source = tokenSourceOf(provider)
    this.#first = first
    this.#seen = new Set([first])
  }

  /** `token` is undefined where the request is not made with it. */
  async renewed(request: OutgoingRequest): Promise<{ request: OutgoingRequest; token: string | undefined }> {
    const given = `Bearer ${this.#first}`
    if (!request.headers.some(([, value]) => value === given)) return { request, token: undefined }
    const token = await this.#now()
    if (!this.#seen.has(token)) {
      this.#seen.add(token)
      this.onToken(token)
    }
    const headers = request.headers.map(([name, value]): [string, string] => [
      name,
      value === given ? `Bearer ${token}` : value,
    ])
    return { request: { ...request, headers }, token }
  }

  /** Whether it is worth while to ask again with another token. */
  mayRepeat(token: string, exchange: Exchange): boolean {
    // Of an exchange that is no gRPC it is the status of HTTP.
    if (BINDINGS.grpc.probe.statusOf(exchange) === UNAUTHENTICATED) return this.#source.refused(token)
    if (exchange.response !== undefined) this.#source.accepted?.(token)
    return false
  }

  async #now(): Promise<string> {
    try {
      return await this.#source.token()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new NotMeasured(`the access token has expired and could not be renewed: ${reason}`)
    }
  }
}
