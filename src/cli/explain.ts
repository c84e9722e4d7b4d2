// `parley explain <id>`: what a check or requirement asks for, why, how it is tested, and what usually goes wrong.

import { Command, Option } from 'commander'
import { allChecks } from '../judge/checks/all.ts'
import { AREA_TEXTS } from '../judge/checks/area-texts.ts'
import type { PlacedCheck } from '../judge/checks/check.ts'
import type { PairCheck } from '../judge/pair/pair-check.ts'
import { PAIR_CHECKS } from '../judge/pair/pair-checks.ts'
import {
  exclusions,
  GENERATIONS,
  type Requirement,
  registerOf,
  type SpecConflictRow,
  specConflicts,
} from '../judge/register.ts'
import { AREAS } from '../judge/runner/areas.ts'
import { groundsOf } from '../judge/runner/grounds.ts'
import { rowsFor } from '../judge/runner/plan.ts'
import { answersTo, unknownSelection, vocabularyOf } from '../judge/runner/vocabulary.ts'
import { shellWord } from '../trace/shell-word.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { explainClaim, explainClientArea, gradeWords } from './explain-claim.ts'
import { counted } from './flag-values.ts'
import { ownCommand } from './invocation.ts'

export function explainCommand(io: CliIo = processIo): Command {
  const command = new Command('explain')
    .summary('tell what a check asks for and why')
    .description(
      'Explains a check, a claim about clients or a requirement: the clause, why it matters, how it is tested, common causes.',
    )
    .argument('[name]', 'a check, claim, scenario, area, category, requirement or section, as reports name it')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText(
      'before',
      'Examples:\n  parley explain get-task-unknown    a check\n  parley explain cancel              an area: its checks\n  parley explain client-sse-cr       a claim about clients\n  parley explain 3.1.4               a section of the specification\n  parley explain                     the areas and categories there are\n',
    )
    .action((name: string | undefined) => {
      const { output } = command.opts<{ output: 'text' | 'json' }>()
      io.out(name === undefined ? overview(output) : explain(name, output))
    })
  return command
}

interface Clause {
  version: string
  row: Requirement
}

function explain(wanted: string, output: 'text' | 'json'): string {
  const [id = ''] = wanted.split('@')
  const checks = allChecks()
  const pair = PAIR_CHECKS.find((check) => check.id === id)
  if (pair !== undefined) return explainPair(pair, output)
  const found = checks.filter((check) => check.id === id)
  const claim = explainClaim(wanted, output)
  if (claim !== undefined && found.length === 0) return claim
  const proving = found.length > 0 ? found : checks.filter((check) => check.meta.proves.includes(id))
  const clauses = found.length > 0 ? found.flatMap(clausesOf) : clausesNamed(id)
  if (proving.length === 0 && clauses.length === 0) return explainGroup(wanted, checks, output)
  if (output === 'json') return `${JSON.stringify({ id, checks: proving.map(describe), clauses }, null, 2)}\n`
  const lines = proving.flatMap(linesOf)
  for (const { version, row } of clauses) {
    lines.push(`A2A ${version} §${row.section} (${row.level}) ${row.id}`)
    lines.push(`  ${row.statement}`, `  How it is tested: ${row.probe}`)
    if (row.note !== undefined) lines.push(`  Note: ${row.note}`)
    lines.push('')
  }
  const excluded = exclusions().get(id)
  if (excluded !== undefined) lines.push(`No check proves this: ${excluded}`, '')
  // A scenario for clients may have the name of a check.
  if (claim !== undefined) lines.push(claim)
  return lines.join('\n')
}

/** An area, a category or a section: what is checked there. */
function explainGroup(wanted: string, checks: readonly PlacedCheck[], output: 'text' | 'json'): string {
  const found = checks.filter((check) => answersTo(check, wanted))
  const ofClients = found.length > 0 ? undefined : explainClientArea(wanted, output)
  if (ofClients !== undefined) return ofClients
  if (found.length === 0) throw unknownSelection(wanted, checks, gradeWords())
  if (output === 'json') return `${JSON.stringify({ id: wanted, checks: found.map(describe), clauses: [] }, null, 2)}\n`
  const width = Math.max(...found.map(({ id }) => id.length))
  return [
    `${wanted}: ${counted(found.length, 'check')}`,
    ...found.map(({ id, title }) => `  ${id.padEnd(width)}  ${title}`),
    '',
    `Run only these: ${ownCommand()} test <agent> --only ${shellWord(wanted)}`,
    `One of them: ${ownCommand()} explain ${found[0]?.id ?? ''}`,
    '',
  ].join('\n')
}

