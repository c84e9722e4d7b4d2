// What holds for a whole fleet. It stands in the store, so that every worker behaves alike.

import { packageVersion } from '../base/package-version.ts'
import type { Profile } from './agent-entry.ts'

export interface FleetSettings {
  readonly profile: Profile
  readonly everyMs?: number
  /** Agents of one host that are judged at the same time. */
  readonly hostConcurrency: number
  /** Requests to one host in a second, all workers together. */
  readonly hostRate: number
  /** Messages that make one agent work, in one day. */
  readonly turnsPerDay: number
  /** For one agent. */
  readonly deadlineMs: number
  /** For one answer. */
  readonly timeoutMs: number
  /** Whether loopback and private networks may be called. */
  readonly allowsPrivate: boolean
  readonly optOut: readonly string[]
  readonly contact: string
  /** How long a host may ask a run to wait before its agents are left for the next one. */
  readonly patienceMs: number
  /** How often one agent is tried in a run, when attempts are interrupted. */
  readonly maxAttempts: number
}

const DEFAULT_CONTACT = 'https://github.com/a2a-parley/a2a-parley#readme'

export const DEFAULT_SETTINGS: FleetSettings = {
  profile: 'quick',
  hostConcurrency: 1,
  hostRate: 20,
  turnsPerDay: 300,
  deadlineMs: 3 * 60_000,
  timeoutMs: 20_000,
  allowsPrivate: false,
  optOut: [],
  contact: DEFAULT_CONTACT,
  patienceMs: 10 * 60_000,
  maxAttempts: 5,
}

/** Who asks, and whom to tell when that is not welcome. */
export function userAgentOf({ contact }: Pick<FleetSettings, 'contact'>): string {
  return `a2a-parley/${packageVersion()} (fleet; +${contact})`
}

/** A host is out with everything below it. */
export function isOptedOut(hostname: string, optOut: readonly string[]): boolean {
  const name = hostname.toLowerCase()
  return optOut.some((out) => {
    const host = out
      .trim()
      .toLowerCase()
      .replace(/^\*?\./, '')
    return name === host || name.endsWith(`.${host}`)
  })
}
