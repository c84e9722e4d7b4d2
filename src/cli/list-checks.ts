// `parley test --list`: every check, and every requirement with the checks that prove it.

import { allChecks } from '../judge/checks/all.ts'
import { PAIR_AREA } from '../judge/pair/pair-check.ts'
import { PAIR_CHECKS } from '../judge/pair/pair-checks.ts'
import { exclusions, GENERATIONS, registerOf } from '../judge/register.ts'
import { rowsFor } from '../judge/runner/plan.ts'

export function listChecks(output: 'text' | 'json'): string {
  const checks = allChecks().map((check) => ({
    id: check.id,
    title: check.title,
    level: check.level,
    area: check.area,
    category: check.category,
    stage: check.phase,
    needs: check.meta.needs ?? [],
    versions: GENERATIONS.filter((generation) => rowsFor(check, generation, undefined).length > 0),
    proves: check.meta.proves,
  }))
  const pairs = PAIR_CHECKS.map(({ id, title, level, sections, statement }) => ({
    id,
    title,
    level,
    area: PAIR_AREA,
    category: 'interop',
    needs: ['--second'],
    sections,
    statement,
  }))
  if (output === 'text') {
    const width = Math.max(...checks.map(({ id }) => id.length))
    const lines = checks.map(({ id, title, versions }) => `${id.padEnd(width)}  ${title}  (${versions.join(', ')})`)
    lines.push(...pairs.map(({ id, title }) => `${id.padEnd(width)}  ${title}  (two agents)`))
    return `${lines.join('\n')}\n`
  }
  const excluded = exclusions()
  const requirements = GENERATIONS.flatMap((version) =>
    [...registerOf(version).rows.values()].map(({ id, section, level, binding, capability, side, statement }) => ({
      version,
      id,
      section,
      level,
      binding,
      capability,
      side,
      statement,
      provedBy: checks
        .filter((check) => check.proves.includes(id) && check.versions.includes(version))
        .map((check) => check.id),
      excluded: excluded.get(id),
    })),
  )
  return `${JSON.stringify({ checks, pairs, requirements }, null, 2)}\n`
}
