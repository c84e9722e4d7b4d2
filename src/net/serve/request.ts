// A request as a value: what it says, who sent it, and a body that can be read once. Which machinery received it
// (node:http, Fetch, a test) is known to its adapter alone.

import type { IncomingHttpHeaders } from 'node:http'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import { type BodyLimits, bodyTooLarge } from './incoming-body.ts'

/** Names in lower case; repeated fields joined as node:http does it. */
export type RequestHeaders = IncomingHttpHeaders

/** The certificate a client showed in the TLS handshake. */
export interface PeerCertificate {
  /** One line for each part of the subject, the rest escaped (RFC 2253). */
  readonly subject?: string | undefined
  /** The alternative names, as Node writes them: `DNS:a.example, URI:spiffe://…`. */
  readonly subjectAltName?: string | undefined
  /** When it expires. */
  readonly validTo: Date
  /** Whether an authority of the server vouches for it; otherwise its names are anybody's word. */
  readonly isVerified: boolean
}

/** Who is at the other end of the connection. */
export interface Peer {
  /** An IP address. Without it nothing is counted or limited by address. */
  readonly address?: string | undefined
  /** What the client showed in the TLS handshake; undefined when it showed none. */
  readonly certificate?: PeerCertificate | undefined
}

/** A body that can be read once. */
export interface RequestBody {
  /** Whether the head announces none. */
  readonly isEmpty: boolean
  /** The bytes as they were sent, Content-Encoding and all; once. Fails only with HttpFault. */
  read(limits: BodyLimits): MaybePromise<Buffer>
}

/** A request as a value, whatever received it. */
export interface ServerRequest {
  /** In capitals: `POST`. */
  readonly method: string
  /** Path and query, as the request line has them. */
  readonly url: string
  /** Without the query, as the request line has it: not decoded. */
  readonly path: string
  /** Without the question mark; '' for none. */
  readonly query: string
  /** Header fields by their names in lower case. */
  readonly headers: RequestHeaders
  /** As they came: name, value, name, value … */
  readonly rawHeaders: readonly string[]
  /** Who is at the other end of the connection. */
  readonly peer: Peer
  /** Scheme, host and port where it arrived; undefined where only the client could have said so. */
  readonly origin: string | undefined
  /** Aborted when the client leaves before its answer is complete. */
  readonly signal: AbortSignal
  /** What was sent with it; can be read once. */
  readonly body: RequestBody
  /** Whether the answer may end in trailers, and so be one of gRPC: only where HTTP/2 received the request. */
  readonly takesTrailers?: boolean
  /** Tells once, when nothing more will be sent, whether the whole answer was. Cheaper than the signal. */
  onClose(listener: (isAnswered: boolean) => void): void
}

/** A body that has been read already; an error stands for one that could not be. */
export function knownBody(bytes: Buffer | Error): RequestBody {
  return {
    isEmpty: bytes instanceof Uint8Array && bytes.byteLength === 0,
    read: ({ bodyBytes }) => {
      if (!(bytes instanceof Uint8Array)) throw bytes
      if (bytes.byteLength > bodyBytes) throw bodyTooLarge(bodyBytes)
      return bytes
    },
  }
}

/** The same request at another path, or with its body read already. */
export function derivedRequest(request: ServerRequest, change: { path?: string; body?: RequestBody }): ServerRequest {
  return new DerivedRequest(request, change.path ?? request.path, change.body ?? request.body)
}

class DerivedRequest implements ServerRequest {
  readonly path: string
  readonly body: RequestBody
  readonly #original: ServerRequest

  constructor(original: ServerRequest, path: string, body: RequestBody) {
    this.#original = original
    this.path = path
    this.body = body
  }

  get method(): string {
    return this.#original.method
  }

  get url(): string {
    return this.query === '' ? this.path : `${this.path}?${this.query}`
  }

  get query(): string {
    return this.#original.query
  }

  get headers(): RequestHeaders {
    return this.#original.headers
  }

  get rawHeaders(): readonly string[] {
    return this.#original.rawHeaders
  }

  get peer(): Peer {
    return this.#original.peer
  }

  get origin(): string | undefined {
    return this.#original.origin
  }

  get signal(): AbortSignal {
    return this.#original.signal
  }

  get takesTrailers(): boolean {
    return this.#original.takesTrailers === true
  }

  onClose(listener: (isAnswered: boolean) => void): void {
    this.#original.onClose(listener)
  }
}
