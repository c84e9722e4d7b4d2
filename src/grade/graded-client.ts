// A client under test, however it is run: a command for each scenario, one long-lived harness, or a person.

import type { Intent, Outcome } from './intent.ts'
import type { Surface } from './scenario.ts'

export interface Assignment {
  readonly scenario: string
  readonly surface: Surface
  /** What the client is pointed at. */
  readonly url: string
  readonly cardUrl: string
  readonly intent: Intent
}

export interface ClientExit {
  /** Undefined when it was ended by a signal, or never ended. */
  readonly code: number | undefined
  readonly signal?: string | undefined
  readonly isTimeout: boolean
  /** How it ended is unknown: it was driven by a person, or recorded. */
  readonly isUnknown?: boolean
  readonly durationMs: number
  readonly outcome: Outcome | undefined
  /** What it printed, cut to size. */
  readonly stdout: string
  readonly stderr: string
}

export interface GradedClient {
  /** As it was named. */
  readonly name: string
  run(assignment: Assignment, timeoutMs: number, signal: AbortSignal): Promise<ClientExit>
  close(): Promise<void>
}
