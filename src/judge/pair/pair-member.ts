// One of two agents in a conversation between them: found as any client would find it, and ready to be spoken to on
// each of its surfaces.

import { defined } from '../../base/defined.ts'
import { NEWEST_REVISION } from '../../dialects/dialect.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { Calls } from '../probe/calls.ts'
import { Ledger } from '../probe/ledger.ts'
import { Probe } from '../probe/probe.ts'
import type { RunContext } from '../probe/run-context.ts'
import { Said } from '../probe/said.ts'
import { Sequence } from '../probe/sequence.ts'
import { Spoiled } from '../probe/spoiled.ts'
import type { AgentFacts, Surface } from '../probe/surface.ts'
import type { Turns } from '../probe/turns.ts'
import { Wire } from '../probe/wire.ts'
import type { CertifyOptions } from '../runner/certify.ts'
import { credentialsFor, liveToken } from '../runner/credentials.ts'
import { DEFAULT_TIMEOUT_MS } from '../runner/judge-client.ts'
import type { Diagnosis } from '../runner/result.ts'
import { triage } from '../runner/triage.ts'

export interface PairAgent {
  readonly name: 'first' | 'second'
  readonly facts: AgentFacts
  readonly run: RunContext
  readonly http: HttpClient
  /** Why nothing can be said to it. */
  readonly diagnosis: Diagnosis | undefined
}

export async function openPairAgent(
  name: PairAgent['name'],
  target: string,
  options: CertifyOptions,
  http: HttpClient,
  signal: AbortSignal,
  turns: Turns,
): Promise<PairAgent> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, specRevision = NEWEST_REVISION } = options
  const wire = new Wire(http, new Calls([turns]), { token: liveToken(options) })
  const { facts, diagnosis } = await triage(target, wire, {
    timeoutMs,
    signal,
    credentials: options,
    generations: options.versions ?? [],
    bindings: options.transports ?? [],
    ...defined({ tenant: options.tenant }),
  })
  const sequence = new Sequence()
  const run: RunContext = {
    agent: facts,
    wire,
    revision: specRevision,
    signal,
    timeoutMs,
    behaviours: { named: options.behaviours ?? {}, card: facts.card, skills: options.skills },
    credentials: credentialsFor(facts.card, options),
    cardKeys: [],
    // Everything it says was already looked at when it was judged by itself.
    watch() {},
    sequence,
    ledgerOf: () => new Ledger(sequence),
    brokenGround: () => undefined,
    fixtures: new Map(),
    unusedIds: new Set(),
    spoiled: new Spoiled(),
    said: new Said(),
    kept: new Set(),
    tasksCreated: new Set(),
  }
  return { name, facts, run, http, diagnosis }
}

/** A agent in one case: its probes record what is said, and end with the case. */
export class PairMember {
  readonly agent: PairAgent
  readonly probes: Probe[] = []
  readonly #deadline: AbortSignal
  readonly #surface: Surface
  #main: Probe | undefined

  constructor(agent: PairAgent, surface: Surface, deadline: AbortSignal) {
    this.agent = agent
    this.#surface = surface
    this.#deadline = deadline
  }

  get name(): PairAgent['name'] {
    return this.agent.name
  }

  get facts(): AgentFacts {
    return this.agent.facts
  }

  /** On the surface the card prefers. */
  get t(): Probe {
    this.#main ??= this.on(this.#surface)
    return this.#main
  }

  on(surface: Surface): Probe {
    const probe = new Probe(this.agent.run, surface, this.#deadline)
    this.probes.push(probe)
    return probe
  }
}
