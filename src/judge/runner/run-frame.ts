// What holds a run together from its first request to its report: the network, the watch over the agent, and what can
// end it early.

import { EXIT } from '../../model/errors.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { Redactor } from '../../trace/redact.ts'
import { type Call, Calls, type CallWatcher, isGatewayError } from '../probe/calls.ts'
import { demandsAuth } from '../probe/demands-auth.ts'
import { Gate } from '../probe/gate.ts'
import type { LiveToken } from '../probe/live-token.ts'
import type { OutgoingRequest } from '../probe/outgoing.ts'
import { type Death, Pulse, type Sign } from '../probe/pulse.ts'
import { Patience } from '../probe/rate-limit.ts'
import type { AgentFacts, Surface } from '../probe/surface.ts'
import { type Span, Turns } from '../probe/turns.ts'
import { Wire } from '../probe/wire.ts'
import type { CertifyOptions } from './certify.ts'
import { liveToken } from './credentials.ts'
import { endOfRun, type RunEnd } from './end-of-run.ts'
import { emptyMessage, harmlessQuestion } from './harmless-question.ts'
import { DEFAULT_DEADLINE_MS, DEFAULT_TIMEOUT_MS, judgeClient } from './judge-client.ts'
import { paceOf } from './pace.ts'
import { maxTurnsOf } from './quick.ts'
import type { RunListener } from './result.ts'
import { secretsInUrl, secretsOf } from './secrets.ts'
import { Throughput } from './throughput.ts'

type Headers = readonly (readonly [string, string])[]

export class RunFrame {
  readonly startedAt = new Date()
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly redactor: Redactor
  readonly wire: Wire
  readonly turns: Turns
  readonly throughput: Throughput
  readonly #started = performance.now()
  readonly #options: CertifyOptions
  readonly #http: HttpClient
  /** For questions about the agent that are no part of the run. */
  readonly #aside: Wire
  readonly #deadline: AbortSignal
  readonly #stop = new AbortController()
  readonly #pulse: Pulse
  readonly #token: LiveToken | undefined
  /** What identified callers, for whoever looks whether it comes out again. */
  readonly secrets: string[] = []
  readonly #gate = new Gate()
  readonly #spans: Span[] = []
  #isPaceKnown = false
  #expected = 0
  #agent: { surfaces: readonly Surface[]; credentials: Headers } = { surfaces: [], credentials: [] }

  constructor(target: string, options: CertifyOptions) {
    this.#options = options
    this.timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
    this.redactor = new Redactor([...secretsOf(options), ...secretsInUrl(target)])
    this.#deadline = AbortSignal.timeout(options.deadlineMs ?? DEFAULT_DEADLINE_MS)
    const ends = [this.#deadline, this.#stop.signal]
    this.signal = AbortSignal.any(options.signal === undefined ? ends : [options.signal, ...ends])
    this.#http = judgeClient(this.timeoutMs, options)
    this.#pulse = new Pulse({
      ask: (origin, patienceMs) => this.#ask(origin, patienceMs),
      onDeath: () => this.#stop.abort(),
      timeoutMs: this.timeoutMs,
    })
    this.throughput = new Throughput(this.timeoutMs, options.concurrency)
    this.turns = new Turns({
      max: maxTurnsOf(options),
      onTurn: (span) => this.#learn(span),
      onLate: () => this.throughput.ranLate(),
    })
    const calls = new Calls([this.#pulse, this.turns, reporting(options.listener), this.#gate])
    this.#token = liveToken(options)
    if (this.#token !== undefined)
      this.#token.onToken = (token) => {
        this.redactor.register(token)
        this.secrets.push(token)
      }
    this.#aside = new Wire(this.#http, new Calls([]), { token: this.#token })
    const patience = new Patience(() => this.throughput.wasLimited())
    this.wire = new Wire(this.#http, calls, { patience, token: this.#token })
  }

  /** From now on it is known whom to ask whether the agent still lives, and whether it may refuse us. */
  found({ surfaces, card }: AgentFacts, credentials: Headers): void {
    this.#agent = { surfaces, credentials }
    this.#gate.isShut = demandsAuth(card) && credentials.length === 0 && this.#options.tls?.cert === undefined
  }

  /** How many turns it will take, about. */
  expect(turns: number): void {
    this.#expected = turns
  }

  /** Once enough turns were taken, tells how long all of them will take. */
  #learn(span: Span): void {
    if (this.#isPaceKnown) return
    this.#spans.push(span)
    const pace = paceOf(this.#spans)
    if (pace === undefined) return
    this.#isPaceKnown = true
    this.throughput.learned(pace)
    const { perTurnMs, isSerial, costMs } = pace
    const turns = this.#expected
    this.#options.listener?.onPace?.({ turns, perTurnMs, isSerial, totalMs: turns * costMs })
  }

  get elapsedMs(): number {
    return Math.round(performance.now() - this.#started)
  }

  /** Set when the agent stopped answering. */
  get death(): Death | undefined {
    return this.#pulse.death
  }

  /** How the run ended before it was through. */
  get end(): RunEnd | undefined {
    if (this.death !== undefined)
      return { reason: 'the agent stopped answering', exitCode: EXIT.agentStopped, isDecisive: true }
    return endOfRun({ user: this.#options.signal, deadline: this.#deadline })
  }

  close(): void {
    this.#http.close()
  }

  #ask(origin: string, timeoutMs: number): Promise<Sign> | undefined {
    const { surfaces, credentials } = this.#agent
    const surface = surfaces.find(({ url }) => new URL(url).origin === origin)
    return surface === undefined ? undefined : this.#signOf(surface, credentials, timeoutMs)
  }

  async #signOf(surface: Surface, credentials: Headers, timeoutMs: number): Promise<Sign> {
    const question = harmlessQuestion(surface, credentials)
    const sign = await this.#signAfter(question, timeoutMs)
    // An agent that breaks down over an unknown task is not gone.
    return sign === 'lost' && (await this.#signAfter(emptyMessage(surface, question), timeoutMs)) === 'alive'
      ? 'alive'
      : sign
  }

  async #signAfter(question: OutgoingRequest, timeoutMs: number): Promise<Sign> {
    const exchange = await this.#aside.send(question, { timeoutMs, signal: this.signal })
    if (exchange.response !== undefined) return isGatewayError(exchange) ? 'lost' : 'alive'
    const fault = this.#aside.faultOf(exchange)
    if (fault === 'timeout') return 'silent'
    if (fault === 'unreachable') return 'refused'
    // Ended by ourselves, or answered with something that is not HTTP: the agent is there.
    return fault === 'reset' ? 'lost' : 'alive'
  }
}

/** Tells the listener what is waited for. */
function reporting(listener: RunListener | undefined): CallWatcher {
  const open = new WeakMap<Call, () => void>()
  return {
    began(call) {
      const ended = listener?.onCall?.(call)
      if (ended !== undefined) open.set(call, ended)
    },
    ended: (call) => open.get(call)?.(),
  }
}
