// Which check is proved on which mutant: the smallest selection that names every mutant and every check, kept in
// proofs.json by `npm run mutants -- --record`, so that the test need not try everything against everything.

import type { Noticed } from './run-mutants.ts'

export const PROOFS = new URL('proofs.json', import.meta.url)

/** Checks by the name of the mutant they notice. */
export type Proofs = { [mutant: string]: string[] }

/** Every check on the mutant that the fewest others notice, and every mutant by the check that notices the fewest. */
export function proofsOf(noticed: readonly Noticed[]): Proofs {
  const mutantsOf = new Map<string, Noticed[]>()
  for (const item of noticed) for (const id of item.by) mutantsOf.set(id, [...(mutantsOf.get(id) ?? []), item])
  const proofs: Proofs = {}
  const add = (mutant: string, id: string) => {
    proofs[mutant] = [...new Set([...(proofs[mutant] ?? []), id])].sort()
  }
  for (const [id, items] of mutantsOf) {
    const [best] = items.toSorted((a, b) => a.by.length - b.by.length)
    if (best !== undefined) add(best.mutant.name, id)
  }
  for (const { mutant, by } of noticed) {
    const [best] = by.toSorted((a, b) => (mutantsOf.get(a)?.length ?? 0) - (mutantsOf.get(b)?.length ?? 0))
    if (best !== undefined && proofs[mutant.name] === undefined) add(mutant.name, best)
  }
  return Object.fromEntries(Object.entries(proofs).sort(([a], [b]) => a.localeCompare(b)))
}
