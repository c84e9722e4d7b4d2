// Every requirement a server can be held to is proved by a check or excluded with a written reason, and what the checks
// say about themselves agrees with the registers.

import { describe, expect, test } from 'vitest'
import { allChecks } from '../../src/judge/checks/all.ts'
import {
  exclusions,
  GENERATIONS,
  type Level,
  type Requirement,
  registerOf,
  strongest,
} from '../../src/judge/register.ts'
import { rowsFor } from '../../src/judge/runner/plan.ts'

const checks = allChecks()
const proved = new Set(checks.flatMap((check) => check.meta.proves))
const excluded = exclusions()

/** Rows about servers over the bindings the judge speaks; `needs` says what a tester needs beyond network access. */
function serverRows(generation: (typeof GENERATIONS)[number], level: Level): Requirement[] {
  return [...registerOf(generation).rows.values()].filter((row) => row.side === 'server' && row.level === level)
}

const isOpen = ({ id }: Requirement) => !proved.has(id) && !excluded.has(id)

function tell(what: string, rows: readonly Requirement[]): void {
  const count = (has: { has(id: string): boolean }) => rows.filter(({ id }) => has.has(id)).length
  process.stdout.write(`${what}: ${rows.length} rows, ${count(proved)} proved, ${count(excluded)} excluded\n`)
}

describe('coverage', () => {
  test('the register of 1.0 asks at least 240 things that need nothing but network access', () => {
    expect(serverRows('1.0', 'MUST').filter(({ needs }) => needs === undefined).length).toBeGreaterThanOrEqual(240)
  })

  test.each(GENERATIONS)('every MUST of %s is proved or excluded', (generation) => {
    const rows = serverRows(generation, 'MUST')
    for (const [what, some] of Object.entries(Object.groupBy(rows, ({ needs }) => needs ?? 'network access')))
      tell(`${generation} MUST, ${what}`, some ?? [])
    expect(rows.filter(isOpen).map(({ id }) => id)).toEqual([])
  })

  test('what needs nothing but network access is proved, not excluded', () => {
    const plain = GENERATIONS.flatMap((generation) => serverRows(generation, 'MUST')).filter((row) => !row.needs)
    expect(plain.filter(({ id }) => !proved.has(id)).map(({ id }) => id)).toEqual([])
  })

  test('at least half of the SHOULDs that need nothing but network access are proved or excluded', () => {
    const rows = serverRows('1.0', 'SHOULD').filter(({ needs }) => needs === undefined)
    tell('1.0 SHOULD, network access', rows)
    expect(rows.filter(isOpen).length * 2).toBeLessThanOrEqual(rows.length)
  })

  test('exclusions name rows that exist, and say why', () => {
    const known = new Set(GENERATIONS.flatMap((generation) => [...registerOf(generation).rows.keys()]))
    const careless = [...excluded].filter(([id, reason]) => !known.has(id) || reason.length < 40)
    expect(careless.map(([id]) => id)).toEqual([])
  })

  test('no row is both proved and excluded', () => {
    expect([...proved].filter((id) => excluded.has(id))).toEqual([])
  })

  test('checks prove only rows that exist', () => {
    const known = new Set(GENERATIONS.flatMap((generation) => [...registerOf(generation).rows.keys()]))
    expect([...proved].filter((id) => !known.has(id))).toEqual([])
  })

  test('the level in the title of a check is the highest level of its rows', () => {
    const wrong = checks.filter((check) => {
      const rows = GENERATIONS.flatMap((generation) => rowsFor(check, generation, undefined))
      return rows.length > 0 && strongest(rows) !== check.level
    })
    expect(wrong.map((check) => check.id)).toEqual([])
  })

  test('no check fails an agent for what only a weaker row asks', () => {
    const places = checks.flatMap((check) =>
      GENERATIONS.flatMap((generation) =>
        check.bindings.map((binding) => ({
          at: `${check.id}@${generation}/${binding}`,
          rows: rowsFor(check, generation, binding),
        })),
      ),
    )
    // What an agent MAY do is proved by accepting it.
    const demands = places.map(({ at, rows }) => ({ at, levels: new Set(rows.map(({ level }) => level)) }))
    const mixed = demands.filter(({ levels }) => levels.has('MUST') && levels.has('SHOULD'))
    expect(mixed.map(({ at }) => at)).toEqual([])
  })

  test('ids of checks are unique', () => {
    const ids = checks.map((check) => check.id)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  })
})
