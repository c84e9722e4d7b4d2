// Where the first value stands that was there before, in one pass: lists of an agent can be as long as it likes.

/** -1 when all are different; missing values repeat nothing. */
export function firstRepeated(values: readonly unknown[]): number {
  const seen = new Set<unknown>()
  return values.findIndex((value) => {
    if (value === undefined) return false
    const isKnown = seen.has(value)
    seen.add(value)
    return isKnown
  })
}
