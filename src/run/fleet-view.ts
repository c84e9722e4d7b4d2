// A fleet as its page shows it: every agent with its newest result and its history. What is compared between two days is
// worked out of the histories, in the browser.

/** One result of an agent, as short as it can be: there may be hundreds of thousands. */
export interface FleetMoment {
  /** Milliseconds since 1970. */
  at: number
  /** Its level, or why there is none. */
  standing: string
  stage: number
  kept: number
  measured: number
  attempts: number
  turns: number
}

export interface FleetRow {
  id: string
  url: string
  host: string
  name: string
  labels: Readonly<Record<string, string>>
  profile: string
  standing: string
  stage: number
  message: string
  durationMs: number
  /** When it is asked next by itself; 0 when it is not. */
  dueAt: number
  /** Oldest first. */
  history: readonly FleetMoment[]
}

export interface FleetView {
  name: string
  /** The run that is under way or was last. */
  run: string
  madeAt: string
  funnel: readonly { stage: string; agents: number }[]
  rows: readonly FleetRow[]
}
