// Reads a JSON request body under the limits and turns every way it can be wrong into a protocol error.

import type { MaybePromise } from '../base/maybe-promise.ts'
import { A2AError } from '../model/errors.ts'
import type { JsonValue } from '../model/json.ts'
import { parseJson } from '../net/json.ts'
import type { Limits } from '../net/limits.ts'
import { parseMediaType } from '../net/media-type.ts'
import { readBody } from '../net/serve/read-body.ts'
import type { ServerRequest } from '../net/serve/request.ts'

const ACCEPTED = ['application/json', 'application/a2a+json']

/** Fails with an A2AError for a body that is not said to be JSON, with an HttpFault for one that cannot be read. */
export function readJsonText(request: ServerRequest, limits: Limits): MaybePromise<Buffer> {
  const header = request.headers['content-type']
  // The common spelling needs no parsing; everything else is decided by the parsed type, never by substrings.
  if (header !== 'application/json' && !ACCEPTED.includes(parseMediaType(header)?.essence ?? ''))
    throw new A2AError('ContentTypeNotSupported', `Content-Type must be ${ACCEPTED.join(' or ')}.`, { httpStatus: 415 })
  return readBody(request, limits.bodyBytes, limits.receivingBytes)
}

export function parseJsonText(text: Buffer, limits: Limits): JsonValue {
  const parsed = parseJson(text, limits)
  if (parsed.ok) return parsed.value
  if (parsed.problem === 'syntax' || parsed.problem === 'number-too-large')
    throw new A2AError('ParseError', `Invalid JSON payload: ${parsed.message}`)
  // Well-formed, but nothing an honest client sends: depth bombs, duplicate keys, prototype games (400).
  throw new A2AError(parsed.problem === 'encoding' ? 'ParseError' : 'InvalidRequest', parsed.message, {
    httpStatus: 400,
  })
}
