// A request as a curl command that can be pasted into a POSIX shell and sends the same thing. Secrets become shell
// variables to fill in, never values.

import type { RecordedRequest } from './exchange.ts'
import { isSecretHeader, REDACTED, Redactor } from './redact.ts'
import { shellWord } from './shell-word.ts'

export interface CurlOptions {
  /** Removes registered secrets besides those known by their name. */
  redactor?: Redactor
  /**
   * Secrets as `$BEARER_TOKEN`, `$X_API_KEY` and the like, so that the command works once the variables are set, instead of
   * as [redacted].
   */
  placeholders?: boolean
  /** How the request trusted its peer and which certificate it showed. */
  tls?: CurlTls | undefined
}

export interface CurlTls {
  insecure?: boolean
  files?: { ca?: string; cert?: string; key?: string }
}

/** What curl itself sends, so that repeating it would only hide what matters. */
const OWN_HEADERS = new Set(['host', 'content-length', 'connection', 'accept-encoding'])

export function toCurl(request: RecordedRequest, options: CurlOptions = {}): string {
  const { method, url, headers, body } = (options.redactor ?? new Redactor()).request(request)
  const words = ['curl', '-sS', '-i']
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  const accept = headers.find(([name]) => name.toLowerCase() === 'accept')?.[1] ?? ''
  if (accept.includes('text/event-stream')) words.push('-N')
  if (names.has('accept-encoding')) words.push('--compressed')
  if (method !== (body.length === 0 ? 'GET' : 'POST')) words.push(method === 'HEAD' ? '-I' : `-X ${quote(method)}`)
  if (url.startsWith('https:')) words.push(...tlsWords(options.tls, request.withoutCertificate !== true))
  const lines = [`${words.join(' ')} ${quoteUrl(url)}`]
  for (const [name, value] of headers) {
    if (!OWN_HEADERS.has(name.toLowerCase()) || isForeignHost(name, value, url)) {
      lines.push(`-H ${quoteHeader(name, value, options.placeholders === true)}`)
    }
  }
  if (body.length === 0) {
    if (method === 'POST') lines.push("--data-raw ''")
    return lines.join(' \\\n  ')
  }
  // curl would otherwise claim the body is a form.
  if (!names.has('content-type')) lines.push("-H 'Content-Type:'")
  const text = textOf(body)
  if (text !== undefined) return [...lines, `--data-raw ${quote(text)}`].join(' \\\n  ')
  const piped = [...lines, '--data-binary @-'].join(' \\\n  ')
  return `printf '${octal(body)}' | ${piped}`
}

function tlsWords({ insecure, files: { ca, cert, key } = {} }: CurlTls = {}, isCertified: boolean): string[] {
  const words = insecure === true ? ['-k'] : []
  if (ca !== undefined) words.push(`--cacert ${shellWord(ca)}`)
  if (isCertified && cert !== undefined) words.push(`--cert ${shellWord(cert)}`)
  if (isCertified && key !== undefined) words.push(`--key ${shellWord(key)}`)
  return words
}

function isForeignHost(name: string, value: string, url: string): boolean {
  return name.toLowerCase() === 'host' && value !== URL.parse(url)?.host
}

function quoteHeader(name: string, value: string, isPlaceholder: boolean): string {
  if (value === '') return quote(`${name};`)
  if (!isPlaceholder || !isSecretHeader(name)) return quote(`${name}: ${value}`)
  // After the name of a scheme only the token is missing: `Authorization: Bearer "$BEARER_TOKEN"`.
  const scheme = /^(\w+) /.exec(value)?.[1]
  const variable = (scheme === undefined ? name : `${scheme}_token`).toUpperCase().replace(/[^A-Z0-9]/g, '_')
  // Only the variable stands outside single quotes: a header name may contain what the shell would run.
  return `${quote(`${name}: ${value.replace(REDACTED, '')}`)}"$${variable}"`
}

/** Brackets and braces mean something to curl unless it is told not to glob. */
function quoteUrl(url: string): string {
  return /[[\]{}]/.test(url) ? `-g ${quote(url)}` : quote(url)
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** Undefined when the bytes cannot be an argument of a command. */
function textOf(body: Uint8Array): string | undefined {
  if (body.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return undefined
  }
}

function octal(body: Uint8Array): string {
  let escaped = ''
  for (const byte of body) escaped += `\\${byte.toString(8).padStart(3, '0')}`
  return escaped
}
