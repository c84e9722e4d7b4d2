// Every place a check cites is written down in words, and what is written down is what the document says.

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { allChecks } from '../../src/judge/checks/all.ts'
import { inConflict } from '../../src/judge/probe/in-conflict.ts'
import { specConflicts } from '../../src/judge/register.ts'
import { DOCUMENT, specConflictsDocument } from './spec-conflicts-document.ts'

const PROBE = new URL('../../src/judge/probe/', import.meta.url)
const CHECKS = new URL('../../src/judge/checks/', import.meta.url)

/** Numbers of places in calls and in comments. */
function cited(): { file: string; place: number }[] {
  return [PROBE, CHECKS].flatMap((directory) =>
    readdirSync(directory)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .flatMap((file) => {
        const text = readFileSync(new URL(file, directory), 'utf8')
        return [
          ...text.matchAll(/\.(?:warn|conflict)\((\d+)|places? (\d+)|(?:codesAreAdvice|jsonrpc|rest): (\d\d)\b/g),
        ].map((match) => ({
          file,
          place: Number(match[1] ?? match[2] ?? match[3]),
        }))
      }),
  )
}

describe('spec conflicts', () => {
  test('the document is what the data says; otherwise run `npm run spec-conflicts`', () => {
    expect(readFileSync(DOCUMENT, 'utf8')).toBe(specConflictsDocument())
  })

  test('are numbered from 1 without a gap', () => {
    const places = [...specConflicts().keys()]
    expect(places).toEqual(places.map((_, at) => at + 1))
  })

  test('every place a check cites exists', () => {
    const found = cited()
    expect(found.length).toBeGreaterThan(20)
    expect(found.filter(({ place }) => !specConflicts().has(place))).toEqual([])
  })

  test('name only checks that exist, and are said in whole sentences', () => {
    const ids = new Set(allChecks().map(({ id }) => id))
    const wrong = [...specConflicts().values()].flatMap(({ place, checks }) =>
      checks.filter((id) => !ids.has(id)).map((id) => `${place}: ${id}`),
    )
    expect(wrong).toEqual([])
    const brief = [...specConflicts().values()].filter(
      ({ conflict, judged }) => conflict.length < 40 || !judged.trim().endsWith('.'),
    )
    expect(brief.map(({ place }) => place)).toEqual([])
  })

  test('a finding says in words what contradicts what, and where to read on', () => {
    const text = inConflict(33, 'a number is refused as text')
    expect(text).toContain('a number is refused as text')
    expect(text).toContain('§5.5')
    expect(text).toContain('ADR-001')
    expect(text).toContain('docs/spec-conflicts.md, place 33')
  })

  test('a warning without a place is only for pairs of agents', () => {
    const files = readdirSync(CHECKS).filter((name) => name.endsWith('.ts'))
    const careless = files.filter((name) => readFileSync(new URL(name, CHECKS), 'utf8').includes('.caution('))
    expect(careless).toEqual([])
  })
})
