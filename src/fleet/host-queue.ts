// Whose turn it is: a queue of hosts, not of agents. Whoever has the lease of a host asks one of its agents and gives the
// lease back with the time from which on the host may be asked again. So one host is asked by one worker at a time and no
// faster than its rate, whatever the number of workers, and a host with five thousand agents waits in line like one with
// a single agent.

/** The right to ask a host, until it is given back or not prolonged in time. */
export interface HostLease {
  readonly host: string
  /** Of this lease alone: whoever lost it cannot give it back. */
  readonly token: string
}

/** A host to be put in line. */
export interface HostOffer {
  readonly host: string
  /** Not before so many milliseconds from now. */
  readonly afterMs: number
}

/** What a fleet asks of the engine that queues. */
export interface HostQueue {
  /** How long a lease lives without a beat. */
  readonly leaseMs: number
  /** Puts hosts in line; one that waits or is leased already stays as it is. */
  offer(hosts: readonly HostOffer[]): Promise<void>
  /** Hosts that are in line for later come now: something new waits there. */
  hurry(hosts: readonly string[]): Promise<void>
  /** Leases of hosts whose time has come, those that waited longest first. */
  take(limit: number): Promise<HostLease[]>
  /** Prolongs; returns the tokens that are still good. */
  beat(leases: readonly HostLease[]): Promise<ReadonlySet<string>>
  /** Gives back: in line again after so many milliseconds, or out of it. False when it was lost before. */
  release(lease: HostLease, afterMs: number | undefined): Promise<boolean>
  close(): Promise<void>
}
