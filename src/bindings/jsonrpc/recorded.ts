// JSON-RPC calls, read back from a recording.

import { isJsonObject } from '../../model/json.ts'
import { errorIn, type RecordedHalf } from '../recorded-call.ts'
import { operationOf } from './methods.ts'

export const recordedJsonRpc: RecordedHalf = {
  asked({ body }, select) {
    if (!isJsonObject(body) || typeof body.method !== 'string' || !('jsonrpc' in body)) return undefined
    const dialect = select({ method: body.method, hasV1Prefix: false })
    const op = dialect && operationOf(dialect, body.method)
    const codec = dialect?.codecs.jsonrpc
    if (dialect === undefined || op === undefined || codec === undefined) return undefined
    return { op, dialect, codec, wire: body.params }
  },
  unwrap(body, status) {
    const error = errorIn(body, status)
    if (error !== undefined) return { ok: false, error }
    if (isJsonObject(body) && 'result' in body) return { ok: true, payload: body.result }
    return { ok: false, error: { message: `HTTP ${status}`, ...(status === undefined ? {} : { status }) } }
  },
}
