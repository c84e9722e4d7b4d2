// Causes before symptoms: what stands on a failed check is not measured, and says what it needs.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DIALECTS } from '../../src/dialects/index.ts'
import { allChecks } from '../../src/judge/checks/all.ts'
import { area, check, everywhere, type Need, observed, type PlacedCheck } from '../../src/judge/checks/check.ts'
import { certify, resultsOf } from '../../src/judge/index.ts'
import type { Probe } from '../../src/judge/probe/probe.ts'
import { FORGOTTEN } from '../../src/judge/probe/symptoms.ts'
import { GENERATIONS } from '../../src/judge/register.ts'
import { earlierThan } from '../../src/judge/runner/grounds.ts'
import { rowsFor } from '../../src/judge/runner/plan.ts'
import type { ListeningPeer } from '../peers/listen.ts'
import { startTinyAgent } from './tiny-agent.ts'

const checks = allChecks()

describe('what the checks stand on', () => {
  const known = new Set(checks.map(({ id }) => id))

  test('exists', () => {
    const unknown = checks.flatMap((one) =>
      earlierThan(one)
        .filter((id) => !known.has(id))
        .map((id) => `${one.id} needs ${id}`),
    )
    expect(unknown).toEqual([])
  })

  test('never stands on them in turn', () => {
    expect(cyclesIn(new Map(checks.map((one) => [one.id, earlierThan(one)])))).toEqual([])
  })

  test('every operation has a check that shows whether it works, wherever the operation exists', () => {
    const shown = new Set(
      checks.flatMap((one) =>
        GENERATIONS.flatMap((generation) =>
          one.bindings
            .filter((binding) => rowsFor(one, generation, binding).length > 0)
            .map((binding) => `${one.meta.groundOf} ${generation}/${binding}`),
        ),
      ),
    )
    const missing = DIALECTS.flatMap(({ id, methods, routes }) =>
      [
        ...Object.keys(methods).map((op) => `${op} ${id}/jsonrpc`),
        ...routes.map(({ op }) => `${op} ${id}/rest`),
      ].filter((place) => !shown.has(place)),
    )
    // Before 1.0 no row demands the extended card.
    expect([...new Set(missing)].filter((place) => !/^get(Extended)?Card /.test(place))).toEqual([])
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
  const passes = async (t: Probe) => t.expect(true, 'it is broken')

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

  test('measures what stands on firm ground, after it, whatever their phases', async () => {
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

  test('basics that yield to others run with them where the basics come first', async () => {
    const checksOfRun = made([
      ['cause', passes, []],
      ['basic', passes, []],
    ]).map((one) =>
      one.id === 'basic' ? { ...one, meta: { ...one.meta, mandatory: true, yieldsTo: ['cause'] } } : one,
    )
    const report = await certify(agent.url, { checks: checksOfRun, maxTurns: 5, timeoutMs: 5_000 })
    expect(resultsOf(report).map(({ verdict }) => verdict)).toEqual(['pass', 'pass'])
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

  test('an operation that does not work is not called by anybody else', async () => {
    const lists = async (t: Probe) => void t.expectSuccess(await t.call('listTasks', {}))
    const refuses = async (t: Probe) => t.expectRefused(await t.call('listTasks', { pageSize: -1 }))
    const raw = async (t: Probe) => t.expectAnswered(await t.rpc('ListTasks', {}))
    const [ground, ...rest] = made([
      ['ground', lists, []],
      ['other', refuses, []],
      ['by-hand', raw, [], 2],
    ])
    const shows = ground === undefined ? [] : [{ ...ground, meta: { ...ground.meta, groundOf: 'listTasks' as const } }]
    const { results } = await run([...rest, ...shows])
    expect(results.get('ground')?.verdict).toBe('fail')
    for (const id of ['other', 'by-hand'])
      expect(results.get(id)).toMatchObject({ verdict: 'not-measured', blockedBy: 'ground@1.0/jsonrpc' })
  })

  test('what yields to a failed check is told by that one only; what passes stays', async () => {
    const yields = made([
      ['symptom', fails, []],
      ['sound', passes, []],
    ]).map((one) => ({ ...one, meta: { ...one.meta, yieldsTo: ['cause'] } }))
    const { results } = await run([...yields, ...made([['cause', fails, []]])])
    expect(results.get('symptom')).toMatchObject({
      verdict: 'not-measured',
      blockedBy: 'cause@1.0/jsonrpc',
      notes: ['consequence: it is broken'],
    })
    expect(results.get('sound')?.verdict).toBe('pass')
  })

  test('what watches besides keeps its place in the run, and explains what fails before', async () => {
    const sends = async (t: Probe) => void t.fail('the task is another', { at: await t.send('task') })
    const [late] = made([['late', passes, [], 6]]).map((one) => ({
      ...one,
      ...everywhere(one, ['sendResult'], () => [{ pointer: '/status', message: 'is another' }]),
    }))
    const early = made([['early', sends, [], 2]]).map((one) => ({ ...one, meta: { ...one.meta, yieldsTo: ['late'] } }))
    const between = made([['between', passes, [], 3]])
    const { order, results } = await run([...early, ...between, ...(late === undefined ? [] : [late])])
    expect(order).toEqual(['early', 'between', 'late'])
    expect(results.get('early')).toMatchObject({ verdict: 'not-measured', blockedBy: 'late@1.0/jsonrpc' })
    expect(results.get('late')?.verdict).toBe('fail')
  })

  test('what is beside the content of an answer explains nothing in it', async () => {
    const reads = async (t: Probe) => {
      const x = await t.send('task')
      t.fail('the task is not what it should be', { pointer: '/result/task/status', at: x })
    }
    const watch = (id: string, isAside: boolean) =>
      observed(id, 'MUST be right', { proves: ['json-camel-case'], fix: id }, ['answer'], () => [
        { pointer: '', message: 'is wrong', ...(isAside ? { isAside } : {}) },
      ])
    for (const [isAside, verdict] of [
      [true, 'fail'],
      [false, 'not-measured'],
    ] as const) {
      const { results } = await run([...made([['reads', reads, []]]), ...placed([watch('whole', isAside)])])
      expect(results.get('reads')?.verdict).toBe(verdict)
    }
  })

  test("a task that has ended and is not found any more is nobody's fault but that of the grounds", async () => {
    const forgotten = async (t: Probe) => void t.fail('it is gone', { symptoms: [FORGOTTEN] })
    const [ground, other] = made([
      ['ground', forgotten, []],
      ['other', forgotten, []],
    ])
    if (ground === undefined || other === undefined) throw new Error('there are two')
    const shows = { ...ground, meta: { ...ground.meta, groundOf: 'listTasks' as const } }
    const { results } = await run([shows, other])
    expect(results.get('ground')?.verdict).toBe('fail')
    expect(results.get('other')?.verdict).toBe('not-measured')
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

  test('a check that fails on the member a watching check found wrong is told by that one', async () => {
    const reads = (pointer: string) => async (t: Probe) => {
      const x = await t.send('task')
      t.fail('the task is not what it should be', { pointer, at: x })
    }
    const watching = observed(
      'shape',
      'MUST have a shape',
      { proves: ['json-camel-case'], fix: 'Have one.' },
      ['sendResult'],
      () => [{ pointer: '/task/context_id', message: 'has no shape' }],
    )
    const actives = made([
      ['same', reads('/result/task/contextId'), []],
      ['inside', reads('/result/task'), []],
      ['elsewhere', reads('/result/task/status'), []],
    ])
    const { results } = await run([...actives, ...placed([watching])])
    expect(['same', 'inside', 'elsewhere'].map((id) => results.get(id)?.verdict)).toEqual([
      'not-measured',
      'not-measured',
      'fail',
    ])
  })

  test('two watching checks that find one member wrong make one finding', async () => {
    const sends = async (t: Probe) => void (await t.send('task'))
    const watch = (id: string, pointer: string, yieldsTo: string[]) =>
      observed(id, 'MUST be right', { proves: ['json-camel-case'], fix: 'x', yieldsTo }, ['sendResult'], () => [
        { pointer, message: `${id} is wrong` },
      ])
    const watching = [
      watch('schema', '/task/status/state', ['rule']),
      watch('rule', '/status/state', []),
      watch('other', '/task/id', ['rule']),
    ]
    const { results } = await run([...made([['speaker', sends, []]]), ...placed(watching)])
    expect(results.get('rule')?.verdict).toBe('fail')
    expect(results.get('other')?.verdict).toBe('fail')
    expect(results.get('schema')).toMatchObject({ verdict: 'not-measured', blockedBy: 'rule@1.0/jsonrpc' })
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

type Row = [id: string, body: (t: Probe) => Promise<void>, needs: Need[], phase?: 2 | 3 | 6, exclusive?: boolean]

function made(rows: readonly Row[]): PlacedCheck[] {
  return placed(
    rows.map(([id, body, needs, phase = 3, exclusive = false]) =>
      check(id, 'MUST hold', { proves: ['json-camel-case'], fix: 'Make it hold.', needs, phase, exclusive }, body),
    ),
  )
}

function placed(made: Parameters<typeof area>[1]): PlacedCheck[] {
  return area({ name: 'house', category: 'lifecycle', phase: 3 }, made)
}
