// Control by directives: a user text may carry `[test_case_id=…]` and `[responses_json=…]`, the whole script of a test
// in base64. Every way it can be wrong is one sentence that names turn, event and field.

import type { JsonValue } from '../model/json.ts'
import { weightOf } from '../model/weight.ts'
import { AFTER_THE_END, type Turn, unsendableStep } from './script/script.ts'
import { decodeScriptedEvent, endsTask } from './script/scripted-event.ts'

export interface Directives {
  readonly testId: string | undefined
  /** As written: base64 or base64url, perhaps with whitespace. */
  readonly responses: string | undefined
}

export type FoundDirectives = { ok: true; directives: Directives } | { ok: false; message: string }
export type DecodedResponses =
  | { ok: true; turns: readonly Turn[] /** Equal for equal scripts, however they were encoded. */; fingerprint: string }
  | { ok: false; message: string }

const TEST_ID = /\[test_case_id=([^\][]*)\]/g
const RESPONSES = /\[responses_json=([^\][]*)\]/g

const NO_DIRECTIVES: FoundDirectives = { ok: true, directives: { testId: undefined, responses: undefined } }

export function findDirectives(text: string): FoundDirectives {
  if (!text.includes('[test_case_id=') && !text.includes('[responses_json=')) return NO_DIRECTIVES
  const ids = new Set(Array.from(text.matchAll(TEST_ID), ([, id = '']) => id.trim()))
  const [testId] = ids
  if (ids.size > 1) return bad(`the message names several test cases: ${[...ids].join(', ')}`)
  if (testId !== undefined && !/^[\w.-]+$/.test(testId))
    return bad(`[test_case_id=${testId}] may only contain letters, digits, '_', '.' and '-'`)
  const scripts = Array.from(text.matchAll(RESPONSES), ([, script = '']) => script)
  if (scripts.length > 1) return bad('the message carries [responses_json=…] more than once')
  const [responses] = scripts
  if (responses === undefined && text.includes('[responses_json='))
    return bad('[responses_json=… is not closed by a bracket')
  if (responses !== undefined && testId === undefined)
    return bad('[responses_json=…] needs a [test_case_id=…] beside it')
  return { ok: true, directives: { testId, responses } }
}

/** base64 text → JSON array of turns → steps. */
export function decodeResponses(encoded: string): DecodedResponses {
  const compact = encoded.replace(/\s+/g, '')
  if (compact === '') return bad('[responses_json=…] is empty')
  if (!/^[\w+/-]+={0,2}$/.test(compact) || compact.replace(/=+$/, '').length % 4 === 1)
    return bad('[responses_json=…] is not base64')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(compact, 'base64'))
  } catch {
    return bad('[responses_json=…] does not decode to UTF-8 text')
  }
  let json: JsonValue
  try {
    json = JSON.parse(text) as JsonValue
  } catch (error) {
    return bad(`[responses_json=…] does not decode to JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (Number.isNaN(weightOf(json))) return bad('[responses_json=…] holds a number larger than JSON readers can hold')
  return readTurns(json)
}

/** The same script given as JSON, as a fixture primes it. */
export function readTurns(json: JsonValue): DecodedResponses {
  if (!Array.isArray(json) || json.length === 0) return bad('the responses must be a JSON array with at least one turn')
  const turns: Turn[] = []
  for (const [turnIndex, turn] of json.entries()) {
    if (!Array.isArray(turn)) return bad(`turn ${turnIndex}: must be an array of events`)
    const steps: Turn[number][] = []
    for (const [eventIndex, json] of turn.entries()) {
      const decoded = decodeScriptedEvent(json)
      if (!decoded.ok) {
        const { field, message } = decoded.problem
        return bad(`turn ${turnIndex}, event ${eventIndex}: ${field === '' ? '' : `${field} `}${message}`)
      }
      const { event } = decoded
      steps.push({
        is: 'event',
        kind: event.kind,
        endsTask: endsTask(event),
        event: { hasTemplates: false, render: () => event },
        chunks: 1,
      })
    }
    const lost = unsendableStep(steps)
    if (lost >= 0) return bad(`turn ${turnIndex}, event ${lost}: ${AFTER_THE_END}`)
    turns.push(steps)
  }
  return { ok: true, turns, fingerprint: JSON.stringify(json) }
}

function bad(message: string): { ok: false; message: string } {
  return { ok: false, message }
}
