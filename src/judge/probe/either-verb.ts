// SubscribeToTask over REST: the tables of the specification say POST (1.0 §5.3 and §11.3.2, 0.3 §3.5.6), its a2a.proto
// says GET in both generations. A server that offers one of them is right by one document, so whoever finds no POST
// tries GET before concluding anything.

import type { Exchange } from '../../trace/exchange.ts'
import type { OutgoingRequest } from './outgoing.ts'
import type { FrameSource } from './raw-stream.ts'
import type { Wire, WireOptions } from './wire.ts'

export const GET_ONLY = 'subscribing works with GET only'

/** No server behind this route, as opposed to an error of A2A. */
export function isNoRoute(status: number | undefined, isA2aError: boolean): boolean {
  return status === 405 || status === 501 || (status === 404 && !isA2aError)
}

/** Opens the stream, the other way where the first is not there; `before` is what was tried in vain. */
export async function openEitherWay(
  wire: Wire,
  request: OutgoingRequest,
  alternative: OutgoingRequest | undefined,
  options: WireOptions,
): Promise<{ opened: FrameSource | { exchange: Exchange }; before: Exchange[] }> {
  const opened = await wire.open(request, options)
  if (alternative === undefined || !hasNoRoute(opened.exchange)) return { opened, before: [] }
  const second = await wire.open(alternative, options)
  return hasNoRoute(second.exchange) ? { opened, before: [] } : { opened: second, before: [opened.exchange] }
}

function hasNoRoute(exchange: Exchange): boolean {
  return isNoRoute(exchange.response?.status, looksLikeError(exchange))
}

/** Any JSON object that speaks of an error: servers without the route answer with text or with nothing. */
function looksLikeError({ response }: Exchange): boolean {
  return /"(error|code)"\s*:/.test(new TextDecoder().decode(response?.body ?? new Uint8Array()))
}
