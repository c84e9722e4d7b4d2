// What is known of one scenario after the client has had its try: what it sent, how it ended, what it said. Claims read
// it; what they throw is the verdict.

import type { JsonObject } from '../model/json.ts'
import type { Operation } from '../model/operation.ts'
import type { Call } from './call.ts'
import type { ClientExit } from './graded-client.ts'
import { type Outcome, stateNamed } from './intent.ts'
import type { Surface } from './scenario.ts'
import type { Stage } from './stage.ts'

/** The claim does not hold. */
export class ClaimFailure extends Error {
  override readonly name = 'ClaimFailure'
  readonly calls: readonly Call[]
  readonly pointer: string | undefined

  constructor(message: string, where: { calls?: readonly Call[]; pointer?: string } = {}) {
    super(message)
    this.calls = where.calls ?? []
    this.pointer = where.pointer
  }
}

/** Nothing was seen that the claim is about. */
export class NotMeasured extends Error {
  override readonly name = 'NotMeasured'
}

export class Evidence {
  readonly surface: Surface
  readonly #stage: Stage | undefined
  readonly calls: readonly Call[]
  readonly exit: ClientExit
  readonly outcome: Outcome | undefined

  constructor(seen: { surface: Surface; calls: readonly Call[]; stage?: Stage }, exit: ClientExit) {
    this.surface = seen.surface
    this.#stage = seen.stage
    this.calls = seen.calls
    this.exit = exit
    this.outcome = exit.outcome?.outcome === 'unsupported' ? undefined : exit.outcome
    if (exit.outcome?.outcome === 'unsupported') throw new NotMeasured('the client says that it cannot do this')
  }

  /** Where it was played; what was recorded elsewhere has none. */
  get stage(): Stage {
    if (this.#stage === undefined) throw new NotMeasured('it can only be judged in a scenario, not in recorded traffic')
    return this.#stage
  }

  /** Calls of these operations, in order. */
  of(...ops: readonly Operation[]): Call[] {
    return this.calls.filter(({ op }) => op !== undefined && ops.includes(op))
  }

  /** Messages that were sent, streamed or not. */
  get sent(): Call[] {
    return this.of('sendMessage', 'streamMessage')
  }

  /** Everything but cards. */
  get asked(): Call[] {
    return this.calls.filter(({ isCard }) => !isCard)
  }

  /** The first call of an operation; not measured without one. */
  first(...ops: readonly Operation[]): Call {
    const [call] = this.of(...ops)
    if (call === undefined) throw new NotMeasured(`the client never called ${ops.join(' or ')}`)
    return call
  }

  get firstSent(): Call {
    return this.first('sendMessage', 'streamMessage')
  }

  firstMessage(): JsonObject {
    const call = this.firstSent
    if (call.message === undefined) throw new ClaimFailure('the request holds no message', { calls: [call] })
    return call.message
  }

  /** What the client said it understood; not measured when it said nothing. */
  get understood(): Outcome {
    if (this.outcome === undefined)
      throw new NotMeasured('the client does not print what it understood (docs/grade-a-client.md, depth 2)')
    return this.outcome
  }

  get state(): string | undefined {
    return stateNamed(this.understood.state)
  }

  /** It says so, by exit code or in words. */
  get reportsSuccess(): boolean {
    this.need(this.exit.isUnknown !== true, 'it is not known how the client ended')
    return this.exit.code === 0
  }

  get hung(): boolean {
    this.need(this.exit.isUnknown !== true, 'it is not known how the client ended')
    return this.exit.isTimeout
  }

  need(condition: boolean, reason: string): void {
    if (!condition) throw new NotMeasured(reason)
  }

  expect(condition: boolean, message: string, ...calls: readonly (Call | undefined)[]): void {
    if (!condition) throw new ClaimFailure(message, { calls: calls.filter((call) => call !== undefined) })
  }

  /** It did not end by itself. */
  expectEnded(): void {
    this.expect(!this.hung, `the client did not end within ${this.exit.durationMs} ms`, this.calls.at(-1))
  }

  expectSuccess(): void {
    this.expectEnded()
    this.expect(
      this.reportsSuccess,
      `the client reports failure (exit code ${this.exit.code ?? 'none'}) although the agent did everything right`,
      this.calls.at(-1),
    )
  }

  expectNoSuccess(why: string): void {
    this.expectEnded()
    this.expect(!this.reportsSuccess, `the client reports success (exit code 0) although ${why}`, this.calls.at(-1))
  }

  /** The whole text it understood. */
  expectText(text: string): void {
    const { understood } = this
    const seen = understood.text ?? ''
    this.expect(
      seen.includes(text),
      `the client understood ${JSON.stringify(seen.slice(0, 200))}, not ${JSON.stringify(text.slice(0, 200))}`,
      this.calls.at(-1),
    )
  }
}
