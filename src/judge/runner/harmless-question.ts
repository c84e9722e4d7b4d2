// Questions that change nothing and that every agent has an answer to: for a task that does not exist, and a message with
// nothing in it. Whoever breaks down over one may still answer the other.

import { defined } from '../../base/defined.ts'
import { BINDINGS } from '../../bindings/registry.ts'
import type { OutgoingRequest } from '../probe/outgoing.ts'
import type { Surface } from '../probe/surface.ts'

/** `version`: instead of the one of the generation. */
export function harmlessQuestion(
  surface: Surface,
  credentials: readonly (readonly [string, string])[],
  version = surface.dialect.versionHeader,
): OutgoingRequest {
  const { dialect, binding, tenant } = surface
  const request = { id: crypto.randomUUID(), ...defined({ tenant }) }
  const params = dialect.codecs[binding]?.encodeRequest('getTask', request).wire ?? null
  const outgoing = BINDINGS[binding].probe.encode(surface, 'getTask', params, 1)
  if (version !== undefined) outgoing.headers.push(['A2A-Version', version])
  for (const [name, value] of credentials) outgoing.headers.push([name, value])
  return outgoing
}

/** A message without anything in it: nothing is sent, and every agent has something to say about it. */
export function emptyMessage(surface: Surface, { headers }: Pick<OutgoingRequest, 'headers'>): OutgoingRequest {
  const encoded = BINDINGS[surface.binding].probe.encode(surface, 'sendMessage', {}, 2)
  const own = new Set(encoded.headers.map(([name]) => name))
  return { ...encoded, headers: [...encoded.headers, ...headers.filter(([name]) => !own.has(name))], isEmpty: true }
}
