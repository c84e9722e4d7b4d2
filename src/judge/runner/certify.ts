// One run from beginning to end: triage, plan, execute, verdict. Progress goes to a listener as it happens, so that a
// run that is interrupted has lost nothing.

import type { JWK } from 'jose'
import type { BindingId, DialectId, SpecRevision } from '../../dialects/dialect.ts'
import type { TlsOptions } from '../../net/http-request.ts'
import { Redactor } from '../../trace/redact.ts'
import { allChecks } from '../checks/all.ts'
import type { PlacedCheck } from '../checks/check.ts'
import type { BehaviourFile } from '../probe/behaviours.ts'
import { Probe } from '../probe/probe.ts'
import type { RunContext } from '../probe/run-context.ts'
import { Watch } from '../probe/sighting.ts'
import { Spoiled } from '../probe/spoiled.ts'
import { Wire } from '../probe/wire.ts'
import { type Assembled, assembleReport } from './assemble-report.ts'
import type { BaselineEntry } from './baseline.ts'
import { type CredentialOptions, credentialsFor } from './credentials.ts'
import { endOfRun } from './end-of-run.ts'
import { resultOf } from './evidence.ts'
import { execute, type Outcome } from './execute.ts'
import { Grounds } from './grounds.ts'
import { DEFAULT_DEADLINE_MS, DEFAULT_TIMEOUT_MS, judgeClient } from './judge-client.ts'
import { type Case, plan } from './plan.ts'
import type { ConformanceReport, ConformanceResult, Diagnosis, RunListener } from './result.ts'
import { secretsInUrl, secretsOf } from './secrets.ts'
import { triage } from './triage.ts'
import { observedOutcome } from './watching.ts'

export interface CertifyOptions extends CredentialOptions {
  /** Only these; what the card declares when absent. */
  transports?: readonly BindingId[]
  versions?: readonly DialectId[]
  specRevision?: SpecRevision
  tenant?: string
  /** Per task and per call; 60 s. */
  timeoutMs?: number
  /** For the whole run. */
  deadlineMs?: number
  only?: readonly string[]
  skip?: readonly string[]
  skills?: readonly string[]
  strict?: boolean
  sideEffects?: 'none' | 'all'
  behaviours?: BehaviourFile
  baseline?: readonly BaselineEntry[]
  /** Public keys for the signatures of the card, besides those the card's own origin publishes. */
  cardKeys?: readonly JWK[]
  concurrency?: number
  tls?: TlsOptions
  /** Interrupts the run; what is known by then is reported, marked incomplete. */
  signal?: AbortSignal
  listener?: RunListener
  /** Instead of all checks: for tests of the judge itself. */
  checks?: readonly PlacedCheck[]
  /** The flags of the command line, for the provenance of the report. */
  flags?: readonly string[]
}

const DEFAULT_CONCURRENCY = 8
const FIRST_WRITING_STAGE = 3

export async function certify(target: string, options: CertifyOptions = {}): Promise<ConformanceReport> {
  return (await judgeAgent(target, options)).report
}

