// Reads a JSON request body under the limits and turns every way it can be wrong into a protocol error.

import type { IncomingMessage } from 'node:http'
import { A2AError } from '../model/errors.ts'
import type { JsonValue } from '../model/json.ts'
import { readBody } from '../net/body.ts'
import { HttpFault } from '../net/http-fault.ts'
import { parseJson } from '../net/json.ts'
import type { Limits } from '../net/limits.ts'
import { parseMediaType } from '../net/media-type.ts'

export async function readJson(req: IncomingMessage, limits: Limits, accepted: readonly string[]): Promise<JsonValue> {
  const header = req.headers['content-type']
  // The common spelling needs no parsing; everything else is decided by the parsed type, never by substrings.
  if (header !== 'application/json' && !accepted.includes(parseMediaType(header)?.essence ?? ''))
    throw new A2AError('ContentTypeNotSupported', `Content-Type must be ${accepted.join(' or ')}.`, { httpStatus: 415 })
  let bytes: Buffer
  try {
    bytes = await readBody(req, limits.bodyBytes, limits.receivingBytes)
  } catch (error) {
    if (!(error instanceof HttpFault)) throw error
    throw new A2AError('InvalidRequest', error.message, { httpStatus: error.status })
  }
  const parsed = parseJson(bytes, limits)
  if (parsed.ok) return parsed.value
  if (parsed.problem === 'syntax' || parsed.problem === 'number-too-large')
    throw new A2AError('ParseError', `Invalid JSON payload: ${parsed.message}`)
  // Well-formed, but nothing an honest client sends: depth bombs, duplicate keys, prototype games (400).
  throw new A2AError(parsed.problem === 'encoding' ? 'ParseError' : 'InvalidRequest', parsed.message, {
    httpStatus: 400,
  })
}
