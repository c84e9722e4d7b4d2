// The suggestion behind every "did you mean": the closest known word, when it is close enough to be a typo.

const MIN_BEGINNING = 4

export function closest(word: string, known: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3))
  let best: string | undefined
  let bestDistance = limit + 1
  const all = [...known]
  for (const candidate of all) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance)
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best ?? all.find((candidate) => isBeginning(word, candidate) || isBeginning(candidate, word))
}

/** `alias` for `aliases`: half the word and more, so that it is no chance. */
function isBeginning(short: string, long: string): boolean {
  return short.length >= MIN_BEGINNING && short.length * 2 > long.length && long.startsWith(short)
}

export function didYouMean(word: string, known: Iterable<string>): string {
  const suggestion = closest(word, known)
  return suggestion === undefined ? '' : `; did you mean '${suggestion}'?`
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours each count one. */
function editDistance(a: string, b: string, giveUpAt: number): number {
  if (Math.abs(a.length - b.length) >= giveUpAt) return giveUpAt
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let cost = Math.min(substitution, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (beforeLast[j - 2] ?? cost) + 1)
      row[j] = cost
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? giveUpAt
}
