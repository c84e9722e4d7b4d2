// What is lost between two generations, told as it happens. Costs nothing where caller and agent speak the same.

import type { Call, EventFeed, LoggedEvent } from '../bindings/service.ts'
import type { Codec, Loss } from '../dialects/dialect.ts'
import { dialectById } from '../dialects/index.ts'
import { isStreamed, type StreamEvent } from '../model/event.ts'
import type { Operation } from '../model/operation.ts'
import type { ProxyDeps, TranslationLoss } from './proxy-deps.ts'

export class TranslationLosses {
  readonly #deps: Pick<ProxyDeps, 'downstream' | 'onLoss'>

  constructor(deps: Pick<ProxyDeps, 'downstream' | 'onLoss'>) {
    this.#deps = deps
  }

  async tell(
    direction: TranslationLoss['direction'],
    operation: Operation,
    call: Call,
    lossesIn: (codec: Codec) => readonly Loss[],
  ): Promise<void> {
    const { onLoss, downstream } = this.#deps
    if (onLoss === undefined) return
    const ours = call.dialect.id
    const theirs = await downstream.generationFor(ours)
    if (theirs === ours) return
    const [from, to] = direction === 'to-agent' ? [ours, theirs] : [theirs, ours]
    const codec = dialectById(to).codecs.jsonrpc
    const losses = codec === undefined ? [] : lossesIn(codec)
    if (losses.length > 0) onLoss({ direction, operation, from, to, losses })
  }

  watch(feed: EventFeed, call: Call): EventFeed {
    if (this.#deps.onLoss === undefined) return feed
    const tell = (event: StreamEvent) =>
      this.tell('to-caller', 'streamMessage', call, (codec) => codec.encodeEvent(event).lost)
    if (feed.opening !== undefined) void tell(feed.opening)
    const next = async (): Promise<readonly LoggedEvent[] | undefined> => {
      const events = await feed.next()
      for (const { event } of events ?? []) if (isStreamed(event)) await tell(event)
      return events
    }
    return { opening: feed.opening, openingSeq: feed.openingSeq, next, close: () => feed.close() }
  }
}
