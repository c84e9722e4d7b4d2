// Takes secrets out of what was recorded, before anything is printed, reported or written. There is no way to turn
// it off. Works on the text as it is, not on a parsed copy, so that everything but the secret stays byte for byte.

import { defined } from '../base/defined.ts'
import {
  type Exchange,
  isGrpcRequest,
  isGrpcResponse,
  mapExchange,
  type RecordedRequest,
  type RecordedResponse,
} from './exchange.ts'

export const REDACTED = '[redacted]'

type Headers = readonly (readonly [string, string])[]

const SECRET_HEADERS = new Set(['authorization', 'proxyauthorization', 'cookie', 'setcookie'])
/** Parts that make a header name a secret's: X-API-Key, X-A2A-Notification-Token, X-Auth-Secret. */
const SECRET_HEADER_WORDS = /apikey|token|secret|password|credential|signature|session/

/** JSON members, form fields and query parameters, compared in lower case without '-' and '_'. */
const SECRET_NAMES = new Set([
  'token',
  'accesstoken',
  'refreshtoken',
  'idtoken',
  'authtoken',
  'bearertoken',
  'sessiontoken',
  'credentials',
  'credential',
  'clientsecret',
  'clientassertion',
  'assertion',
  'secret',
  'password',
  'passwd',
  'apikey',
  'privatekey',
  'authorization',
  'codeverifier',
  'devicecode',
  'sig',
  'xamzsignature',
])

/** `Bearer …` in running text; long enough not to match "Bearer authentication". */
const INLINE_CREDENTIAL = /\b(Bearer|Basic)([ +]|%20)[\w.~+/=-]{20,}/gi

export function isSecretHeader(name: string): boolean {
  const plain = plainName(name)
  return SECRET_HEADERS.has(plain) || SECRET_HEADER_WORDS.test(plain)
}

function isSecretName(name: string): boolean {
  return SECRET_NAMES.has(plainName(name))
}

export class Redactor {
  /** Longest first, so that a secret inside another does not leave the rest of it standing. */
  #secrets: string[] = []

  /** `secrets` are values to remove wherever they occur, besides everything that is a secret by its name. */
  constructor(secrets: Iterable<string> = []) {
    for (const secret of secrets) this.register(secret)
  }

