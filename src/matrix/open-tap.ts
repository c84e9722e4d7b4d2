// What stands between the two of a cell: a tap for the card and the bindings of HTTP/1.1, and one more for gRPC, which has an
// address of its own.

import { BINDINGS, isHttp1 } from '../bindings/registry.ts'
import type { Surface } from '../grade/scenario.ts'
import type { JsonObject } from '../model/json.ts'
import type { Exchange } from '../trace/exchange.ts'
import { GrpcTap } from './grpc-tap.ts'
import { interfaceOf, interfacePath, narrowCard } from './narrow-card.ts'
import { WireTap } from './tap.ts'

export interface OpenTap {
  /** Where the client is pointed. */
  readonly url: string
  /** The path of the interface, without a slash at its end. */
  readonly root: string
  /** What passed, cards first. */
  readonly exchanges: readonly Exchange[]
  close(): Promise<void>
}

/** A text is why there can be none. */
export async function openTap(card: JsonObject, surface: Surface, server: string): Promise<OpenTap | string> {
  const { binding } = surface
  const address = !isHttp1(binding) ? await BINDINGS.grpc.settle(interfaceOf(card, surface)?.url ?? '') : undefined
  if (address?.startsWith('https:') === true) return 'the tap does not pass gRPC with TLS on'
  const grpc = address === undefined ? undefined : await GrpcTap.open(address)
  let root = ''
  const http = await WireTap.open(server, (served, at) => {
    const moved = (url: string) => grpc?.address ?? url.replace(new URL(server).origin, at)
    // A server may show each version a card of its own, in which the interface under test is missing.
    const narrowed = narrowCard(served, surface, moved) ?? narrowCard(card, surface, moved) ?? served
    root = grpc === undefined ? interfacePath(narrowed) : ''
    return narrowed
  })
  return {
    url: http.url,
    get root() {
      return root
    },
    get exchanges() {
      return [...http.exchanges, ...(grpc?.exchanges ?? [])]
    },
    async close() {
      await Promise.all([http.close(), grpc?.close()])
    },
  }
}
