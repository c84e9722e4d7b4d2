// How the body of a check ends when it does not simply return. CheckFailure is about the agent and holds the bytes
// that prove it; the others say why nothing can be said. Anything else thrown is an error of ours.

import type { Exchange } from '../../trace/exchange.ts'

export interface Finding {
  /** One sentence: what the agent did. */
  message: string
  expected?: string
  actual?: string
  /** RFC 6901 pointer into the body of the last exchange (or into the named frame). */
  pointer?: string
  /** What to change; the recommendation of the check when absent. */
  fix?: string
  exchanges?: readonly Exchange[]
  /** The last exchange answers a request that must be refused: whatever it holds is no result. */
  isUnrefused?: true
}

/** What to change where a request was left without an answer. */
export const ANSWER_EVERY_REQUEST =
  'Answer every request, also an invalid one, with a response of the protocol; never crash or hang.'

export class CheckFailure extends Error {
  override readonly name = 'CheckFailure'
  readonly finding: Finding

  constructor(finding: Finding) {
    super(finding.message)
    this.finding = finding
  }
}

/** The claim could not be put to the test; `wouldNeed` tells the user how to make it testable. */
export class NotMeasured extends Error {
  override readonly name = 'NotMeasured'
  readonly wouldNeed: string | undefined
  /** The key of the failed result that keeps this one from being measured. */
  readonly blockedBy: string | undefined
  /** Set when the run, not the agent, is why. */
  readonly notRun: string | undefined

  constructor(reason: string, wouldNeed?: string, blockedBy?: string, notRun?: string) {
    super(reason)
    this.wouldNeed = wouldNeed
    this.blockedBy = blockedBy
    this.notRun = notRun
  }
}

/** The claim says nothing about this agent: it does not declare the feature. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
}

/** The normative texts disagree, and the agent follows one of them. */
export class SpecConflict extends Error {
  override readonly name = 'SpecConflict'
}
