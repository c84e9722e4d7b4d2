// Grades a client: plays every scenario with it, and makes a run of what was seen.

import { EXIT } from '../model/errors.ts'
import type { ClientExit, GradedClient } from './graded-client.ts'
import { groundsOf, type Planned, planOf, type Selection } from './plan.ts'
import { type ClaimResult, playScenario } from './run-scenario.ts'
import { surfaceKey } from './scenario.ts'

export interface GradeOptions extends Selection {
  readonly timeoutMs?: number
  readonly concurrency?: number
  readonly signal?: AbortSignal
  readonly onPlan?: (total: number) => void
  readonly onResult?: (result: ClaimResult) => void
}

export interface Grade {
  readonly results: readonly ClaimResult[]
  readonly durationMs: number
  readonly complete: boolean
  readonly exitCode: number
  /** How the first try ended of a client that sent nothing to any agent. */
  readonly silence?: ClientExit
}

const DEFAULTS = { timeoutMs: 15_000, concurrency: 4 }

export async function gradeClient(client: GradedClient, options: GradeOptions = {}): Promise<Grade> {
  const startedMs = performance.now()
  const planned = planOf(options)
  options.onPlan?.(planned.reduce((total, { scenario }) => total + scenario.claims.length, 0))
  const { results, silence } = await play(client, planned, options)
  const complete = options.signal?.aborted !== true
  return {
    results,
    complete,
    durationMs: Math.round(performance.now() - startedMs),
    exitCode: exitCodeOf(results, complete),
    ...(silence !== undefined && { silence }),
  }
}

function exitCodeOf(results: readonly ClaimResult[], complete: boolean): number {
  if (!complete) return EXIT.interrupted
  if (results.some(({ verdict }) => verdict === 'fail')) return EXIT.failed
  return results.some(({ verdict }) => verdict === 'pass') ? EXIT.ok : EXIT.inconclusive
}

async function play(client: GradedClient, planned: readonly Planned[], options: GradeOptions) {
  const { timeoutMs = DEFAULTS.timeoutMs, signal = new AbortController().signal } = options
  const playing = { client, timeoutMs, signal }
  const played = new Map<string, readonly ClaimResult[]>()
  const once = async (item: Planned): Promise<readonly ClaimResult[]> => {
    const known = played.get(keyOf(item))
    if (known !== undefined) return known
    const results = await playScenario(item.scenario, item.surface, playing)
    played.set(keyOf(item), results)
    return results
  }
  const spoken = new Set<string>()
  const grounds = groundsOf(planned)
  await eachOf(grounds, options, async (item) => {
    if ((await once(item)).every(({ verdict }) => verdict === 'pass')) spoken.add(surfaceKey(item.surface))
  })
  // A client that does nothing anywhere has to hear of it once.
  const told = spoken.size === 0 ? grounds[0] : undefined
  const silence = told === undefined ? undefined : silenceIn([...played.values()].flat())
  const ordered: ClaimResult[][] = planned.map(() => [])
  await eachOf([...planned.entries()], options, async ([at, item]) => {
    const isSpoken = spoken.has(surfaceKey(item.surface)) || grounds.length === 0
    const isTold = told !== undefined && keyOf(told) === keyOf(item)
    const results = isSpoken || isTold ? await once(item) : unspoken(item)
    ordered[at] = [...results]
    for (const result of results) options.onResult?.(result)
  })
  return { results: ordered.flat(), silence }
}

/** Undefined as soon as anything was called. */
function silenceIn(results: readonly ClaimResult[]): ClientExit | undefined {
  return results.some(({ calls }) => calls.length > 0) ? undefined : results[0]?.exit
}

const keyOf = ({ scenario, surface }: Planned): string => `${scenario.id}@${surfaceKey(surface)}`

/** The claims of a scenario on a surface that the client does not speak. */
function unspoken({ scenario, surface }: Planned): ClaimResult[] {
  const message = `the client does not use an agent of A2A ${surface.version} over ${surface.binding}`
  const blank = { verdict: 'not-measured' as const, message, calls: [], exit: undefined, durationMs: 0 }
  return scenario.claims.map((claim) => ({ scenario, claim, surface, ...blank }))
}

async function eachOf<T>(items: readonly T[], options: GradeOptions, work: (item: T) => Promise<void>): Promise<void> {
  const { concurrency = DEFAULTS.concurrency, signal } = options
  const queue = [...items]
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined && signal?.aborted !== true; item = queue.shift())
      await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, queue.length) }, worker))
}
