// A request of the Fetch standard as a value. What Fetch does not tell (who is calling, at which address) is undefined
// unless its host says so.

import { isIP } from 'node:net'
import { isLoopback } from '../guard/loopback.ts'
import { type BodyLimits, bodyAborted, IncomingBody, NO_BYTES } from './incoming-body.ts'
import type { Peer, RequestBody, RequestHeaders, ServerRequest } from './request.ts'

export class FetchRequest implements ServerRequest, RequestBody {
  readonly path: string
  readonly query: string
  readonly peer: Peer
  /**
   * The address in a Fetch request is the client's word, like Host. On this machine it can do no harm; elsewhere whoever
   * runs the server has to say where it is reached.
   */
  readonly origin: string | undefined
  readonly #request: Request
  readonly #listeners: ((isAnswered: boolean) => void)[] = []
  #headers: RequestHeaders | undefined

  constructor(request: Request, peer: Peer) {
    this.#request = request
    this.peer = peer
    const { pathname, search, hostname, origin } = new URL(request.url)
    this.path = pathname
    this.query = search.slice(1)
    this.origin = isThisMachine(hostname) ? origin : undefined
    request.signal.addEventListener('abort', () => this.close(false))
  }

  get method(): string {
    return this.#request.method
  }

  get url(): string {
    return this.query === '' ? this.path : `${this.path}?${this.query}`
  }

  get headers(): RequestHeaders {
    this.#headers ??= Object.fromEntries(this.#request.headers)
    return this.#headers
  }

  get rawHeaders(): readonly string[] {
    return [...this.#request.headers].flat()
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }

  get body(): RequestBody {
    return this
  }

  get isEmpty(): boolean {
    return this.#request.body === null
  }

  async read(limits: BodyLimits): Promise<Buffer> {
    const stream = this.#request.body
    if (stream === null) return NO_BYTES
    const length = this.headers['content-length']
    const reader = stream.getReader()
    const cut = () => void reader.cancel().catch(() => {})
    const body = new IncomingBody(limits, length === undefined ? undefined : Number(length), cut)
    try {
      for (;;) {
        const { done, value } = await reader.read().catch(() => {
          throw bodyAborted()
        })
        if (done) return body.whole()
        const fault = body.add(Buffer.from(value.buffer, value.byteOffset, value.byteLength))
        if (fault === undefined) continue
        cut()
        throw fault
      }
    } finally {
      body.end()
    }
  }

  onClose(listener: (isAnswered: boolean) => void): void {
    this.#listeners.push(listener)
  }

  /** Nothing more will be sent. */
  close(isAnswered: boolean): void {
    for (const listener of this.#listeners.splice(0)) listener(isAnswered)
  }
}

function isThisMachine(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  return address === 'localhost' || (isIP(address) !== 0 && isLoopback(address))
}
