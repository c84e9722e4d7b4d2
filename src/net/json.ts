// JSON from strangers. One linear scan refuses what JSON.parse would accept and something later would regret:
// nesting that overflows the stack of a recursive walk, members by the million, duplicate names (whose meaning depends
// on the reader), and names that reach a prototype. The scan is lenient about grammar, which JSON.parse then judges.

import { isUtf8 } from 'node:buffer'
import type { JsonValue } from '../model/json.ts'
import type { Limits } from './limits.ts'

export type JsonProblem =
  | 'syntax'
  | 'encoding'
  | 'too-deep'
  | 'too-many-members'
  | 'string-too-long'
  | 'number-too-long'
  | 'number-too-large'
  | 'duplicate-key'
  | 'forbidden-key'

export type JsonFault = { ok: false; problem: JsonProblem; message: string }
export type JsonResult = { ok: true; value: JsonValue } | JsonFault

export type JsonLimits = Pick<
  Limits,
  'jsonDepth' | 'jsonMembers' | 'jsonStringLength' | 'jsonNameLength' | 'jsonNumberLength'
>

export function parseJson(input: string | Buffer, limits: JsonLimits): JsonResult {
  let text: string
  if (typeof input === 'string') {
    text = input
  } else {
    // No JSON text begins with or has a NUL second; UTF-16 and UTF-32 do, and their NULs are valid UTF-8.
    if (!isUtf8(input) || input[0] === 0 || input[1] === 0) return fault('encoding', 'The text is not UTF-8.')
    text = input.toString('utf8')
  }
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) return fault('encoding', 'The text begins with a byte order mark.')
  const found = scan(text, limits)
  if (found !== undefined) return found
  try {
    return { ok: true, value: JSON.parse(text) as JsonValue }
  } catch (error) {
    return fault('syntax', syntaxMessage(error))
  }
}

const BYTE_ORDER_MARK = 0xfeff
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Up to here the names of an object are compared by hash, one by one; beyond, collisions could be made to cost. */
const LISTED_NAMES = 16
/** Past this many characters of a string, the native search for its end is faster than looking at each. */
const SHORT_STRING = 48

const LETTER_E = 0x65
/** With so many digits a number may be too large without an exponent. */
const MOST_DIGITS = 308
const LARGEST = 'at most 1.7976931348623157e308 can be expressed'

const PROTO = '__proto__'
const CONSTRUCTOR = 'constructor'
const PROTOTYPE = 'prototype'
const PROTO_HASH = hashOf(PROTO)
const CONSTRUCTOR_HASH = hashOf(CONSTRUCTOR)
const PROTOTYPE_HASH = hashOf(PROTOTYPE)

/** One open object or array. Reused between calls: scanning is synchronous and never nests. */
interface Frame {
  isObject: boolean
  /** The value of a member called "constructor", where "prototype" is forbidden. */
  isConstructor: boolean
  /** How many names the object has so far, and the hash and place of the first of them. */
  names: number
  hashes: number[]
  starts: number[]
  /** All names, once there are more than LISTED_NAMES. */
  set: Set<string> | undefined
}

const frames: Frame[] = []

function openFrame(depth: number, isObject: boolean, isConstructor: boolean): Frame {
  let frame = frames[depth]
  if (frame === undefined) {
    frame = { isObject, isConstructor, names: 0, hashes: [], starts: [], set: undefined }
    frames[depth] = frame
    return frame
  }
  frame.isObject = isObject
  frame.isConstructor = isConstructor
  frame.names = 0
  frame.set = undefined
  return frame
}

function scan(text: string, limits: JsonLimits): JsonFault | undefined {
  const length = text.length
  let depth = 0
  let members = 0
  let frame: Frame | undefined
  let expectsName = false
  let afterConstructor = false

  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      if (!expectsName || frame === undefined) {
        const end = stringEnd(text, at + 1)
        if (end - at - 1 > limits.jsonStringLength) {
          return fault('string-too-long', `A string is longer than ${limits.jsonStringLength} characters.`)
        }
        afterConstructor = false
        at = end
        continue
      }
      expectsName = false
      const end = scanName(text, at, frame, limits)
      if (typeof end !== 'number') return end
      afterConstructor = nameHash === CONSTRUCTOR_HASH && nameAt(text, at) === CONSTRUCTOR
      at = end
    } else if (code === COMMA) {
      members++
      if (members > limits.jsonMembers) return tooManyMembers(limits)
      expectsName = frame?.isObject ?? false
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth++
      members++
      if (depth > limits.jsonDepth) {
        return fault('too-deep', `Objects and arrays are nested more than ${limits.jsonDepth} levels deep.`)
      }
      if (members > limits.jsonMembers) return tooManyMembers(limits)
      const isObject = code === OPEN_BRACE
      frame = openFrame(depth, isObject, isObject && afterConstructor)
      expectsName = isObject
      afterConstructor = false
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth > 0) depth--
      frame = depth === 0 ? undefined : frames[depth]
      expectsName = false
    } else if (code === MINUS || (code >= DIGIT_0 && code <= DIGIT_9)) {
      const end = scanNumber(text, at, limits)
      if (typeof end !== 'number') return end
      at = end
      afterConstructor = false
    }
  }
  return undefined
}

