// Scenarios that wait for a client that is driven by hand, each at an address of its own, until the verdict is asked for.

import { EXIT } from '../model/errors.ts'
import type { Grade } from './grade.ts'
import type { ClientExit } from './graded-client.ts'
import type { Intent } from './intent.ts'
import type { Planned } from './plan.ts'
import { judgeClaims } from './run-scenario.ts'
import { Stage } from './stage.ts'

/** How it ended is known to whoever drove it. */
const UNKNOWN: ClientExit = {
  ...{ code: undefined, isTimeout: false, isUnknown: true, durationMs: 0 },
  ...{ outcome: undefined, stdout: '', stderr: '' },
}

export interface WaitingScenario extends Planned {
  readonly stage: Stage
  readonly intent: Intent
}

export class WaitingScenarios {
  readonly scenarios: readonly WaitingScenario[]
  readonly #startedMs = performance.now()

  private constructor(scenarios: readonly WaitingScenario[]) {
    this.scenarios = scenarios
  }

  /** On free ports, or on these from the first on; `onOpen` hears of each as soon as it waits. */
  static async open(
    plan: readonly Planned[],
    firstPort: number,
    onOpen?: (scenario: WaitingScenario) => void,
  ): Promise<WaitingScenarios> {
    const open: WaitingScenario[] = []
    const stages: Stage[] = []
    try {
      for (const [at, { scenario, surface }] of plan.entries()) {
        const stage = await Stage.open(scenario, surface, firstPort === 0 ? 0 : firstPort + at)
        stages.push(stage)
        const waiting = { scenario, surface, stage, intent: await scenario.intent(stage) }
        open.push(waiting)
        onOpen?.(waiting)
      }
    } catch (error) {
      await Promise.all(stages.map((stage) => stage.close()))
      throw error
    }
    return new WaitingScenarios(open)
  }

  /** What was seen, of the scenarios that a client came to. */
  grade(): Grade {
    const results = this.scenarios
      .filter(({ stage }) => stage.calls.length > 0)
      .flatMap(({ scenario, stage }) => judgeClaims(scenario, stage, UNKNOWN, 0))
    const isFailed = results.some(({ verdict }) => verdict === 'fail')
    const exitCode = isFailed ? EXIT.failed : results.length === 0 ? EXIT.inconclusive : EXIT.ok
    return { results, complete: true, durationMs: Math.round(performance.now() - this.#startedMs), exitCode }
  }

  async close(): Promise<void> {
    await Promise.all(this.scenarios.map(({ stage }) => stage.close()))
  }
}
