// An entry of the journal as the control interface shows it: bodies that are JSON as JSON, everything else as text.

import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import type { JournalEntry } from './journal.ts'

const AS_THEY_ARE = [
  ...(['number', 'receivedAt', 'method', 'url', 'operation', 'rule', 'turn', 'taskId', 'contextId'] as const),
  ...(['fault', 'status', 'grpcStatus', 'outcome', 'durationMs'] as const),
]

export function entryJson(entry: JournalEntry): JsonObject {
  return {
    ...Object.fromEntries(AS_THEY_ARE.map((name) => [name, entry[name]])),
    unmatched: entry.unmatched as JsonObject | undefined,
    request: { headers: pairsJson(entry.requestHeaders), body: bodyJson(entry.requestJson, entry.requestBody) },
    response: {
      headers: pairsJson(entry.responseHeaders),
      ...(entry.frames.length > 0
        ? { frames: entry.frames.map((frame) => ({ ...frame })) }
        : { body: bodyJson(undefined, entry.responseBody) }),
      ...(entry.responseTrailers?.length ? { trailers: pairsJson(entry.responseTrailers) } : {}),
    },
  }
}

function pairsJson(pairs: readonly (readonly [string, string])[]): JsonValue {
  return pairs.map(([name, value]) => [name, value])
}

function bodyJson(parsed: JsonValue | undefined, bytes: Buffer): JsonValue {
  if (isJsonObject(parsed) || Array.isArray(parsed)) return parsed
  const text = bytes.toString('utf8')
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}
