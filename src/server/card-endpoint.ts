// Answers with an agent card and the caching headers of 1.0 §8.6. The text is made once per public URL; the URL comes
// from configuration or the listening address, never from the Host header.

import { createHash } from 'node:crypto'
import type { Reply } from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'

const MAX_AGE_SECONDS = 300

export class CardEndpoint {
  readonly #text: string
  readonly #headers: readonly string[]
  readonly #etag: string

  constructor(wire: unknown, since: Date) {
    this.#text = JSON.stringify(wire)
    this.#etag = `"${createHash('sha256').update(this.#text).digest('base64url').slice(0, 22)}"`
    this.#headers = [
      ...['Content-Type', 'application/json', 'Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`],
      ...['ETag', this.#etag, 'Last-Modified', since.toUTCString(), 'Vary', 'A2A-Version'],
      ...['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', 'A2A-Version, ETag'],
    ]
  }

  answer({ headers }: ServerRequest): Reply {
    const known = headers['if-none-match']
    const isKnown =
      known !== undefined && (known === '*' || known.split(',').some((tag) => weak(tag) === weak(this.#etag)))
    if (isKnown) return { status: 304, headers: this.#headers }
    return { status: 200, headers: this.#headers, body: this.#text }
  }
}

function weak(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}
