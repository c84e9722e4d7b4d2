// A claim about two agents together. Like a check, but its body speaks to both; no row of a register asks for it,
// so it names the sections whose promises it puts together.

import type { Level } from '../register.ts'
import type { PairMember } from './pair-member.ts'

export interface PairCheck {
  readonly id: string
  readonly title: `${Level} ${string}`
  readonly level: Level
  readonly sections: readonly string[]
  /** The claim as a sentence. */
  readonly statement: string
  readonly why: string
  readonly causes: readonly string[]
  readonly fix: string
  /** How it is tested. */
  readonly probe: string
  /** Whether it creates tasks. */
  readonly writes: boolean
  /** Once each way, or once for the two. */
  readonly direction: 'each-way' | 'both'
  readonly body: (t: Pairing) => Promise<void>
}

export interface Pairing {
  /** The agent that acts; the first where there is no direction. */
  readonly from: PairMember
  /** The agent that is acted upon. */
  readonly to: PairMember
}

/** `--only pair` selects them all. */
export const PAIR_AREA = 'pair'
