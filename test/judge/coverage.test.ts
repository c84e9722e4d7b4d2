// Every server requirement is proved by a check, excluded with a reason, or listed as pending; and what the checks
// say about themselves agrees with the registers.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { allChecks } from '../../src/judge/checks/all.ts'
import { exclusions, GENERATIONS, registerOf } from '../../src/judge/register.ts'

const checks = allChecks()
const proved = new Set(checks.flatMap((check) => check.meta.proves))
const excluded = exclusions()
const pending = new Set(
  (parse(readFileSync(new URL('../../requirements/pending.yaml', import.meta.url), 'utf8')) ?? []) as string[],
)

describe('coverage', () => {
  test.each(GENERATIONS)(
    'every server row of %s that is not gRPC has a check, a reason or a place in line',
    (generation) => {
      const open = [...registerOf(generation).rows.values()]
        .filter((row) => row.side === 'server' && row.binding !== 'grpc' && row.level === 'MUST')
        .map((row) => row.id)
        .filter((id) => !proved.has(id) && !excluded.has(id) && !pending.has(id))
      expect(open).toEqual([])
    },
  )

  test('at least half of the SHOULDs that need nothing but network access are proved or excluded', () => {
    const rows = [...registerOf('1.0').rows.values()].filter(
      (row) => row.side === 'server' && row.binding !== 'grpc' && row.level === 'SHOULD' && row.needs === undefined,
    )
    const done = rows.filter((row) => proved.has(row.id) || excluded.has(row.id))
    expect(done.length * 2).toBeGreaterThanOrEqual(rows.length)
  })

  test('no row is both proved and excluded or pending', () => {
    expect([...proved].filter((id) => excluded.has(id) || pending.has(id))).toEqual([])
  })

  test('checks prove only rows that exist', () => {
    const known = new Set(GENERATIONS.flatMap((generation) => [...registerOf(generation).rows.keys()]))
    expect([...proved].filter((id) => !known.has(id))).toEqual([])
  })

  test('the level in the title of a check is the highest level of its rows', () => {
    const rank = { MUST: 0, SHOULD: 1, MAY: 2 }
    const wrong = checks.filter((check) => {
      const levels = GENERATIONS.flatMap((generation) =>
        check.meta.proves.flatMap((id) => registerOf(generation).rows.get(id)?.level ?? []),
      )
      return levels.length > 0 && Math.min(...levels.map((level) => rank[level])) !== rank[check.level]
    })
    expect(wrong.map((check) => check.id)).toEqual([])
  })

  test('ids of checks are unique', () => {
    const ids = checks.map((check) => check.id)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  })
})
