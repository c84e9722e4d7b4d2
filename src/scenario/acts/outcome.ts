// How a test of a suite ended. A failure is always the agent's; what could not be put to the test is kept apart, and
// so is what says nothing about this agent, and what went wrong in Parley itself.

import type { BindingId, DialectId } from '../../dialects/dialect.ts'
import type { Exchange } from '../../trace/exchange.ts'
import type { ActsLevel } from './document-shape.ts'

export type ActsVerdict = 'pass' | 'fail' | 'not-applicable' | 'skip' | 'not-measured' | 'harness-error'

export interface ActsFailure {
  message: string
  stepId?: string
  expected?: string
  actual?: string
  /** Dot-path into the answer. */
  path?: string
}

export interface StepOutcome {
  id: string
  verdict: ActsVerdict
  durationMs: number
  failure?: ActsFailure
}

export interface TestOutcome {
  suite: { id: string; name: string }
  id: string
  name: string
  level: ActsLevel
  verdict: ActsVerdict
  /** Why it was not run, or could not be measured. */
  reason?: string
  failure?: ActsFailure
  steps: StepOutcome[]
  durationMs: number
  generation: DialectId
  actsVersion: string
  specVersion: string
  transport: BindingId
  /** The interface spoken to. */
  url?: string
  /** Where the test stands: file and line. */
  source: string
  /** Raw bytes, in order; redact before writing them anywhere. */
  exchanges: Exchange[]
}

/** The agent did not do what the test says. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  readonly failure: ActsFailure

  constructor(failure: ActsFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/** The step cannot be carried out here; nothing is said about the agent. */
export class StepNotMeasured extends Error {
  override readonly name = 'StepNotMeasured'
}
