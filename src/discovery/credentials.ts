// Who may see a secret. Credentials belong to the origin the user pointed at; a card is written by a stranger, so it
// chooses neither the receiver nor a header name that means something to HTTP itself.

import type { AgentCard } from '../model/card.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { sameMachine } from '../net/guard/reach.ts'
import type { HeaderPairs } from '../net/http-request.ts'

/** What shows an agent who is calling. */
export interface CredentialOptions {
  /** Sent to the agent's origin only. */
  headers?: HeaderPairs
  /** Sent as `Authorization: Bearer …`. */
  bearer?: string
  /** Sent in the header the card's API key scheme names, X-API-Key when it names none. */
  apiKey?: string
  /** Further origins that may receive the above: `https://api.example.com`. */
  allowOrigins?: readonly string[]
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Names a card may choose for an API key: the usual ones, and nothing that routes or frames a request. */
const API_KEY_HEADER = /^(?:x-[a-z0-9-]+|[a-z0-9-]*(?:api|key|token|auth|secret)[a-z0-9-]*)$/i
const MAX_HEADER_NAME = 100
const NEVER = new Set([
  'host',
  'cookie',
  'content-length',
  'content-type',
  'transfer-encoding',
  'connection',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'proxy-authorization',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-http-method-override',
])

export class Credentials {
  readonly #options: CredentialOptions
  readonly #origins: ReadonlySet<string>

  /** `origin` is where the user pointed; undefined when that was a file. */
  constructor(options: CredentialOptions, origin: string | undefined) {
    for (const [name, value] of options.headers ?? []) checkHeader(name, value)
    this.#options = options
    const origins = [...(origin === undefined ? [] : [origin]), ...(options.allowOrigins ?? []).map(originOf)]
    this.#origins = new Set(origins.map(sameMachine))
  }

  get isEmpty(): boolean {
    const { headers = [], bearer, apiKey } = this.#options
    return headers.length === 0 && bearer === undefined && apiKey === undefined
  }

  /** `onAnyPort`: for what cannot share a port with the card; its host is enough, and never less TLS. */
  mayGoTo(url: string, onAnyPort = false): boolean {
    if (this.isEmpty || this.#origins.has(sameMachine(originOf(url)))) return true
    if (!onAnyPort) return false
    const { protocol, hostname } = new URL(sameMachine(originOf(url)))
    return [...this.#origins].some((origin) => {
      const known = new URL(origin)
      return known.hostname === hostname && (known.protocol === protocol || protocol === 'https:')
    })
  }

  /** The headers for a request to this URL: all, or a refusal that says what to do. */
  headersFor(url: string, card?: AgentCard, onAnyPort = false): [string, string][] {
    if (!this.mayGoTo(url, onAnyPort)) {
      throw new ParleyError(
        'foreign-origin',
        `The card sends calls to ${originOf(url)}, which is not where your credentials belong; they were not sent.`,
        { exitCode: EXIT.unauthenticated, hint: `If you trust it, add --allow-origin ${originOf(url)}.` },
      )
    }
    const headers: [string, string][] = []
    for (const [name, value] of this.#options.headers ?? []) headers.push([name, value])
    if (this.#options.bearer !== undefined) headers.push(['Authorization', `Bearer ${this.#options.bearer}`])
    if (this.#options.apiKey !== undefined && card !== undefined) {
      headers.push([apiKeyHeader(card), this.#options.apiKey])
    }
    return headers
  }
}

export function originOf(url: string): string {
  try {
    return new URL(url).origin
  } catch {
    throw new ParleyError('bad-url', `${JSON.stringify(url)} is not a URL.`, { exitCode: EXIT.usage })
  }
}

function apiKeyHeader(card: AgentCard): string {
  const schemes = Object.values(card.securitySchemes ?? {}).flatMap((scheme) => scheme.apiKeySecurityScheme ?? [])
  const scheme = schemes.find(({ location }) => location === 'header') ?? schemes[0]
  if (scheme === undefined) return 'X-API-Key'
  if (scheme.location !== 'header') {
    throw new ParleyError(
      'api-key-place',
      `The card wants the API key in the ${scheme.location}; only header keys are sent.`,
      {
        exitCode: EXIT.unauthenticated,
        hint: "Send it yourself with -H 'Name: value' if the agent also accepts that.",
      },
    )
  }
  const isName = scheme.name.length <= MAX_HEADER_NAME && API_KEY_HEADER.test(scheme.name)
  if (!isName || NEVER.has(scheme.name.toLowerCase())) {
    throw new ParleyError(
      'api-key-header',
      `The card wants the API key in the header ${JSON.stringify(scheme.name.slice(0, MAX_HEADER_NAME))}, which is not a header for keys.`,
      { exitCode: EXIT.unauthenticated, hint: "If that is right, send it yourself with -H 'Name: value'." },
    )
  }
  return scheme.name
}

function checkHeader(name: string, value: string): void {
  if (TOKEN.test(name) && !/(?!\t)\p{Cc}/u.test(value) && !NEVER.has(name.toLowerCase())) return
  throw new ParleyError('bad-header', `The header ${JSON.stringify(name)} cannot be sent.`, { exitCode: EXIT.usage })
}