/** The hash of the name that was scanned last. */
let nameHash = 0

/** Adds the name whose opening quote is at `at`; the place of its closing quote, or what is wrong. */
function scanName(text: string, at: number, frame: Frame, limits: JsonLimits): number | JsonFault {
  const length = text.length
  let hash = 0
  let end = at + 1
  let isEscaped = false
  for (; end < length; end++) {
    const char = text.charCodeAt(end)
    if (char === QUOTE) break
    if (char === BACKSLASH) {
      isEscaped = true
      end = stringEnd(text, end)
      break
    }
    hash = (Math.imul(hash, 31) + char) & 0x3fffffff
  }
  if (end - at - 1 > limits.jsonNameLength) {
    return fault('string-too-long', `A member name is longer than ${limits.jsonNameLength} characters.`)
  }
  if (isEscaped) hash = hashOf(nameAt(text, at))
  if (hash === PROTO_HASH && nameAt(text, at) === PROTO) {
    return fault('forbidden-key', 'A member is called "__proto__", which is not allowed.')
  }
  if (frame.isConstructor && hash === PROTOTYPE_HASH && nameAt(text, at) === PROTOTYPE) {
    return fault('forbidden-key', 'A member "constructor" holds "prototype", which is not allowed.')
  }
  nameHash = hash
  return addName(frame, text, at, hash) ? end : fault('duplicate-key', 'An object has two members of the same name.')
}

/** The place of the last character of the number that begins at `start`, or what is wrong. */
function scanNumber(text: string, start: number, limits: JsonLimits): number | JsonFault {
  let at = start
  let isLarge = false
  for (let next = text.charCodeAt(at + 1); isNumberCode(next); next = text.charCodeAt(at + 1)) {
    if ((next | 32) === LETTER_E) isLarge = true
    at++
  }
  if (at + 1 - start > limits.jsonNumberLength) {
    return fault('number-too-long', `A number is written with more than ${limits.jsonNumberLength} characters.`)
  }
  if ((isLarge || at - start >= MOST_DIGITS) && isInfinite(text.slice(start, at + 1))) {
    return fault('number-too-large', `The number ${text.slice(start, at + 1)} is too large: ${LARGEST}.`)
  }
  return at
}

/** The place of the closing quote, or the length of the text. `from` is inside the string. */
function stringEnd(text: string, from: number): number {
  const near = Math.min(text.length, from + SHORT_STRING)
  let at = from
  while (at < near) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    at += code === BACKSLASH ? 2 : 1
  }
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote === -1) return text.length
    let backslashes = 0
    while (quote - backslashes > at && text.charCodeAt(quote - backslashes - 1) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return quote
    at = quote + 1
  }
}

/** False when the object already has that name. */
function addName(frame: Frame, text: string, start: number, hash: number): boolean {
  const { names, hashes, starts } = frame
  if (frame.set !== undefined) {
    frame.set.add(nameAt(text, start))
    frame.names = names + 1
    return frame.set.size === names + 1
  }
  for (let index = 0; index < names; index++) {
    if (hashes[index] === hash && nameAt(text, starts[index] ?? 0) === nameAt(text, start)) return false
  }
  hashes[names] = hash
  starts[names] = start
  frame.names = names + 1
  if (frame.names === LISTED_NAMES) frame.set = new Set(starts.slice(0, LISTED_NAMES).map((at) => nameAt(text, at)))
  return true
}

/** The member name whose opening quote is at `start`, with its escapes resolved. */
function nameAt(text: string, start: number): string {
  const raw = text.slice(start + 1, stringEnd(text, start + 1))
  if (!raw.includes('\\')) return raw
  try {
    return String(JSON.parse(`"${raw}"`))
  } catch {
    return raw // JSON.parse will refuse the whole document for the same reason.
  }
}

function hashOf(name: string): number {
  let hash = 0
  for (let at = 0; at < name.length; at++) hash = (Math.imul(hash, 31) + name.charCodeAt(at)) & 0x3fffffff
  return hash
}

function isNumberCode(code: number): boolean {
  // Digits, '.', '+', '-', 'e', 'E'
  return (
    (code >= DIGIT_0 && code <= DIGIT_9) || code === DOT || code === MINUS || code === 0x2b || (code | 32) === LETTER_E
  )
}

/** JSON.parse would make Infinity of it, and JSON.stringify null of that. */
function isInfinite(number: string): boolean {
  return Math.abs(Number(number)) === Number.POSITIVE_INFINITY
}

function tooManyMembers(limits: JsonLimits): JsonFault {
  return fault('too-many-members', `The document has more than ${limits.jsonMembers} members and elements.`)
}

/** V8 quotes the document in its messages; only the position is passed on, since the document may hold secrets. */
function syntaxMessage(error: unknown): string {
  const place = error instanceof Error ? /at position (\d+)/.exec(error.message) : null
  return place === null ? 'The text is not valid JSON.' : `The text is not valid JSON at position ${place[1]}.`
}

function fault(problem: JsonProblem, message: string): JsonFault {
  return { ok: false, problem, message }
}
