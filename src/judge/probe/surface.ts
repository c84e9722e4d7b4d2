// One thing to judge: an interface of the agent, in one generation over one binding.

import type { BindingId, Dialect, DialectId } from '../../dialects/dialect.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Exchange } from '../../trace/exchange.ts'

export interface Surface {
  readonly generation: DialectId
  readonly binding: BindingId
  readonly url: string
  readonly tenant: string | undefined
  readonly dialect: Dialect
}

/** An interface as some card declares it. */
export interface DeclaredInterface {
  url: string
  /** Undefined for bindings the judge does not speak. */
  binding: BindingId | undefined
  /** As written in the card: JSONRPC, HTTP+JSON, GRPC, a URI. */
  bindingText: string
  generation: DialectId | undefined
  /** Other generations it may be, where the card does not say. */
  alternatives: readonly DialectId[]
  versionText: string
  tenant: string | undefined
  pointer: string
}

export interface BrokenInterface {
  declared: DeclaredInterface
  reason: string
  /** Absent when the words of the card alone are at fault. */
  exchange?: Exchange
}

/** What triage learned about the agent before the first check. */
export interface AgentFacts {
  /** What the user typed. */
  readonly target: string
  readonly cardUrl: string | undefined
  /** The card as parsed JSON; undefined when there was none to be read. */
  readonly card: JsonObject | undefined
  /** The exchange that brought the card. */
  readonly cardExchange: Exchange | undefined
  /** Where a card was looked for first, when none was found. */
  readonly cardMissing: Exchange | undefined
  /** Generations whose form the card takes; a blended card takes two. Without a card, those the agent speaks. */
  readonly cardForms: readonly DialectId[]
  /** What the card declares, usable or not, in its order. */
  readonly declared: readonly DeclaredInterface[]
  /** Declared interfaces that do not speak what they declare, with what they did. */
  readonly broken: readonly BrokenInterface[]
  /** Declared interfaces that need credentials which were not given: nothing is known about them. */
  readonly locked: readonly BrokenInterface[]
  readonly surfaces: readonly Surface[]
}

/** How a request identifies itself. `none` sends no credentials at all. */
export type Identity = 'first' | 'second' | 'none' | 'wrong'

/** `1.0/jsonrpc`, as it appears in keys and reports. */
export function surfaceName(surface: { generation: DialectId; binding: BindingId }): string {
  return `${surface.generation}/${surface.binding}`
}

/** Does the agent run on this machine, as far as its address tells? */
export function isLocal(surface: { url: string }): boolean {
  return /^(localhost|127\.|\[::1\])/.test(new URL(surface.url).hostname)
}
