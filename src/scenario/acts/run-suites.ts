// A run of suites against an agent, or against a server with several: finds the agent each suite is about and the
// interfaces that speak its generation, runs every test on each of them, and returns the outcomes in file order.

import { defined } from '../../base/defined.ts'
import type { BindingId, DialectId } from '../../dialects/dialect.ts'
import { targetUrl } from '../../discovery/target.ts'
import { parsed } from '../../judge/probe/answer.ts'
import type { AgentFacts, Surface } from '../../judge/probe/surface.ts'
import { Wire } from '../../judge/probe/wire.ts'
import { type CredentialOptions, credentialsFor } from '../../judge/runner/credentials.ts'
import { type Triage, type TriageOptions, triage } from '../../judge/runner/triage.ts'
import { EXIT, ParleyError } from '../../model/errors.ts'
import { isJsonObject } from '../../model/json.ts'
import { HttpClient } from '../../net/http-client.ts'
import type { TlsOptions } from '../../net/http-request.ts'
import { didYouMean } from '../../yaml/did-you-mean.ts'
import type { ActsTest } from './document-shape.ts'
import type { LoadedSuite } from './load-suite.ts'
import type { TestOutcome } from './outcome.ts'
import type { ClientUnderTest } from './run-step.ts'
import { obstacleTo, runTest, type TestContext, type TestEnd } from './run-test.ts'

export interface RunSuitesOptions extends CredentialOptions {
  /** Only these bindings and generations; all that the agent and the suites have in common when absent. */
  transports?: readonly BindingId[]
  versions?: readonly DialectId[]
  tenant?: string
  /** Only, or all but, tests with this id, tag, or suite id. */
  only?: readonly string[]
  skip?: readonly string[]
  /** Per answer and per stream; 60 s. */
  timeoutMs?: number
  deadlineMs?: number
  concurrency?: number
  tls?: TlsOptions
  env?: Readonly<Record<string, string | undefined>>
  signal?: AbortSignal
  /** Runs the tests of client libraries on this one; without it they do not apply. */
  client?: ClientUnderTest
  onOutcome?: (outcome: TestOutcome) => void
}

export interface SuiteRun {
  target: string
  agentName: string
  agentVersion: string
  outcomes: TestOutcome[]
  /** False when the run was stopped before its end. */
  complete: boolean
  durationMs: number
}

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_DEADLINE_MS = 15 * 60_000
const DEFAULT_CONCURRENCY = 8
const MAX_BODY_BYTES = 8 * 1024 * 1024
const WELL_KNOWN = ['/.well-known/agent-card.json', '/.well-known/agent.json']

interface PlannedTest {
  loaded: LoadedSuite
  test: ActsTest
  line: number
  agent: AgentFacts
  /** Undefined when the agent does not speak the generation of the suite. */
  surface: Surface | undefined
}

export async function runSuites(
  target: string,
  suites: readonly LoadedSuite[],
  options: RunSuitesOptions = {},
): Promise<SuiteRun> {
  const started = performance.now()
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options
  const selected = selectTests(suites, options)
  const http = new HttpClient({
    maxBodyBytes: MAX_BODY_BYTES,
    maxEventBytes: MAX_BODY_BYTES,
    timeoutMs,
    idleTimeoutMs: timeoutMs,
    streamTimeoutMs: timeoutMs * 2,
    ...defined({ tls: options.tls }),
  })
  try {
    const deadline = AbortSignal.timeout(options.deadlineMs ?? DEFAULT_DEADLINE_MS)
    const signal = options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline])
    const finder = new AgentFinder(target, new Wire(http), options, { timeoutMs, signal })
    const planned = await plan(selected, finder)
    const outcomes = await runAll(planned, finder, { ...options, timeoutMs, signal })
    const card = planned[0]?.agent.card
    return {
      target,
      agentName: typeof card?.name === 'string' ? card.name : '(unknown)',
      agentVersion: typeof card?.version === 'string' ? card.version : '(unknown)',
      outcomes,
      complete: !signal.aborted,
      durationMs: Math.round(performance.now() - started),
    }
  } finally {
    http.close()
  }
}

