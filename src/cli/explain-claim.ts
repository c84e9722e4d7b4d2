// `parley explain` for what `parley grade` claims about clients: a claim, a scenario, an area of scenarios, or a row of the
// register about clients.

import { NOT_GRADED } from '../grade/not-graded.ts'
import { AREAS, type Claim, CURRENT, JSONRPC_1, type Scenario, surfaceKey } from '../grade/scenario.ts'
import { SCENARIOS } from '../grade/scenarios/all.ts'
import { registerOf } from '../judge/register.ts'
import { counted } from './flag-values.ts'
import { ownCommand } from './invocation.ts'

interface Placed {
  readonly scenario: Scenario
  readonly claim: Claim
}

const placed = (): Placed[] => SCENARIOS.flatMap((scenario) => scenario.claims.map((claim) => ({ scenario, claim })))

/** Every word that `--only` and `--skip` of `parley grade` take. */
export function gradeWords(): string[] {
  return [...AREAS, ...SCENARIOS.flatMap(({ id, claims }) => [id, ...claims.map((claim) => claim.id)])]
}

/** Undefined for what is not about clients. */
export function explainClaim(wanted: string, output: 'text' | 'json'): string | undefined {
  const [id = ''] = wanted.split('@')
  const named = placed().filter(({ claim, scenario }) => claim.id === id || scenario.id === id)
  const found = named.length > 0 ? named : placed().filter(({ claim }) => claim.proves.includes(id) && isClientRow(id))
  if (found.length > 0) return output === 'json' ? jsonOf(id, found) : found.flatMap(linesOf).join('\n')
  const why = NOT_GRADED[id]
  if (why === undefined) return undefined
  if (output === 'json') return `${JSON.stringify({ id, claims: [], notGraded: why }, null, 2)}\n`
  return [...clauseLines([id]), `No scenario of parley grade proves this: ${why}.`, ''].join('\n')
}

/** An area of scenarios, for what is no area of checks. */
export function explainClientArea(wanted: string, output: 'text' | 'json'): string | undefined {
  const found = placed().filter(({ scenario }) => scenario.area === wanted)
  if (found.length === 0) return undefined
  if (output === 'json') return jsonOf(wanted, found)
  const width = Math.max(...found.map(({ claim }) => claim.id.length))
  return [
    `${wanted}: ${counted(found.length, 'claim')} about clients`,
    ...found.map(({ claim }) => `  ${claim.id.padEnd(width)}  ${claim.title}`),
    '',
    `Run only these: ${ownCommand()} grade --only ${wanted} -- <your client>`,
    '',
  ].join('\n')
}

function isClientRow(id: string): boolean {
  return registerOf(CURRENT).rows.get(id)?.side === 'client'
}

function linesOf({ scenario, claim }: Placed): string[] {
  const { cites = [] } = claim
  return [
    `${claim.id}: a client ${claim.title}`,
    `  Scenario: ${scenario.id}. ${scenario.about}`,
    `  Played on: ${(scenario.on ?? JSONRPC_1).map(surfaceKey).join(', ')}`,
    `  How to fix it: ${claim.fix}`,
    ...(cites.length === 0 ? [] : [`  Met before: ${cites.join(', ')}`]),
    `  Run only this: ${ownCommand()} grade --only ${claim.id} -- <your client>`,
    `  Serve it and debug: ${ownCommand()} grade --serve ${scenario.id}`,
    '',
    ...clauseLines(claim.proves),
  ]
}

function clauseLines(ids: readonly string[]): string[] {
  return ids.flatMap((id) => {
    const row = registerOf(CURRENT).rows.get(id)
    if (row === undefined) return []
    return [`A2A ${CURRENT} §${row.section} (${row.level}) ${row.id}`, `  ${row.statement}`, '']
  })
}

function jsonOf(id: string, found: readonly Placed[]): string {
  const claims = found.map(({ scenario: { id: scenario, area, about, on = JSONRPC_1 }, claim }) => ({
    ...{ id: claim.id, title: claim.title, scenario, area, about, on: on.map(surfaceKey) },
    ...{ fix: claim.fix, proves: claim.proves, cites: claim.cites ?? [] },
  }))
  const rows = [...new Set(found.flatMap(({ claim }) => claim.proves))]
  const clauses = rows.flatMap((row) => registerOf(CURRENT).rows.get(row) ?? [])
  return `${JSON.stringify({ id, claims, clauses: clauses.map((row) => ({ version: CURRENT, row })) }, null, 2)}\n`
}
