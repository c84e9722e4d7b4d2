// The bindings that are served, in the order in which they are asked for a request and named in cards (there, those with a
// port of their own come last). A binding without a row does not compile. Apart from the registry of the calling halves, so that a server loads nothing of a client.

import type { BindingId, Dialect } from '../dialects/dialect.ts'
import type { Operation } from '../model/operation.ts'
import type { ServerRequest } from '../net/serve/request.ts'
import { grpcServing } from './grpc/server.ts'
import { jsonRpcServing } from './jsonrpc/server.ts'
import type { BindingMount } from './mount.ts'
import { restServing } from './rest/server.ts'
import type { AskedRequest, BodiesInJson, ServedBinding } from './served-binding.ts'

const SERVED: { readonly [Id in BindingId]: ServedBinding & { readonly id: Id } } = {
  // Its requests come over HTTP/2 alone, and what comes there is for no other binding.
  grpc: grpcServing,
  jsonrpc: jsonRpcServing,
  rest: restServing,
}

export const SERVED_BINDINGS: readonly ServedBinding[] = Object.values(SERVED)

/** The binding a request speaks; undefined when its place has none for it. */
export function bindingFor(request: ServerRequest, mount: BindingMount, path: string): ServedBinding | undefined {
  for (const binding of SERVED_BINDINGS) if (binding.accepts(request, mount, path)) return binding
  return undefined
}

/** What a request asks for, in whichever binding and generation; undefined for what none knows. */
export function operationAsked(dialects: readonly Dialect[], request: AskedRequest): Operation | undefined {
  for (const binding of SERVED_BINDINGS)
    for (const dialect of dialects) {
      const operation = binding.operationOf(dialect, request)
      if (operation !== undefined) return operation
    }
  return undefined
}

/** How the bodies of a request that takes trailers, and of its answer, are read. */
export function bodiesInJson({ takesTrailers }: ServerRequest): BodiesInJson | undefined {
  return takesTrailers === true ? SERVED.grpc.inJson : undefined
}
