// Every check can be explained: clause, why it matters, how it is tested, what to change.

import { describe, expect, test } from 'vitest'
import { runCommand } from '../../test/peers/recorded-io.ts'
import { NOT_GRADED } from '../grade/not-graded.ts'
import { SCENARIOS } from '../grade/scenarios/all.ts'
import { allChecks } from '../judge/checks/all.ts'
import { AREA_TEXTS } from '../judge/checks/area-texts.ts'
import { PAIR_CHECKS } from '../judge/pair/pair-checks.ts'
import { GENERATIONS } from '../judge/register.ts'
import { rowsFor } from '../judge/runner/plan.ts'
import { vocabularyOf } from '../judge/runner/vocabulary.ts'
import { explainCommand } from './explain.ts'
import { listChecks } from './list-checks.ts'

const checks = allChecks()

describe('parley explain', () => {
  test('every area has its texts, and no text is left over', () => {
    expect(Object.keys(AREA_TEXTS).sort()).toEqual([...new Set(checks.map(({ area }) => area))].sort())
    for (const { why, causes } of Object.values(AREA_TEXTS)) {
      expect(why).toMatch(/^[A-Z].*\.$/)
      expect(causes.length).toBeGreaterThan(0)
    }
  })

  test('every check has a clause, a statement, a way of testing and a repair', () => {
    const incomplete = checks.filter((check) => {
      const rows = GENERATIONS.flatMap((generation) => rowsFor(check, generation, undefined))
      const isComplete = rows.every(
        ({ section, statement, probe }) => section !== '' && statement !== '' && probe !== '',
      )
      return rows.length === 0 || !isComplete || check.meta.fix.trim() === ''
    })
    expect(incomplete.map(({ id }) => id)).toEqual([])
  })

  test('takes every word that --only takes and reports print', async () => {
    const { areas, categories, sections } = vocabularyOf(checks)
    for (const word of [...areas, ...categories, ...sections]) {
      const { out } = await runCommand(explainCommand, [word])
      expect(out, word).toMatch(/^.+: /)
    }
    expect((await runCommand(explainCommand, [])).out).toContain('agent-card, error-handling')
    await expect(runCommand(explainCommand, ['cancle'])).rejects.toMatchObject({
      hint: expect.stringContaining("Did you mean 'cancel'?"),
    })
  })

  test('prints them', async () => {
    const { out } = await runCommand(explainCommand, ['get-task-unknown'])
    for (const part of ['Why it matters:', 'How to fix it:', 'Common cause:', 'How it is tested:', 'A2A 1.0 §'])
      expect(out).toContain(part)
  })

  test('tells what a check stands on', async () => {
    const { out } = await runCommand(explainCommand, ['version-patch'])
    expect(out).toContain('  Depends on: get-task-unknown (not measured when that check fails)\n')
    const ground = await runCommand(explainCommand, ['list-answers'])
    expect(ground.out).toContain(
      '  Prerequisite of: every check that uses listTasks (not measured when this check fails)\n',
    )
    expect(ground.out).toContain('  Common cause: The operation is not implemented')
    const watching = await runCommand(explainCommand, ['schema-list'])
    expect(watching.out).toContain('  Reported under: schema-task, when both fail\n')
    expect(watching.out).toContain('  Common cause in this area: ')
  })

  test('knows the checks of a pair', async () => {
    for (const { id } of PAIR_CHECKS) {
      const { out } = await runCommand(explainCommand, [id])
      for (const part of ['Why it matters:', 'How to fix it:', 'Common cause:', 'How it is tested:', '--second'])
        expect(out).toContain(part)
    }
  })

  test('knows every claim and scenario about clients, and why a row is not graded', async () => {
    for (const { id, claims } of SCENARIOS)
      for (const word of [id, ...claims.map((claim) => claim.id)]) {
        const { out } = await runCommand(explainCommand, [word])
        for (const part of ['Scenario:', 'How to fix it:', `grade --serve ${id}`, 'A2A 1.0 §'])
          expect(out, word).toContain(part)
      }
    for (const [row, why] of Object.entries(NOT_GRADED))
      expect((await runCommand(explainCommand, [row])).out).toContain(why)
    expect((await runCommand(explainCommand, ['endings'])).out).toContain('client-cut-is-no-success')
    const { out } = await runCommand(explainCommand, ['client-sse-cr', '-o', 'json'])
    expect(JSON.parse(out)).toMatchObject({ claims: [{ id: 'client-sse-cr', scenario: 'stream-cr' }] })
    await expect(runCommand(explainCommand, ['client-sse-crr'])).rejects.toMatchObject({
      hint: expect.stringContaining("Did you mean 'client-sse-cr'?"),
    })
  })

  test('an unknown id gets a suggestion', async () => {
    await expect(runCommand(explainCommand, ['get-task-unknwon'])).rejects.toMatchObject({
      exitCode: 2,
      hint: expect.stringContaining('get-task-unknown'),
    })
  })
})

test('--list -o json shows every check, and every requirement with what proves it', () => {
  const listed = JSON.parse(listChecks('json')) as {
    checks: { id: string }[]
    pairs: { id: string }[]
    requirements: { id: string; provedBy: string[] }[]
  }
  expect(listed.checks.length).toBe(checks.length)
  expect(listed.pairs.length).toBe(PAIR_CHECKS.length)
  const row = listed.requirements.find(({ id }) => id === 'get-task-not-found')
  expect(row?.provedBy).toContain('get-task-unknown')
})
