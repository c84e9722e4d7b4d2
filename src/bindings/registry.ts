// The bindings there are. One row each: a binding without a row does not compile, and neither does one whose row is
// another binding's.

import { BINDING_IDS, type BindingId } from '../dialects/dialect.ts'
import type { Binding } from './binding.ts'
import { grpcBinding } from './grpc/binding.ts'
import { jsonRpcBinding } from './jsonrpc/binding.ts'
import { restBinding } from './rest/binding.ts'

export const BINDINGS: { readonly [Id in BindingId]: Binding & { readonly id: Id } } = {
  jsonrpc: jsonRpcBinding,
  rest: restBinding,
  grpc: grpcBinding,
}

/** The binding a card means, in any case of its letters; undefined for those that are not implemented. */
export function bindingNamed(name: string): BindingId | undefined {
  const wanted = name.toUpperCase()
  return BINDING_IDS.find((id) => BINDINGS[id].cardName === wanted || BINDINGS[id].alsoNamed.includes(wanted))
}

/** Does its answer come in an envelope of its own? */
export function isEnveloped(binding: BindingId | undefined): boolean {
  return binding !== undefined && BINDINGS[binding].probe.isEnveloped
}

/** Does it travel over HTTP/1.1, as text? */
export function isHttp1(binding: BindingId): boolean {
  return BINDINGS[binding].probe.isHttp1
}

/** Exactly as the specification spells it. */
export function bindingSpelled(name: string): BindingId | undefined {
  return BINDING_IDS.find((id) => BINDINGS[id].cardName === name)
}
