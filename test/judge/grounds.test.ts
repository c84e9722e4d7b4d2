// Causes before symptoms: what stands on a failed check is not measured, and says what it needs.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allChecks } from '../../src/judge/checks/all.ts'
import { area, check, type Need, observed, type PlacedCheck } from '../../src/judge/checks/check.ts'
import { certify, resultsOf } from '../../src/judge/index.ts'
import type { Probe } from '../../src/judge/probe/probe.ts'
import { groundsOf } from '../../src/judge/runner/grounds.ts'
import type { ListeningPeer } from '../peers/listen.ts'
import { startTinyAgent } from './tiny-agent.ts'

const checks = allChecks()

describe('what the checks stand on', () => {
  const known = new Set(checks.map(({ id }) => id))

  test('exists', () => {
    const unknown = checks.flatMap((one) =>
      groundsOf(one)
        .filter((id) => !known.has(id))
        .map((id) => `${one.id} needs ${id}`),
    )
    expect(unknown).toEqual([])
  })

  test('never stands on them in turn', () => {
    expect(cyclesIn(new Map(checks.map((one) => [one.id, groundsOf(one)])))).toEqual([])
  })

  test('a circle would be found', () => {
    const circle = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['a']],
    ])
    expect(cyclesIn(circle)).toEqual(['a → b → c → a'])
  })
})

function cyclesIn(grounds: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = []
  const done = new Set<string>()
  const visit = (id: string, path: readonly string[]) => {
    if (path.includes(id)) cycles.push([...path.slice(path.indexOf(id)), id].join(' → '))
    if (path.includes(id) || done.has(id)) return
    for (const ground of grounds.get(id) ?? []) visit(ground, [...path, id])
    done.add(id)
  }
  for (const id of grounds.keys()) visit(id, [])
  return cycles
}

describe('a run', () => {
  let agent: ListeningPeer

  beforeAll(async () => {
    agent = await startTinyAgent()
  })

  afterAll(() => agent.close())

  /** Key to message of everything that is not a plain pass, in the order the results came. */
  async function run(checksOfRun: readonly PlacedCheck[], only: string[] = []) {
    const order: string[] = []
    const listener = { onResult: ({ test: id }: { test: string }) => void order.push(id) }
    const report = await certify(agent.url, { checks: checksOfRun, only, timeoutMs: 5_000, listener })
    const results = new Map(resultsOf(report).map((result) => [result.test, result]))
    return { order, results, report }
  }

  const fails = async (t: Probe) => t.fail('it is broken')
  const passes = async () => {}

  test('measures nothing that stands on what failed, also not indirectly', async () => {
    const { results } = await run(
      made([
        ['roof', passes, ['check:wall']],
        ['wall', passes, ['check:ground']],
        ['ground', fails, []],
        ['tree', passes, []],
      ]),
    )
    expect(results.get('ground')?.verdict).toBe('fail')
    expect(results.get('wall')).toMatchObject({
      verdict: 'not-measured',
      message: 'needs ground (ground@1.0/jsonrpc failed)',
      blockedBy: 'ground@1.0/jsonrpc',
    })
    expect(results.get('roof')).toMatchObject({
      verdict: 'not-measured',
      message: 'needs wall (not measured either, because ground@1.0/jsonrpc failed)',
      blockedBy: 'ground@1.0/jsonrpc',
    })
    expect(results.get('tree')?.verdict).toBe('pass')
  })

  test('measures what stands on firm ground, after it, whatever their stages', async () => {
    const { order, results } = await run(
      made([
        ['early', passes, ['check:late'], 2],
        ['late', passes, [], 6],
      ]),
    )
    expect(order).toEqual(['late', 'early'])
    expect([...results.values()].map(({ verdict }) => verdict)).toEqual(['pass', 'pass'])
  })

  test('a ground that runs alone does not stop the run', async () => {
    const { results } = await run(
      made([
        ['together', passes, ['check:alone']],
        ['alone', passes, [], 3, true],
      ]),
    )
    expect(results.get('together')?.verdict).toBe('pass')
  })

  test('a ground that could not be measured for another reason holds', async () => {
    const unmeasured = async (t: Probe) => t.notMeasured('nothing to look at')
    const { results } = await run(
      made([
        ['roof', passes, ['check:ground']],
        ['ground', unmeasured, []],
      ]),
    )
    expect(results.get('roof')?.verdict).toBe('pass')
  })

  test('with --only the grounds run too, and are reported when they fail', async () => {
    const firm = made([
      ['roof', passes, ['check:ground']],
      ['ground', passes, []],
    ])
    expect([...(await run(firm, ['roof'])).results.keys()]).toEqual(['roof'])
    const soft = made([
      ['roof', passes, ['check:ground']],
      ['ground', fails, []],
    ])
    expect([...(await run(soft, ['roof'])).results.keys()].sort()).toEqual(['ground', 'roof'])
  })

  test('a check that only watches is a ground for what failed on the same answer', async () => {
    const reads = async (t: Probe) => {
      const x = await t.send('task')
      t.fail('the task is not what it should be', { at: x })
    }
    const watching = observed(
      'shape',
      'MUST have a shape',
      { proves: ['json-camel-case'], fix: 'Have one.' },
      ['sendResult'],
      () => [{ pointer: '/task', message: 'has no shape' }],
    )
    const { results } = await run([...made([['reader', reads, ['check:shape']]]), ...placed([watching])])
    expect(results.get('shape')?.verdict).toBe('fail')
    expect(results.get('reader')).toMatchObject({ verdict: 'not-measured', blockedBy: 'shape@1.0/jsonrpc' })
  })
})

type Row = [id: string, body: (t: Probe) => Promise<void>, needs: Need[], stage?: 2 | 3 | 6, alone?: boolean]

function made(rows: readonly Row[]): PlacedCheck[] {
  return placed(
    rows.map(([id, body, needs, stage = 3, alone = false]) =>
      check(id, 'MUST hold', { proves: ['json-camel-case'], fix: 'Make it hold.', needs, stage, alone }, body),
    ),
  )
}

function placed(made: Parameters<typeof area>[1]): PlacedCheck[] {
  return area({ name: 'house', category: 'lifecycle', stage: 3 }, made)
}
