// When a fault fires: pure arithmetic over the occasions it could have fired on, so a run can be repeated exactly.

import { integer, number, optional } from '../../yaml/shape.ts'

export interface Schedule {
  /** At most so many times. */
  readonly count?: number
  /** Not on the first so many occasions. */
  readonly after?: number
  /** On every so-manieth occasion, beginning with the first that counts. */
  readonly every?: number
  /** On a share of the occasions, chosen by the seed. */
  readonly probability?: number
  readonly seed?: number
}

export interface ScheduleState {
  readonly occasions: number
  readonly fired: number
}

export const NEVER_FIRED: ScheduleState = { occasions: 0, fired: 0 }

export const scheduleFields = {
  count: optional(integer(1)),
  after: optional(integer(0)),
  every: optional(integer(1)),
  probability: optional(number(0, 1)),
  seed: optional(integer(0, 0xffff_ffff)),
}

export const SCHEDULE_ABOUT = {
  count: 'At most so many times.',
  after: 'Not on the first so many occasions.',
  every: 'On every n-th occasion.',
  probability: 'On a share of the occasions; needs a seed, so that a run can be repeated.',
  seed: 'Chooses the occasions of probability.',
}

export function nextOccasion(schedule: Schedule, state: ScheduleState): { fires: boolean; state: ScheduleState } {
  const { count = Number.POSITIVE_INFINITY, after = 0, every = 1, probability = 1, seed = 0 } = schedule
  const counted = state.occasions - after
  const fires =
    counted >= 0 &&
    counted % every === 0 &&
    state.fired < count &&
    (probability >= 1 || fraction(seed, state.occasions) < probability)
  return { fires, state: { occasions: state.occasions + 1, fired: state.fired + (fires ? 1 : 0) } }
}

/** A number from 0 to 1 that depends on nothing but the seed and the occasion (the mixer of splitmix32). */
function fraction(seed: number, occasion: number): number {
  let mixed = (seed + Math.imul(occasion + 1, 0x9e37_79b9)) | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0_aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000
}