/** The tests --only and --skip leave; a word that names nothing is an error, because it would test nothing. */
function selectTests(suites: readonly LoadedSuite[], options: RunSuitesOptions): LoadedSuite[] {
  const { only = [], skip = [], versions = [] } = options
  const words = suites.flatMap(({ suite }) =>
    suite.tests.flatMap(({ value }) => [...wordsOf(value, suite.tags ?? []), suite.id]),
  )
  const known = new Set(words)
  for (const word of [...only, ...skip]) {
    if (known.has(word)) continue
    throw new ParleyError('unknown-test', `No test, suite or tag is called '${word}'${didYouMean(word, known)}`, {
      exitCode: EXIT.usage,
    })
  }
  const wanted = (test: ActsTest, { suite }: LoadedSuite) => {
    const names = new Set([suite.id, ...wordsOf(test, suite.tags ?? [])])
    return (only.length === 0 || only.some((word) => names.has(word))) && !skip.some((word) => names.has(word))
  }
  return suites
    .filter(({ generation }) => versions.length === 0 || versions.includes(generation))
    .map((loaded) => ({
      ...loaded,
      suite: { ...loaded.suite, tests: loaded.suite.tests.filter(({ value }) => wanted(value, loaded)) },
    }))
    .filter(({ suite }) => suite.tests.length > 0)
}

function wordsOf(test: ActsTest, suiteTags: readonly string[]): string[] {
  return [test.id, ...(test.tags ?? []), ...suiteTags]
}

async function plan(suites: readonly LoadedSuite[], finder: AgentFinder): Promise<PlannedTest[]> {
  const planned: PlannedTest[] = []
  for (const loaded of suites) {
    const { agent, surfaces } = await finder.find(loaded.suite['x-mount'], loaded.generation)
    for (const surface of surfaces.length === 0 ? [undefined] : surfaces) {
      for (const { value, position } of loaded.suite.tests) {
        planned.push({ loaded, test: value, line: position.line, agent, surface })
      }
    }
  }
  return planned
}

/** Which agent a suite is about, and which of its interfaces speak a generation. Asked once each. */
class AgentFinder {
  readonly wire: Wire
  readonly #target: string
  readonly #options: RunSuitesOptions
  readonly #limits: { timeoutMs: number; signal: AbortSignal }
  readonly #found = new Map<string, Promise<{ agent: AgentFacts; surfaces: Surface[] }>>()

  constructor(
    target: string,
    wire: Wire,
    options: RunSuitesOptions,
    limits: { timeoutMs: number; signal: AbortSignal },
  ) {
    this.#target = target
    this.wire = wire
    this.#options = options
    this.#limits = limits
  }

  find(mount: string | undefined, generation: DialectId): Promise<{ agent: AgentFacts; surfaces: Surface[] }> {
    const key = `${mount ?? ''} ${generation}`
    const known = this.#found.get(key)
    if (known !== undefined) return known
    const found = this.#search(mount, generation)
    this.#found.set(key, found)
    return found
  }

