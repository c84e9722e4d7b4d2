/** The median: a neighbour that disturbs some rounds does not decide. */
export function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
