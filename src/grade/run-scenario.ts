// Plays one scenario with a client and judges its claims by what was seen.

import type { Call } from './call.ts'
import { ClaimFailure, Evidence, NotMeasured } from './evidence.ts'
import type { ClientExit, GradedClient } from './graded-client.ts'
import { type Claim, type ClaimLevel, levelOf, type Scenario, type Surface } from './scenario.ts'
import { Stage } from './stage.ts'

export type ClaimVerdict = 'pass' | 'fail' | 'warn' | 'info' | 'not-measured'

export interface ClaimResult {
  readonly scenario: Scenario
  readonly claim: Claim
  readonly surface: Surface
  readonly verdict: ClaimVerdict
  readonly message?: string
  readonly pointer?: string | undefined
  readonly calls: readonly Call[]
  readonly exit: ClientExit | undefined
  readonly durationMs: number
}

/** What a claim that does not hold comes to, by its level. */
export const VERDICT_OF: Readonly<Record<ClaimLevel, ClaimVerdict>> = { MUST: 'fail', SHOULD: 'warn', MAY: 'info' }

export interface Playing {
  readonly client: GradedClient
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export async function playScenario(scenario: Scenario, surface: Surface, playing: Playing): Promise<ClaimResult[]> {
  const startedMs = performance.now()
  const stage = await Stage.open(scenario, surface)
  try {
    const exit = await clientsTry(scenario, stage, playing)
    const durationMs = Math.round(performance.now() - startedMs)
    return judgeClaims(scenario, stage, exit, durationMs)
  } finally {
    await stage.close()
  }
}

async function clientsTry(scenario: Scenario, stage: Stage, playing: Playing): Promise<ClientExit> {
  const { client, timeoutMs, signal } = playing
  const intent = await scenario.intent(stage)
  return client.run(
    { scenario: scenario.id, surface: stage.surface, url: stage.target, cardUrl: stage.cardUrl, intent },
    timeoutMs,
    signal,
  )
}

/** Of a scenario that was played: by a command, or by a person. */
export function judgeClaims(scenario: Scenario, stage: Stage, exit: ClientExit, durationMs: number): ClaimResult[] {
  return scenario.claims.map((claim) => ({
    ...{ scenario, claim, surface: stage.surface, exit, durationMs, calls: stage.calls },
    ...verdictOf(claim, stage, exit),
  }))
}

function verdictOf(claim: Claim, stage: Stage, exit: ClientExit) {
  try {
    claim.judge(new Evidence({ surface: stage.surface, calls: stage.calls, stage }, exit))
    return { verdict: 'pass' as const }
  } catch (error) {
    if (error instanceof NotMeasured) return { verdict: 'not-measured' as const, message: error.message }
    if (!(error instanceof ClaimFailure)) throw error
    const verdict = VERDICT_OF[levelOf(claim.title)]
    const calls = error.calls.length === 0 ? stage.calls.slice(-1) : error.calls
    return { verdict, message: error.message, pointer: error.pointer, calls }
  }
}