  async #search(mount: string | undefined, generation: DialectId) {
    const target = mount === undefined ? this.#target : await this.#mounted(mount)
    const first = await triage(target, this.wire, this.#triageOptions([], this.#options.transports ?? []))
    if (first.diagnosis !== undefined && first.facts.card === undefined) throw asError(first.diagnosis)
    let surfaces = first.facts.surfaces.filter((surface) => surface.generation === generation)
    if (surfaces.length === 0 && this.#options.versions?.includes(generation) === true) {
      // The user says that the agent speaks it, whatever its card declares; method names tell generations apart.
      const again = await triage(target, this.wire, this.#triageOptions([generation], ['jsonrpc']))
      surfaces = [...again.facts.surfaces]
    }
    const { diagnosis } = first
    if (surfaces.length === 0 && diagnosis !== undefined && diagnosis.code !== 'wrong-dialect') throw asError(diagnosis)
    return { agent: first.facts, surfaces }
  }

  /** The agent below the target, when there is one; else the target is the agent. */
  async #mounted(mount: string): Promise<string> {
    const base = targetUrl(this.#target)
    if (base.pathname.endsWith('.json')) return this.#target
    const path = base.pathname.replace(/\/$/, '')
    const root = `${base.origin}${path}${mount.startsWith('/') ? mount : `/${mount}`}`
    // The user may have named the mount already.
    if (path.endsWith(mount)) return this.#target
    for (const wellKnown of WELL_KNOWN) {
      const headers: [string, string][] = [['Accept', 'application/json']]
      const request = { method: 'GET', url: `${root}${wellKnown}`, headers, body: undefined }
      const { response } = await this.wire.send(request, this.#limits)
      if (response?.status === 200 && isJsonObject(parsed(new TextDecoder().decode(response.body)))) return root
    }
    return this.#target
  }

  #triageOptions(generations: readonly DialectId[], bindings: readonly BindingId[]): TriageOptions {
    const { tenant } = this.#options
    return {
      ...this.#limits,
      credentials: this.#options,
      generations,
      bindings,
      ...defined({ tenant }),
    }
  }
}

function asError({ code, message, fix, exitCode }: NonNullable<Triage['diagnosis']>): ParleyError {
  return new ParleyError(code, message, { exitCode, hint: fix })
}

async function runAll(
  planned: readonly PlannedTest[],
  finder: AgentFinder,
  options: RunSuitesOptions & { timeoutMs: number; signal: AbortSignal },
): Promise<TestOutcome[]> {
  const outcomes: TestOutcome[] = new Array(planned.length)
  let next = 0
  const worker = async () => {
    for (let at = next++; at < planned.length; at = next++) {
      const item = planned[at]
      if (item === undefined) return
      const outcome = await runOne(item, finder, options)
      outcomes[at] = outcome
      options.onOutcome?.(outcome)
    }
  }
  await Promise.all(Array.from({ length: options.concurrency ?? DEFAULT_CONCURRENCY }, worker))
  return outcomes
}

async function runOne(
  item: PlannedTest,
  finder: AgentFinder,
  options: RunSuitesOptions & { timeoutMs: number; signal: AbortSignal },
): Promise<TestOutcome> {
  const { loaded, test, surface, agent, line } = item
  const { suite, actsVersion, specVersion, generation, variables, file } = loaded
  const started = performance.now()
  const end = await endOf(item, {
    agent,
    wire: finder.wire,
    credentials: credentialsFor(agent.card, options).first,
    documentVariables: variables,
    env: options.env ?? process.env,
    client: options.client,
    timeoutMs: options.timeoutMs,
    signal: options.signal,
  })
  return {
    suite: { id: suite.id, name: suite.name },
    id: test.id,
    name: test.name,
    level: test.level,
    ...end,
    durationMs: Math.round(performance.now() - started),
    generation,
    actsVersion,
    specVersion,
    transport: surface?.binding ?? options.transports?.[0] ?? 'jsonrpc',
    ...(surface === undefined ? {} : { url: surface.url }),
    source: `${file}:${line}`,
  }
}

async function endOf(item: PlannedTest, context: Omit<TestContext, 'surface'>): Promise<TestEnd> {
  const { test, surface, loaded } = item
  const notRun = (verdict: TestEnd['verdict'], reason: string) => ({ verdict, reason, steps: [], exchanges: [] })
  if (surface === undefined) {
    return notRun('not-applicable', `the agent does not speak A2A ${loaded.specVersion}`)
  }
  const full: TestContext = { ...context, surface }
  const obstacle = obstacleTo(test, full)
  if (obstacle !== undefined) return notRun(obstacle.verdict, obstacle.reason)
  if (context.signal.aborted) return notRun('not-measured', 'the run was stopped before')
  return runTest(test, wordsOf(test, loaded.suite.tags ?? []), full)
}
