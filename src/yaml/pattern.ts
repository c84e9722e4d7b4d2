// Regular expressions that people write, matched against what strangers send. They are written as in JavaScript and
// matched by RE2, whose time is proportional to the text. What RE2 lacks (lookaround, back references) is left to the
// engine of JavaScript under a deadline, and so is every match on a text so long that even that takes a while.

import { createContext, Script } from 'node:vm'
import { RE2JS } from 're2js'
import { toRe2 } from './re2-syntax.ts'

export interface PatternMatch {
  /** Of the named groups that took part. */
  readonly groups: { readonly [name: string]: string }
}

export interface Pattern {
  readonly source: string
  readonly groups: readonly string[]
  /** Why it is not matched by RE2, for whoever checks a file. */
  readonly note?: string
  /** Null when it does not match, 'too-slow' when the deadline ended it; 100 ms unless given. */
  exec(text: string, deadlineMs?: number): PatternMatch | null | 'too-slow'
}

const DEADLINE_MS = 100
const PATIENT_MS = 2_000
/** Texts up to this length are matched by RE2 within milliseconds; the deadline costs more than they do. */
const SHORT = 4_096

/** `flags` is 'u' or nothing. */
export function compilePattern(source: string, flags: 'u' | '' = 'u'): Pattern | { problem: string } {
  let regex: RegExp
  try {
    regex = new RegExp(source, flags)
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : String(error)
    return { problem: `is not a regular expression: ${why}` }
  }
  const translated = toRe2(source, flags === 'u')
  if ('lacks' in translated) return backtracking(regex, translated.lacks)
  const { re2, groups } = translated
  let compiled = compileRe2(re2)
  if (compiled === undefined) return backtracking(regex, 'a repetition of more than 1,000')
  const match = (text: string): PatternMatch | null => {
    compiled ??= compileRe2(re2)
    const matcher = compiled?.matcher(text)
    if (matcher?.find() !== true) return null
    return { groups: named(groups, (name) => matcher.group(name) ?? undefined) }
  }
  return {
    source,
    groups,
    exec(text, deadlineMs = DEADLINE_MS) {
      if (text.length <= SHORT) return match(text)
      const found = withDeadline(() => match(text), deadlineMs)
      // What was stopped on its way may be in any state.
      if (found === 'too-slow') compiled = undefined
      return found
    },
  }
}

/** Whether it matches, for a test that waits for the answer: patient, and yet a match that takes for ever is none. */
export function matches(pattern: Pattern, text: string): boolean {
  const found = pattern.exec(text, PATIENT_MS)
  return found !== null && found !== 'too-slow'
}

function backtracking(regex: RegExp, lacks: string): Pattern {
  const groups = Array.from(regex.source.matchAll(/\(\?<([^=!>][^>]*)>/g), (match) => match[1] ?? '')
  return {
    source: regex.source,
    groups,
    note: `uses ${lacks}, which needs a backtracking engine; a match that takes more than ${DEADLINE_MS} ms counts as no match`,
    exec(text, deadlineMs = DEADLINE_MS) {
      const found = withDeadline(() => regex.exec(text), deadlineMs)
      if (found === null || found === 'too-slow') return found
      return { groups: named(groups, (name) => found.groups?.[name]) }
    },
  }
}

function compileRe2(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(source)
  } catch {
    return undefined
  }
}

function named(groups: readonly string[], read: (name: string) => string | undefined): { [name: string]: string } {
  const found: { [name: string]: string } = {}
  for (const name of groups) {
    const value = read(name)
    if (value !== undefined) found[name] = value
  }
  return found
}

const attempt = new Script('run()')

/** Stops whatever runs inside, also code of this context. */
function withDeadline<T>(run: () => T, timeout: number): T | 'too-slow' {
  try {
    return attempt.runInContext(createContext({ run }), { timeout }) as T
  } catch (error) {
    // The error belongs to the other context, so instanceof does not know it.
    const isTimeout = typeof error === 'object' && error !== null && 'code' in error
    if (isTimeout && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'too-slow'
    throw error
  }
}
