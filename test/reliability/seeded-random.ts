// Moments that can be chosen again: PARLEY_SEED repeats a run.

export const seed = Number(process.env.PARLEY_SEED ?? Math.trunc(Math.random() * 2 ** 31))

/** Mulberry32: small, seeded, good enough to choose moments. */
export function seededRandom(from: number = seed): () => number {
  let state = from
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
