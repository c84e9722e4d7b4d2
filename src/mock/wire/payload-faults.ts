// The faults that change what an answer says: one function per fault, from payload to payload.

import { isJsonObject, type JsonValue } from '../../model/json.ts'
import type { FaultAction, FaultName } from '../faults/catalogue.ts'
import {
  isTerminalPayload,
  parsePayload,
  withBadBase64,
  withContextId,
  withLies,
  withState,
  withTaskId,
  withUnknownPart,
} from './payload.ts'

type PayloadFault = (json: JsonValue, action: FaultAction) => JsonValue

const PAYLOAD_FAULTS: { readonly [name in FaultName]?: PayloadFault } = {
  'jsonrpc-wrong-id': (json) => (isEnvelope(json) ? { ...json, id: `not-${JSON.stringify(json.id)}` } : json),
  'jsonrpc-result-and-error': (json) =>
    isEnvelope(json) ? { result: {}, ...json, error: { code: -32603, message: 'Both a result and an error.' } } : json,
  'wrong-task-id': (json) => withTaskId(json, 'another-task'),
  'wrong-context-id': (json) => withContextId(json, 'another-context'),
  'illegal-transition': (json) => (isTerminalPayload(json) ? withState(json, 'working') : json),
  'unknown-state': (json, action) =>
    withState(json, (action.name === 'unknown-state' ? action.with.state : undefined) ?? 'dreaming'),
  'unknown-part': (json) => withUnknownPart(json),
  'bad-base64': (json) => withBadBase64(json),
  'lying-card': (json) => withLies(json),
}

/** The body of an answer as the fault leaves it; what is not JSON stays as it is. */
export function applyPayloadFault(action: FaultAction, text: string): string {
  if (action.name === 'jsonrpc-invalid-json') return half(text)
  const change = PAYLOAD_FAULTS[action.name]
  const json = change === undefined ? undefined : parsePayload(text)
  return change === undefined || json === undefined ? text : JSON.stringify(change(json, action))
}

export function half(text: string): string {
  return text.slice(0, Math.max(1, Math.floor(text.length / 2)))
}

function isEnvelope(json: JsonValue): json is { [member: string]: JsonValue | undefined } {
  return isJsonObject(json) && typeof json.jsonrpc === 'string'
}
