// `parley explain <id>`: what a check or requirement asks for, why, how it is tested, and what usually goes wrong.

import { Command, Option } from 'commander'
import { allChecks } from '../judge/checks/all.ts'
import type { PlacedCheck } from '../judge/checks/check.ts'
import { exclusions, GENERATIONS, type Requirement, registerOf } from '../judge/register.ts'
import { rowsFor, unknownSelection } from '../judge/runner/plan.ts'
import { type CliIo, processIo } from './cli-io.ts'

export function explainCommand(io: CliIo = processIo): Command {
  const command = new Command('explain')
    .summary('tell what a check asks for and why')
    .description('Explains a check or a requirement: the clause, why it matters, how it is tested, common causes.')
    .argument('<id>', 'a check or requirement, as reports name it')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'json']).default('text'))
    .addHelpText('after', '\nExamples:\n  parley explain get-task-unknown\n  parley explain list-total-size')
    .action((id: string) => {
      const { output } = command.opts<{ output: 'text' | 'json' }>()
      io.out(explain(id, output))
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
  const found = checks.filter((check) => check.id === id)
  const proving = found.length > 0 ? found : checks.filter((check) => check.meta.proves.includes(id))
  const clauses = found.length > 0 ? found.flatMap(clausesOf) : clausesNamed(id)
  if (proving.length === 0 && clauses.length === 0) throw unknownSelection(wanted, checks)
  if (output === 'json') return `${JSON.stringify({ id, checks: proving.map(describe), clauses }, null, 2)}\n`
  const lines: string[] = []
  for (const check of proving) {
    lines.push(`${check.id}: ${check.title}`)
    if (check.meta.why !== undefined) lines.push(`  Why it matters: ${check.meta.why}`)
    lines.push(`  How to fix it: ${check.meta.fix}`)
    for (const cause of check.meta.causes ?? []) lines.push(`  Common cause: ${cause}`)
    for (const need of check.meta.needs ?? []) lines.push(`  Needs: ${need}`)
    lines.push(`  Run only this: parley test <agent> --only ${check.id}`, '')
  }
  for (const { version, row } of clauses) {
    lines.push(`A2A ${version} §${row.section} (${row.level}) ${row.id}`)
    lines.push(`  ${row.statement}`, `  How it is tested: ${row.probe}`)
    if (row.note !== undefined) lines.push(`  Note: ${row.note}`)
    lines.push('')
  }
  const excluded = exclusions().get(id)
  if (excluded !== undefined) lines.push(`No check proves this: ${excluded}`, '')
  return lines.join('\n')
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
  const { id, title, level, area, category, stage, meta } = check
  return { id, title, level, area, category, stage, ...meta }
}
