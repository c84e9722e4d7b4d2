// Values of flags, read when the command line is: a typing mistake is one sentence that names the flag and exit code 2,
// before anything is sent or opened.

import { defined } from '../base/defined.ts'
import { EXIT, ParleyError } from '../model/errors.ts'

export function usage(message: string, hint?: string): ParleyError {
  return new ParleyError('usage', message, { exitCode: EXIT.usage, ...defined({ hint }) })
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of `500ms`, `30s`, `1.5m`, `1h`, `30d`; a number without a unit is refused, not guessed. */
export function duration(flag: string, leastMs = 1, mostDays = 24): (text: string) => number {
  return (text) => {
    const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim()) ?? []
    if (digits === '')
      throw usage(`${flag} takes a duration with its unit, such as 500ms, 30s, 2m or 7d, not ${JSON.stringify(text)}.`)
    const ms = Math.round(Number(digits) * (UNITS[unit] ?? Number.NaN))
    if (ms >= leastMs && ms <= mostDays * 86_400_000) return ms
    throw usage(`${flag} takes ${leastMs} ms to ${mostDays} days, not ${JSON.stringify(text)}.`)
  }
}

export function wholeNumber(flag: string, least = 0, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d{1,16}$/.test(text.trim()) && value >= least && value <= most) return value
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
    throw usage(`${flag} takes a whole number ${range}, not ${JSON.stringify(text)}.`)
  }
}

export const port = wholeNumber('--port', 0, 65_535)

/** A port of its own, or that of HTTP. */
export function grpcPort(text: string): number | 'same' {
  if (text === 'same') return text
  if (/^\d/.test(text)) return wholeNumber('--grpc-port', 0, 65_535)(text)
  throw usage(`--grpc-port takes a whole number from 0 to 65535, or same, not ${JSON.stringify(text)}.`)
}

/** The token alone. It is a secret, so a wrong one is not repeated. */
export function bearerToken(flag: string): (text: string) => string {
  return (text) => {
    if (/^Bearer\s/i.test(text)) throw usage(`${flag} takes the token without the word Bearer before it.`)
    if (/^[\x21-\x7e]+$/.test(text)) return text
    throw usage(
      `${flag} takes a token of visible ASCII characters without spaces; was it cut or pasted with a line break?`,
    )
  }
}

export function httpUrl(flag: string): (text: string) => string {
  return (text) => {
    if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
    throw usage(`${flag} takes an http or https URL, not ${JSON.stringify(text)}.`)
  }
}

export function oneOf<T extends string>(flag: string, known: readonly T[]): (value: string) => T {
  return (value) => {
    const found = known.find((entry) => entry === value.toLowerCase())
    if (found === undefined) throw usage(`${flag} takes ${known.join(', ')}, not ${JSON.stringify(value)}.`)
    return found
  }
}

/** For flags that may be repeated. */
export function collect<T>(parse: (value: string) => T): (value: string, before: T[] | undefined) => T[] {
  return (value, before = []) => [...before, parse(value)]
}

/** '1 rule', '2 rules'. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
