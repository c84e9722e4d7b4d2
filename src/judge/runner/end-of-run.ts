// How a run ended before it was through: by its user, by its deadline, or because the agent was gone.

import { EXIT } from '../../model/errors.ts'

export interface RunEnd {
  /** In words, as reports show it. */
  reason: string
  exitCode: number
  /** Counts more than failures found until then. */
  isDecisive: boolean
}

/** Why a check was not run, or not to its end, when the run was over first. */
export const RUN_ENDED = 'the run ended first'

/** The reason to abort the signal of a run with, so that the report names the exit code the process ends with. */
export class Interruption extends Error {
  override readonly name = 'Interruption'
  readonly exitCode: number

  constructor(exitCode: number) {
    super('interrupted')
    this.exitCode = exitCode
  }
}

export function endOfRun(signals: { user: AbortSignal | undefined; deadline: AbortSignal }): RunEnd | undefined {
  const { user, deadline } = signals
  if (user?.aborted === true) {
    const exitCode = user.reason instanceof Interruption ? user.reason.exitCode : EXIT.interrupted
    return { reason: 'interrupted', exitCode, isDecisive: true }
  }
  if (!deadline.aborted) return undefined
  return { reason: 'the deadline of the run was reached', exitCode: EXIT.timeout, isDecisive: false }
}
