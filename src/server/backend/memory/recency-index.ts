// A list kept sorted by position, in blocks, so that inserting, removing and paging cost the same with a thousand
// and with a million entries. Whoever changes an entry's position removes it first and inserts it again afterwards.

import type { Position } from '../../store/page-token.ts'

const BLOCK = 256

export class RecencyIndex<E extends Position> {
  /** Oldest first, each block sorted; none is empty but an only one. New entries nearly always land at the very end. */
  readonly #blocks: E[][] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  insert(entry: E): void {
    this.#size++
    const at = this.#blockOf(entry)
    const block = this.#blocks[at]
    if (block === undefined) {
      this.#blocks.push([entry])
      return
    }
    const newest = block.at(-1)
    const index = newest === undefined || compare(newest, entry) < 0 ? block.length : lowerBound(block, entry)
    if (block.length < BLOCK) insertAt(block, index, entry)
    else if (at === this.#blocks.length - 1 && index === BLOCK) this.#blocks.push([entry])
    else {
      const upper = block.splice(BLOCK / 2)
      if (index <= BLOCK / 2) insertAt(block, index, entry)
      else insertAt(upper, index - BLOCK / 2, entry)
      this.#blocks.splice(at + 1, 0, upper)
    }
  }

  remove(entry: E): void {
    const at = this.#blockOf(entry)
    const block = this.#blocks[at]
    const index = block === undefined ? -1 : lowerBound(block, entry)
    if (block?.[index] !== entry) return
    this.#size--
    if (block.length === 1 && this.#blocks.length > 1) this.#blocks.splice(at, 1)
    else if (index === block.length - 1) block.pop()
    else block.splice(index, 1)
  }

  /** The newest entries, below `before` if given, not older than `sinceMs`. */
  newest(limit: number, before?: Position, sinceMs = Number.NEGATIVE_INFINITY): E[] {
    const page: E[] = []
    let at = before === undefined ? this.#blocks.length - 1 : this.#blockOf(before)
    let block = this.#blocks[at]
    let index = block === undefined || before === undefined ? (block?.length ?? 0) : lowerBound(block, before)
    while (block !== undefined && page.length < limit) {
      const entry = block[--index]
      if (entry === undefined) {
        block = this.#blocks[--at]
        index = block?.length ?? 0
      } else if (entry.statusMs < sinceMs) break
      else page.push(entry)
    }
    return page
  }

  countSince(sinceMs: number): number {
    const bound = { statusMs: sinceMs, order: Number.NEGATIVE_INFINITY }
    const at = this.#blockOf(bound)
    const block = this.#blocks[at]
    if (block === undefined) return 0
    let count = block.length - lowerBound(block, bound)
    for (let next = at + 1; next < this.#blocks.length; next++) count += this.#blocks[next]?.length ?? 0
    return count
  }

  /** The block a position belongs to: the last one that starts at or before it, else the first. */
  #blockOf(position: Position): number {
    let low = 0
    let high = this.#blocks.length - 1
    const newest = this.#blocks[high]?.[0]
    if (newest !== undefined && compare(newest, position) <= 0) return high
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      const first = this.#blocks[middle]?.[0]
      if (first !== undefined && compare(first, position) <= 0) low = middle
      else high = middle - 1
    }
    return low
  }
}

function insertAt<E>(block: E[], index: number, entry: E): void {
  if (index === block.length) block.push(entry)
  else block.splice(index, 0, entry)
}

/** The first index whose entry is not below `position`. */
function lowerBound(block: readonly Position[], position: Position): number {
  let low = 0
  let high = block.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const entry = block[middle]
    if (entry !== undefined && compare(entry, position) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function compare(a: Position, b: Position): number {
  return a.statusMs - b.statusMs || a.order - b.order
}
