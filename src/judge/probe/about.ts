// A request in the words of a finding: which operation, with what, and what was unusual about it.

import { isJsonObject, type JsonValue } from '../../model/json.ts'
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
  { method, url, body }: OutgoingRequest,
  { headers = {}, identity = 'first' }: Pick<CallOptions, 'headers' | 'identity'>,
): string {
  const text = body === undefined ? '' : new TextDecoder().decode(body.subarray(0, MAX_SHOWN * 8))
  const name = surface.binding === 'jsonrpc' ? jsonRpcName(surface, op, text) : `${method} ${pathBelow(surface, url)}`
  const shown = surface.binding === 'jsonrpc' ? (params(text) ?? text) : text
  return `${name}${shown === '' ? '' : ` ${clipped(shown)}`}${unusual(headers)}${IDENTITIES[identity]}`
}

function jsonRpcName(surface: Surface, op: Operation | undefined, text: string): string {
  if (op !== undefined) return surface.dialect.methods[op] ?? op
  const method = member(text, 'method')
  return typeof method === 'string' ? method : 'a body'
}

function params(text: string): string | undefined {
  const found = member(text, 'params')
  return member(text, 'method') === undefined
    ? undefined
    : found === undefined
      ? 'without params'
      : JSON.stringify(found)
}

function member(text: string, name: string): JsonValue | undefined {
  const value = parsed(text)
  return isJsonObject(value) ? value[name] : undefined
}

function pathBelow(surface: Surface, url: string): string {
  const root = new URL(surface.url).pathname.replace(/\/$/, '')
  const { pathname, search } = new URL(url)
  return `${pathname.startsWith(root) ? pathname.slice(root.length) : pathname}${search}`
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