  /** Values under four characters are left alone: removing them everywhere would destroy the text. */
  register(secret: string): void {
    if (secret.length < 4) return
    const forms = [
      secret,
      encodeURIComponent(secret.toWellFormed()),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    ]
    // Bodies are searched as Latin-1; see #body.
    const asBytes = forms.map((form) => Buffer.from(form).toString('latin1'))
    const all = new Set([...this.#secrets, ...forms, ...asBytes])
    this.#secrets = [...all].sort((one, other) => other.length - one.length)
  }

  /** A copy; the exchange given is not touched. */
  exchange(exchange: Exchange): Exchange {
    const copy = mapExchange(exchange, {
      request: (request) => this.request(request),
      response: (response) => this.#response(response),
    })
    if (exchange.failure !== undefined) copy.failure = this.text(exchange.failure)
    return copy
  }

  request<R extends RecordedRequest>(request: R): R {
    const { url, headers, body } = request
    const copy: R = { ...request, url: this.url(url), headers: this.headers(headers) }
    if (!isGrpcRequest(copy)) return { ...copy, body: this.#body(headers, body) }
    const message = copy.message === undefined ? undefined : this.text(copy.message)
    return { ...copy, message, body: this.#bytes(body, message === copy.message) }
  }

  headers(headers: Headers): [string, string][] {
    return headers.map(([name, value]) => [name, isSecretHeader(name) ? redactField(value) : this.#values(value)])
  }

  /** Query parameters and user information. */
  url(url: string): string {
    const question = url.indexOf('?')
    const place = question === -1 ? url : url.slice(0, question)
    const query = question === -1 ? '' : `?${redactForm(url.slice(question + 1))}`
    return this.#values(place.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]+@/i, `$1${REDACTED}@`) + query)
  }

  /** Only what was registered, whatever the text is; the text itself where there is nothing of it. */
  registered(text: string): string {
    return this.#secrets.length === 0 ? text : this.#values(text)
  }

  /** JSON, server-sent events or plain text. */
  text(text: string): string {
    return this.#values(redactJson(text))
  }

  #response<R extends RecordedResponse>(response: R): R {
    const { headers, body, incomplete, frames } = response
    const clean = frames?.map((frame) => ({ ...frame, data: this.text(frame.data) }))
    const copy = {
      ...response,
      headers: this.headers(headers),
      ...(incomplete === undefined ? {} : { incomplete: this.text(incomplete) }),
      ...defined({ frames: clean }),
    }
    if (!isGrpcResponse(copy)) return { ...copy, body: this.#body(headers, body) }
    const isClean = clean?.every((frame, at) => frame.data === frames?.[at]?.data) ?? true
    return { ...copy, trailers: this.headers(copy.trailers), body: this.#bytes(body, isClean) }
  }

  /** The bytes of messages: a secret cannot be taken out of them, so all of them go when there is one. */
  #bytes(body: Uint8Array, isClean: boolean): Uint8Array {
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
    return isClean && this.#values(text) === text ? body : new Uint8Array()
  }

  /** Latin-1 maps every byte to one character and back, so bytes that are no text survive. */
  #body(headers: Headers, body: Uint8Array): Uint8Array {
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
    const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1].toLowerCase() ?? ''
    const isForm = type.startsWith('application/x-www-form-urlencoded')
    const redacted = isForm ? this.#values(redactForm(text)) : this.text(text)
    return redacted === text ? body : Buffer.from(redacted, 'latin1')
  }

  #values(text: string): string {
    let clean = text.replace(INLINE_CREDENTIAL, `$1$2${REDACTED}`)
    for (const secret of this.#secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, REDACTED)
    return clean
  }
}

/** `Bearer abc` keeps its scheme, which is what one looks for when authentication fails. */
function redactField(value: string): string {
  const scheme = /^(Basic|Bearer|Digest|DPoP|ApiKey) /i.exec(value)
  return scheme === null ? REDACTED : scheme[0] + REDACTED
}

function redactForm(form: string): string {
  return form
    .split('&')
    .map((field) => {
      const equals = field.indexOf('=')
      if (equals === -1 || !isSecretName(decode(field.slice(0, equals)))) return field
      return field.slice(0, equals + 1) + REDACTED
    })
    .join('&')
}

/**
 * Replaces the string and number values of secret members. Walks the strings of the text in order, as a JSON reader
 * would, but needs no valid document: a cut-off body or a stream of events has secrets too.
 */
function redactJson(text: string): string {
  let result = ''
  let copied = 0
  let at = text.indexOf('"')
  while (at !== -1) {
    const end = closingQuote(text, at)
    const colon = skipSpace(text, end + 1)
    if (text[colon] === ':' && isSecretName(unescaped(text.slice(at + 1, end)))) {
      const start = skipSpace(text, colon + 1)
      const stop = secretEnd(text, start)
      if (stop > start) {
        result += `${text.slice(copied, start)}${text[start] === '[' ? `["${REDACTED}"]` : `"${REDACTED}"`}`
        copied = stop
      }
      at = text.indexOf('"', Math.max(stop, colon + 1))
    } else at = text.indexOf('"', end + 1)
  }
  return copied === 0 ? text : result + text.slice(copied)
}

/** Where the secret value that begins here ends; the beginning itself when it is an object, boolean or null. */
function secretEnd(text: string, start: number): number {
  if (text[start] === '"') return Math.min(closingQuote(text, start) + 1, text.length)
  if (text[start] === '[') return arrayEnd(text, start)
  let end = start
  while (end < text.length && /[-+.\deE]/.test(text[end] ?? '')) end++
  return end
}

function arrayEnd(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    if (text[at] === '"') at = closingQuote(text, at)
    else if (text[at] === '[') depth++
    else if (text[at] === ']' && --depth === 0) return at + 1
  }
  return text.length
}

/** The end of the text when the string is cut off. */
function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return text.length
}

/** Blanks, and the `data:` a server-sent event repeats on each of its lines. */
function skipSpace(text: string, from: number): number {
  let at = from
  for (;;) {
    const char = text[at]
    if (char === ' ' || char === '\t' || char === '\r') at++
    else if (char === '\n') at += text.startsWith('data:', at + 1) ? 6 : 1
    else return at
  }
}

function unescaped(name: string): string {
  if (!name.includes('\\')) return name
  return name.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '')
}
