// What came before: a request about a task means nothing without the one that made the task, so the evidence of a
// finding begins with it.

import type { Exchange } from '../../trace/exchange.ts'

/** Ids shorter than this occur by chance. */
const SHORTEST_ID = 8
const MOST_STEPS = 2
const MOST_READ_BYTES = 64 * 1024

/** The exchanges of the check that made what the named ones speak of, and then the named ones. */
export function withSteps(named: readonly Exchange[], all: readonly Exchange[]): readonly Exchange[] {
  const [first] = named
  if (first === undefined) return named
  const before = all.slice(0, Math.max(0, all.indexOf(first)))
  const ids = idsIn(first)
  const steps = before.filter((step) => [...ids].some((id) => gives(step, id))).slice(0, MOST_STEPS)
  return [...steps, ...named]
}

/** It told us the id; it was not we who chose it. */
function gives({ request, response }: Exchange, id: string): boolean {
  return response !== undefined && textOf(response.body).includes(id) && !wordsOf(request).includes(id)
}

function idsIn({ request }: Exchange): Set<string> {
  const words = wordsOf(request).split(/[^\w-]+/)
  return new Set(words.filter((word) => word.length >= SHORTEST_ID && /\d/.test(word)))
}

function wordsOf({ url, body }: Exchange['request']): string {
  return `${URL.parse(url)?.pathname ?? ''} ${URL.parse(url)?.search ?? ''} ${textOf(body)}`
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body.subarray(0, MOST_READ_BYTES))
}