/** The same for somebody who goes on counting. */
export async function judgeAgent(target: string, options: CertifyOptions = {}): Promise<Assembled> {
  const startedAt = new Date()
  const started = performance.now()
  const { timeoutMs = DEFAULT_TIMEOUT_MS, specRevision = '1.0.1', strict = false } = options
  const http = judgeClient(timeoutMs, options.tls)
  const wire = new Wire(http)
  const deadline = AbortSignal.timeout(options.deadlineMs ?? DEFAULT_DEADLINE_MS)
  const signal = options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline])
  const redactor = new Redactor([...secretsOf(options), ...secretsInUrl(target)])
  const shownTarget = redactor.url(target)
  try {
    const triaged = await triage(target, wire, {
      timeoutMs,
      signal,
      credentials: options,
      hasCertificate: options.tls?.cert !== undefined,
      generations: options.versions ?? [],
      bindings: options.transports ?? [],
      ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
    })
    const { facts } = triaged
    // Whoever stopped the run also ended the question that was under way; that says nothing about the agent.
    const diagnosis = signal.aborted ? undefined : redacted(triaged.diagnosis, redactor)
    const interfaces = facts.surfaces.map(({ generation, binding, url }) => ({
      version: generation,
      binding,
      url: redactor.url(url),
    }))
    options.listener?.onTriage?.({
      attempts: triaged.attempts.map(({ url, outcome }) => ({
        url: redactor.url(url),
        outcome: redactor.text(outcome),
      })),
      interfaces,
      notes: triaged.notes.map((note) => redactor.text(note)),
      diagnosis,
    })
    const behaviours = { named: options.behaviours ?? {}, card: facts.card, skills: options.skills }
    const credentials = credentialsFor(facts.card, options)
    const { checks = allChecks(), only = [], skip = [] } = options
    const wanted = {
      sideEffects: options.sideEffects ?? 'all',
      behaviours,
      hasCredentials: credentials.first.length > 0 || options.tls?.cert !== undefined,
      hasSecondIdentity: credentials.second !== undefined,
    }
    const cases = plan(checks, facts, { ...wanted, only, skip })
    const isSelection = only.length > 0 || skip.length > 0
    const leftOut = isSelection ? unplanned(plan(checks, facts, { ...wanted, only: [], skip: [] }), cases) : 0
    const writes = cases.some((item) => item.check.stage >= FIRST_WRITING_STAGE && item.skip === undefined)
    const total = cases.filter((item) => item.isGroundOnly !== true).length
    options.listener?.onPlan?.({ total, writes })
    const spoiled = new Spoiled()
    const watches = new Map<string, Watch>()
    for (const item of cases) {
      if (item.check.watches !== undefined) watches.set(item.key, new Watch(item.check.watches.inspect, spoiled))
    }
    const run: RunContext = {
      agent: facts,
      wire,
      revision: specRevision,
      signal,
      timeoutMs,
      behaviours,
      credentials,
      cardKeys: options.cardKeys ?? [],
      watch(sighting) {
        for (const item of cases) {
          const { watches: looks } = item.check
          if (looks === undefined || !looks.of.includes(sighting.sight) || item.generation !== sighting.generation)
            continue
          const isElsewhere =
            item.binding !== undefined && sighting.binding !== undefined && item.binding !== sighting.binding
          if (!isElsewhere) watches.get(item.key)?.look(sighting)
        }
      },
      fixtures: new Map(),
      spoiled,
      kept: new Set(),
      tasksCreated: new Set(),
      silence: new Map(),
    }
    const results = new Map<string, ConformanceResult>()
    const record = (item: Case, outcome: Outcome) => {
      if (item.isGroundOnly === true && outcome.finding === undefined) return
      const result = resultOf(item, outcome, {
        target: shownTarget,
        strict,
        redactor,
        tls: options.tls,
        cardExchange: facts.cardExchange,
      })
      results.set(item.key, result)
      options.listener?.onResult?.(result)
    }
    await introduceSecond(run)
    const active = cases.filter((item) => item.check.watches === undefined)
    const grounds = new Grounds(watches)
    const concurrency = options.concurrency ?? DEFAULT_CONCURRENCY
    await execute(active, run, { concurrency, signal, grounds, onOutcome: record })
    for (const item of cases) {
      const watch = watches.get(item.key)
      if (watch === undefined) continue
      const blocked = item.skip === undefined ? grounds.blocked(item) : undefined
      record(item, blocked ?? observedOutcome(item, watch))
    }
    const ordered = cases.flatMap((item) => results.get(item.key) ?? [])
    return assembleReport({
      target: shownTarget,
      options,
      interfaces,
      triaged,
      cases,
      results: ordered,
      run,
      startedAt,
      started,
      end: endOfRun({ user: options.signal, deadline }),
      leftOut,
      diagnosis,
      redactor,
    })
  } finally {
    http.close()
  }
}

/** Agents slow down whoever fails to sign in, as some checks do; a caller they know by then is usually spared. */
async function introduceSecond(run: RunContext): Promise<void> {
  if (run.credentials.second === undefined || run.signal.aborted) return
  for (const surface of run.agent.surfaces) {
    const t = new Probe(run, surface, run.signal)
    await t.call('getTask', { id: t.unusedId() }, { identity: 'second' })
    await t.end()
  }
}

/** How many cases of the whole plan would run, and are not in the chosen one. */
function unplanned(whole: readonly Case[], chosen: readonly Case[]): number {
  const keys = new Set(chosen.map(({ key }) => key))
  return whole.filter(({ key, skip }) => skip === undefined && !keys.has(key)).length
}

function redacted(diagnosis: Diagnosis | undefined, redactor: Redactor): Diagnosis | undefined {
  if (diagnosis === undefined) return undefined
  return { ...diagnosis, message: redactor.text(diagnosis.message), fix: redactor.text(diagnosis.fix) }
}
