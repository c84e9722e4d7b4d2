// Regular expressions written by people, run on text sent by strangers: nested quantifiers are refused when the
// script is loaded, and a match that could take long runs under a deadline.

import { createContext, Script } from 'node:vm'

const MATCH_TIMEOUT_MS = 100
/** Matches estimated to need fewer steps than this run directly; the deadline costs more than they do. */
const DIRECT_STEPS = 10_000_000

export interface SafeRegex {
  readonly source: string
  readonly groups: readonly string[]
  /** 'too-slow' when the deadline ended the match. */
  exec(text: string): RegExpExecArray | null | 'too-slow'
}

export function compileRegex(source: string): SafeRegex | { problem: string } {
  let regex: RegExp
  try {
    regex = new RegExp(source, 'u')
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : String(error)
    return { problem: `is not a regular expression: ${why}` }
  }
  const risk = assess(source)
  if (risk.hasNestedQuantifiers)
    return {
      problem: 'repeats a group that itself repeats, which can take for ever; write it without nested quantifiers',
    }
  return {
    source,
    groups: Array.from(source.matchAll(/\(\?<([^=!>][^>]*)>/g), (match) => match[1] ?? ''),
    exec(text) {
      const steps = risk.isUnbounded ? Number.POSITIVE_INFINITY : text.length ** (risk.unboundedQuantifiers + 1)
      return steps <= DIRECT_STEPS ? regex.exec(text) : execWithDeadline(regex, text)
    },
  }
}

interface Risk {
  hasNestedQuantifiers: boolean
  unboundedQuantifiers: number
  /** Alternatives that repeat, or a back reference: no useful bound on the steps. */
  isUnbounded: boolean
}

function assess(source: string): Risk {
  const risk: Risk = { hasNestedQuantifiers: false, unboundedQuantifiers: 0, isUnbounded: false }
  const open: { repeats: boolean; hasAlternatives: boolean }[] = [{ repeats: false, hasAlternatives: false }]
  let closed: { repeats: boolean; hasAlternatives: boolean } | undefined
  for (let i = 0; i < source.length; i++) {
    const char = source.charAt(i)
    const inner = open.at(-1)
    if (char === '\\') {
      i++
      if (/[1-9k]/.test(source.charAt(i))) risk.isUnbounded = true
      closed = undefined
    } else if (char === '[') {
      while (i < source.length && source.charAt(i) !== ']') i += source.charAt(i) === '\\' ? 2 : 1
      closed = undefined
    } else if (char === '(') {
      open.push({ repeats: false, hasAlternatives: false })
      if (source.charAt(i + 1) === '?') i++
      closed = undefined
    } else if (char === ')') {
      closed = open.pop()
      const outer = open.at(-1)
      if (outer !== undefined && closed !== undefined) {
        outer.repeats ||= closed.repeats
        outer.hasAlternatives ||= closed.hasAlternatives
      }
    } else if (char === '|') {
      if (inner !== undefined) inner.hasAlternatives = true
      closed = undefined
    } else if (char === '*' || char === '+' || /^\{\d+,\d*\}/.test(source.slice(i))) {
      risk.unboundedQuantifiers++
      if (closed?.repeats) risk.hasNestedQuantifiers = true
      if (closed?.hasAlternatives) risk.isUnbounded = true
      if (inner !== undefined) inner.repeats = true
      if (char === '{') i = source.indexOf('}', i)
      closed = undefined
    } else if (char !== '?') {
      closed = undefined
    }
  }
  return risk
}

const attempt = new Script('regex.exec(text)')

function execWithDeadline(regex: RegExp, text: string): RegExpExecArray | null | 'too-slow' {
  try {
    const context = createContext({ regex, text })
    return attempt.runInContext(context, { timeout: MATCH_TIMEOUT_MS }) as RegExpExecArray | null
  } catch (error) {
    // The error belongs to the other context, so instanceof does not know it.
    const isTimeout = typeof error === 'object' && error !== null && 'code' in error
    if (isTimeout && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'too-slow'
    throw error
  }
}
