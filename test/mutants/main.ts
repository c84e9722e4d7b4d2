// `npm run mutants`: every mutant against the checks of the areas it is about (--near; without it, against all checks,
// which takes much longer). Prints which checks noticed which mutants and the score; fails when a mutant survives or a check
// noticed none, or a mutant has more findings than it has faults. Names on the command line select mutants.

import { readFileSync, writeFileSync } from 'node:fs'
import { allChecks } from '../../src/judge/checks/all.ts'
import type { PlacedCheck } from '../../src/judge/checks/check.ts'
import { withGrounds } from '../../src/judge/runner/grounds.ts'
import { allMutants, areasOf } from './all-mutants.ts'
import { type BaseName, startBases } from './bases.ts'
import type { Mutant } from './mutant.ts'
import { PROOFS, type Proofs, proofsOf } from './proofs.ts'
import { inPool, judge, type Noticed, runMutant, type Verdicts } from './run-mutants.ts'
import { mostFindings } from './several-findings.ts'
import { prove } from './speakers.ts'

const AT_A_TIME = 3

const names = process.argv.slice(2)
const wanted = names.filter((name) => !name.startsWith('--'))
/** Only the checks of the areas a mutant is about. */
const isNear = names.includes('--near')
/** Keeps the smallest set of proofs for the test. */
const isRecorded = names.includes('--record')
const mutants = allMutants.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
const checks = allChecks()
const bases = await startBases()
const baselines = new Map<BaseName, Verdicts>()
for (const base of new Set(mutants.map(({ of }) => of))) baselines.set(base, await judge(bases.url, base, {}, checks))

const noticed = await inPool(mutants, AT_A_TIME, async (mutant) => {
  const outcome = await runMutant(bases.url, mutant, isNear ? nearby(mutant) : checks, baselineOf(mutant))
  process.stdout.write(`${line(outcome)}\n`)
  return outcome
})

const killers = new Map<string, string[]>(checks.map(({ id }) => [id, []]))
for (const { mutant, by } of noticed) for (const id of by) killers.get(id)?.push(mutant.name)
const survivors = noticed.filter(({ by }) => by.length === 0)
const idle = [...killers].filter(([, names]) => names.length === 0).map(([id]) => id)
const tooMany = noticed.filter(({ mutant: { name }, findings }) => findings.length > mostFindings(name))
const broken = noticed.flatMap(({ mutant, errors }) => errors.map((error) => `${mutant.name}: ${error}`))

if (isRecorded) {
  const held = await inPool(noticed, AT_A_TIME, async ({ mutant, by }): Promise<Noticed> => {
    // By themselves some of them see less of the agent, and do not notice it.
    const alone: { by: string[] } = by.length === 0 ? { by: [] } : await proof(mutant, by)
    return { mutant, by: by.filter((id) => alone.by.includes(id)), findings: [], errors: [] }
  })
  writeFileSync(PROOFS, `${JSON.stringify(merged(await confirmed(proofsOf(held), held)), null, 2)}\n`)
}
await bases.close()

process.stdout.write(`\nchecks and the mutants they noticed\n`)
for (const [id, names] of killers) process.stdout.write(`  ${id}: ${names.length} ${names.slice(0, 4).join(', ')}\n`)
process.stdout.write(`\n${mutants.length} mutants, ${mutants.length - survivors.length} noticed; `)
process.stdout.write(`${checks.length} checks, ${checks.length - idle.length} proved on a mutant\n`)
for (const [what, names] of [
  ['survived', survivors.map(({ mutant }) => `${mutant.name}: ${mutant.story}`)],
  ['told more than once', tooMany.map(({ mutant, findings }) => `${mutant.name}: ${findings.join(', ')}`)],
  ['checks without a mutant', wanted.length === 0 ? idle : []],
  ['harness errors', broken],
] as const) {
  if (names.length > 0) process.stdout.write(`\n${what}:\n${names.map((name) => `  ${name}\n`).join('')}`)
}
const isProved =
  survivors.length === 0 && tooMany.length === 0 && broken.length === 0 && (wanted.length > 0 || idle.length === 0)
process.exit(isProved ? 0 : 1)

/** The few checks of a proof may not be enough where all of them together were; then the next ones are tried. */
async function confirmed(found: Proofs, held: readonly Noticed[]): Promise<Proofs> {
  const proofs: Proofs = {}
  await inPool(held, AT_A_TIME, async ({ mutant, by }) => {
    const chosen = found[mutant.name] ?? []
    const { by: seen }: { by: string[] } = chosen.length === 0 ? { by: [] } : await proof(mutant, chosen)
    const kept = chosen.filter((id) => seen.includes(id))
    const others = by.filter((id) => !chosen.includes(id))
    for (const id of kept.length > 0 ? [] : others) {
      if ((await proof(mutant, [id])).by.includes(id)) kept.push(id)
      if (kept.length > 0) break
    }
    if (kept.length > 0) proofs[mutant.name] = kept
  })
  return proofs
}

function proof(mutant: Mutant, by: readonly string[]): Promise<Noticed> {
  return prove(bases.url, mutant, by, checks, baselineOf(mutant))
}

function baselineOf({ of }: Mutant): Verdicts {
  return baselines.get(of) ?? new Map()
}

/** A part of the mutants renews its part of the proofs; what no longer exists is dropped. */
function merged(found: Proofs): Proofs {
  const known = wanted.length === 0 ? {} : (JSON.parse(readFileSync(PROOFS, 'utf8')) as Proofs)
  const ids = new Set(checks.map(({ id }) => id))
  const entries = Object.entries({ ...known, ...found })
    .filter(([name]) => allMutants.some((mutant) => mutant.name === name))
    .map(([name, by]): [string, string[]] => [name, by.filter((id) => ids.has(id))])
  return Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b)))
}

function nearby(mutant: Mutant): PlacedCheck[] {
  const areas = areasOf(mutant)
  const near = checks.filter(({ area, meta }) => areas.includes(area) || meta.groundOf !== undefined)
  return withGrounds(near, checks)
}

function line({ mutant: { name }, by, findings }: Noticed): string {
  const found = findings.length > mostFindings(name) ? `${findings.length} FINDINGS` : `${findings.length} findings`
  const what = by.length === 0 ? 'SURVIVED' : 'noticed '
  return `${what} ${name.padEnd(32)} ${found.padEnd(11)} ${by.length} checks ${by.slice(0, 6).join(', ')}`
}