function overview(output: 'text' | 'json'): string {
  const { areas, categories } = vocabularyOf(allChecks())
  const finer = areas.filter((area) => !AREAS.includes(area))
  if (output === 'json') return `${JSON.stringify({ areas: AREAS, finerAreas: finer, categories }, null, 2)}\n`
  return [
    `Areas:       ${AREAS.join(', ')}`,
    `Finer areas: ${finer.join(', ')}`,
    `Categories:  ${categories.join(', ')}`,
    '',
    'Sections are numbers of the specification, such as 3.1.4. Every check: parley test --list',
    'All of these work with parley explain, and with --only and --skip of parley test.',
    '',
  ].join('\n')
}

function linesOf(check: PlacedCheck): string[] {
  const { why, causes } = textsOf(check)
  return [
    `${check.id}: ${check.title}`,
    `  Why it matters: ${why}`,
    `  How to fix it: ${check.meta.fix}`,
    ...causes.map(
      (cause) => `  ${check.meta.causes === undefined ? 'Common cause in this area' : 'Common cause'}: ${cause}`,
    ),
    ...(check.meta.needs ?? []).filter((need) => !need.startsWith('check:')).map((need) => `  Needs: ${need}`),
    ...conflictsOf(check).map(
      ({ place, conflict, judged }) =>
        `  The specification is unclear here (docs/spec-conflicts.md, place ${place}): ${conflict.trim()} How it is judged: ${judged.trim()}`,
    ),
    ...groundsOf(check).map((id) => `  Depends on: ${id} (not measured when that check fails)`),
    ...(check.meta.yieldsTo ?? []).map((id) => `  Reported under: ${id}, when both fail`),
    ...(check.meta.groundOf === undefined
      ? []
      : [`  Prerequisite of: every check that uses ${check.meta.groundOf} (not measured when this check fails)`]),
    `  Run only this: ${ownCommand()} test <agent> --only ${check.id}`,
    '',
  ]
}

/** Where the specification contradicts itself about what the check asks. */
function conflictsOf({ id }: PlacedCheck): SpecConflictRow[] {
  return [...specConflicts().values()].filter(({ checks }) => checks.includes(id))
}

/** The check's own words, else those of its area. */
function textsOf({ meta, area }: PlacedCheck): { why: string; causes: readonly string[] } {
  const { why = '', causes = [] } = AREA_TEXTS[area] ?? {}
  return { why: meta.why ?? why, causes: meta.causes ?? causes }
}

function explainPair(check: PairCheck, output: 'text' | 'json'): string {
  const { body: _, ...described } = check
  if (output === 'json') return `${JSON.stringify({ id: check.id, checks: [described], clauses: [] }, null, 2)}\n`
  return [
    `${check.id}: ${check.title}`,
    `  Why it matters: ${check.why}`,
    `  How to fix it: ${check.fix}`,
    ...check.causes.map((cause) => `  Common cause: ${cause}`),
    '  Needs: a second agent',
    `  Run only this: ${ownCommand()} test <agent> --second <agent> --only ${check.id}`,
    '',
    `A2A 1.0 §${check.sections.join(', §')} (${check.level})`,
    `  ${check.statement}`,
    `  How it is tested: ${check.probe}`,
    '',
  ].join('\n')
}

function clausesOf(check: PlacedCheck): Clause[] {
  return GENERATIONS.flatMap((version) => rowsFor(check, version, undefined).map((row) => ({ version, row })))
}

function clausesNamed(id: string): Clause[] {
  return GENERATIONS.flatMap((version) => {
    const row = registerOf(version).rows.get(id)
    return row === undefined ? [] : [{ version, row }]
  })
}

function describe(check: PlacedCheck) {
  const { id, title, level, area, category, phase, meta } = check
  return { id, title, level, area, category, stage: phase, ...meta, ...textsOf(check), conflicts: conflictsOf(check) }
}
