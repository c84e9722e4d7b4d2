// A request in the words of a finding: which operation, with what, and what was unusual about it.

import { BINDINGS } from '../../bindings/registry.ts'
import type { Operation } from '../../model/operation.ts'
import { parsed } from './answer.ts'
import type { CallOptions } from './call-options.ts'
import type { OutgoingRequest } from './outgoing.ts'
import type { Surface } from './surface.ts'

const MAX_SHOWN = 160

const IDENTITIES = {
  first: '',
  second: ' as the second user',
  none: ' without credentials',
  wrong: ' with wrong credentials',
} as const

/** `GetTask {"id":"x"} with A2A-Version: 99.0`, or `POST /message:send {…} without credentials`. */
export function aboutRequest(
  surface: Surface,
  op: Operation | undefined,
  { method, url, body, grpcMessage }: OutgoingRequest,
  { headers = {}, identity = 'first' }: Pick<CallOptions, 'headers' | 'identity'>,
): string {
  const text = grpcMessage ?? (body === undefined ? '' : new TextDecoder().decode(body.subarray(0, MAX_SHOWN * 8)))
  const { name, shown } = BINDINGS[surface.binding].probe.describe(surface, op, {
    ...{ method, url, text },
    json: parsed(text),
  })
  return `${name}${shown === '' ? '' : ` ${clipped(shown)}`}${unusual(headers)}${IDENTITIES[identity]}`
}

function unusual(headers: Readonly<Record<string, string | undefined>>): string {
  const words = Object.entries(headers).map(([name, value]) => {
    if (value === undefined) return `without ${name}`
    return /^(authorization|cookie|x-api-key)$/i.test(name) ? `with another ${name}` : `with ${name}: ${value}`
  })
  return words.length === 0 ? '' : ` ${words.join(', ')}`
}

function clipped(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
