// A histogram in the text format of Prometheus: counts in fixed buckets, so that observing costs a short search and nothing is
// kept of what was observed.

export class Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0

  /** Upper bounds, rising. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Array<number>(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    const bounds = this.#bounds
    let at = 0
    while (at < bounds.length && value > (bounds[at] ?? 0)) at++
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sum += value
  }

  /** The lines of this histogram in its family; `labels` as they stand in the braces. */
  lines(name: string, labels: string): string {
    const before = labels === '' ? '' : `${labels},`
    const inBraces = labels === '' ? '' : `{${labels}}`
    let total = 0
    const buckets = this.#counts.map((count, at) => {
      total += count
      return `${name}_bucket{${before}le="${this.#bounds[at] ?? '+Inf'}"} ${total}\n`
    })
    return `${buckets.join('')}${name}_sum${inBraces} ${this.#sum}\n${name}_count${inBraces} ${total}\n`
  }
}

/** From a fast answer of one process to the longest that anybody waits for. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
/** How many: doubling. */
export const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
