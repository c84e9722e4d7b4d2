// The words in which a check states its claim. Each throws a CheckFailure that quotes what was expected, what came
// and the exchange that proves it.

import { defined } from '../../base/defined.ts'
import { OTHER_REVISION, type RawError } from '../../bindings/probe.ts'
import { BINDINGS } from '../../bindings/registry.ts'
import type { BindingId, DialectId } from '../../dialects/dialect.ts'
import type { GenerationRules } from '../../dialects/expectations.ts'
import type { A2AErrorKind } from '../../model/errors.ts'
import { type JsonValue, sameJson } from '../../model/json.ts'
import type { TaskState } from '../../model/task.ts'
import type { Exchange } from '../../trace/exchange.ts'
import type { Answer } from './answer.ts'
import {
  ANSWER_EVERY_REQUEST,
  CheckFailure,
  type Finding,
  NotApplicable,
  NotMeasured,
  SpecConflict,
} from './check-failure.ts'
import { describeError, describeExpected, leewayFor, matchError, numbersOf } from './error-table.ts'
import { inConflict } from './in-conflict.ts'
import { excessOf } from './json-limits.ts'
import { type RawMessage, type RawSendResult, type RawTask, rawSendResult, rawTask } from './raw.ts'
import { RawStream } from './raw-stream.ts'
import type { RunContext } from './run-context.ts'
import type { Surface } from './surface.ts'
import { FORGOTTEN, querySymptoms, unrefusedSymptoms, wrongErrorSymptoms } from './symptoms.ts'

/** Where the evidence of an assertion lies. */
export type Evidence = Answer | RawStream | Exchange | readonly Exchange[]

export interface Claim {
  expected?: string
  actual?: string
  pointer?: string
  /** Overrides the recommendation of the check. */
  fix?: string
  at?: Evidence
  /** What other checks meet as well when this fails (symptoms.ts). */
  symptoms?: readonly string[]
  /** What came is the answer to a request that must be refused. */
  isUnrefused?: true
}

/** What a check says besides its verdict, over whichever binding it speaks. */
export class Remarks {
  /** They do not fail the check: drift between revisions, defensible choices. */
  readonly warnings: string[] = []
  readonly notes: string[] = []
  /** What it has met that other checks meet as well. */
  readonly symptoms: string[] = []
  /** How many claims were made about something the agent sent; a check that made none has seen nothing. */
  claims = 0
}

export abstract class Assertions {
  readonly surface: Surface
  protected readonly run: RunContext
  protected readonly remarks: Remarks

  constructor(run: RunContext, surface: Surface, remarks = new Remarks()) {
    this.run = run
    this.surface = surface
    this.remarks = remarks
  }

  get warnings(): readonly string[] {
    return this.remarks.warnings
  }

  get notes(): readonly string[] {
    return this.remarks.notes
  }

  get symptoms(): readonly string[] {
    return this.remarks.symptoms
  }

  get claims(): number {
    return this.remarks.claims
  }

  get generation(): DialectId {
    return this.surface.generation
  }

  /** What this generation asks for differently from others. */
  get rules(): GenerationRules {
    return this.surface.dialect.expects.rules
  }

  get binding(): BindingId {
    return this.surface.binding
  }

  // ── how a body ends early ──────────────────────────────────────────────────────────────────────────────────────

  fail(message: string, claim: Claim = {}): never {
    const finding: Finding = { message }
    if (claim.expected !== undefined) finding.expected = claim.expected
    if (claim.actual !== undefined) finding.actual = claim.actual
    if (claim.pointer !== undefined) finding.pointer = claim.pointer
    if (claim.fix !== undefined) finding.fix = claim.fix
    if (claim.at !== undefined) finding.exchanges = exchangesOf(claim.at)
    if (claim.isUnrefused === true) finding.isUnrefused = true
    const last = finding.exchanges?.at(-1)
    this.remarks.symptoms.push(...(claim.symptoms ?? []), ...querySymptoms(this.surface, last))
    throw new CheckFailure(finding)
  }

  notMeasured(reason: string, wouldNeed?: string): never {
    throw new NotMeasured(reason, wouldNeed)
  }

  /** The prompt made the agent do something else: not a fault, and nothing is known about the claim. */
  notProvoked(what: string, task: RawTask): never {
    return this.notMeasured(
      `the prompt for "${what}" left the task ${task.stateText}`,
      `a prompt that makes the agent show "${what}", named in --behaviors`,
    )
  }

  notApplicable(reason: string): never {
    throw new NotApplicable(reason)
  }

  /** The texts disagree, and the agent follows one of them; `place` is a row of docs/spec-conflicts.md. */
  conflict(place: number, message: string): never {
    throw new SpecConflict(inConflict(place, message))
  }

  /**
   * Turns a pass into a warning without stopping the check, where the texts contradict each other: `place` is a row of
   * docs/spec-conflicts.md. What a row of the register advises is claimed with `expect`, and warns by its level.
   */
  warn(place: number, message: string): void {
    this.caution(inConflict(place, message))
  }

  /** A warning no text stands behind: only for claims about two agents together. */
  caution(message: string): void {
    this.remarks.claims++
    this.remarks.warnings.push(message)
  }

  /** What came is one of the things the text allows: a claim that holds, with a remark. */
  allow(remark: string): void {
    this.remarks.claims++
    this.remarks.notes.push(remark)
  }

  /** Only said; a check that says nothing else has judged nothing. */
  note(message: string): void {
    this.remarks.notes.push(message)
  }

  // ── claims ─────────────────────────────────────────────────────────────────────────────────────────────────────

  expect(condition: boolean, message: string, claim: Claim = {}): void {
    this.remarks.claims++
    if (!condition) this.fail(message, claim)
  }

  /** Deep equality of JSON; numbers are compared as numbers. */
  expectEqual(actual: JsonValue | undefined, expected: JsonValue | undefined, what: string, claim: Claim = {}): void {
    this.remarks.claims++
    if (sameJson(actual, expected)) return
    this.fail(`${what} is ${quote(actual)} instead of ${quote(expected)}`, {
      expected: quote(expected),
      actual: quote(actual),
      ...claim,
    })
  }

  /** Some answer came back at all; what it says is still to be claimed. */
  expectAnswered(x: Answer | RawStream): void {
    const { failure, response } = x.exchange
    if (response !== undefined && failure === undefined) return
    // A stream that broke after its error has answered.
    if (x instanceof RawStream && x.error !== undefined && x.frames.length > 0) return
    const reason = failure ?? response?.incomplete ?? 'no response'
    this.fail(`${x.about} was not answered: ${reason}`, {
      expected: 'an HTTP response',
      actual: reason,
      at: x,
      fix: ANSWER_EVERY_REQUEST,
    })
  }

  expectSuccess(x: Answer): JsonValue {
    this.remarks.claims++
    return this.resultIn(x)
  }

  /** The same for what a check needs before it can judge: it claims nothing. */
  protected resultIn(x: Answer): JsonValue {
    this.expectAnswered(x)
    if (x.error !== undefined) {
      const actual = describeError(x.error)
      this.fail(`${x.about} failed: ${actual}`, {
        expected: 'a result',
        actual,
        pointer: x.error.pointer,
        at: x,
        symptoms: x.forgotten === undefined ? [] : [FORGOTTEN],
      })
    }
    if (x.result === undefined) {
      const actual = x.text === '' ? 'an empty body' : quote(x.text)
      const excess = excessOf(x.text)
      const what = `the response to ${x.about}`
      const message = excess === undefined ? `${what} carries no result` : `${what} cannot be read: ${excess}`
      this.fail(message, { expected: 'a result', actual, pointer: x.resultPointer, at: x })
    }
    return x.result
  }

  /** Refused with one of these errors. Codes of the other patch revision pass with a warning that names it. */
  expectError(x: Answer | RawStream, ...kinds: [A2AErrorKind, ...A2AErrorKind[]]): void {
    const { generation, binding } = this.surface
    const { revision } = this.run
    const expected = kinds.map((kind) => describeExpected(generation, binding, kind, revision)).join(' or ')
    this.expectRefused(x, expected)
    const { error } = x
    if (error === undefined) return
    for (const kind of kinds) {
      const match = matchError(generation, binding, error, kind, revision)
      if (!match.fits) continue
      if (match.otherRevision !== undefined) {
        this.warn(
          4,
          `${describeError(error)} follows revision ${match.otherRevision}; this run tests against revision ${revision}`,
        )
      }
      return
    }
    if (this.#tolerates(error, kinds, expected)) return
    const actual = describeError(error)
    this.fail(`${x.about} is refused with the wrong error: ${actual}`, {
      expected,
      actual,
      pointer: BINDINGS[this.binding].probe.errors.numberPointer ?? error.pointer,
      at: x,
      symptoms: this.#symptomsOf(error, kinds),
    })
  }

  /** Refused with any error. */
  expectRefused(x: Answer | RawStream, expected = 'an error'): void {
    this.remarks.claims++
    this.expectAnswered(x)
    if (x.error !== undefined) return
    const isStream = x instanceof RawStream
    const actual = isStream ? `a stream with ${x.events.length} event(s)` : quote(x.result ?? x.text)
    this.fail(`${x.about} returned ${isStream ? 'a stream' : x.statusText}; expected ${expected}`, {
      expected,
      actual,
      at: x,
      symptoms: isStream && x.refused === undefined ? [] : unrefusedSymptoms(isStream ? x.refused?.result : x.result),
      isUnrefused: true,
    })
  }

  /** The exact number the table of the generation assigns to this error on this binding. */
  expectErrorNumber(x: Answer | RawStream, kind: A2AErrorKind): void {
    const { revision } = this.run
    const expected = describeExpected(this.generation, this.binding, kind, revision)
    this.expectRefused(x, expected)
    const { error } = x
    if (error === undefined) return
    const numbers = numbersOf(this.generation, kind)
    const actual = describeError(error)
    const { errors } = BINDINGS[this.binding].probe
    const match = errors.matchNumber(error, numbers, revision)
    if (match.fits && match.otherRevision === undefined) return
    if (this.#tolerates(error, [kind], expected)) return
    const { numberPointer: pointer } = errors
    this.expect(match.fits, errors.actual(error), {
      ...{ expected, actual, at: x, symptoms: this.#symptomsOf(error, [kind]) },
      ...defined({ pointer }),
    })
    this.warn(4, `${actual} follows revision ${OTHER_REVISION[revision]}; this run tests against revision ${revision}`)
  }

  #symptomsOf(error: RawError, kinds: readonly A2AErrorKind[]): string[] {
    return wrongErrorSymptoms(this.surface, error, kinds, this.run.revision)
  }

  /** Refused with another number where the texts leave room for it: a warning that says so. */
  #tolerates(error: RawError, kinds: readonly A2AErrorKind[], expected: string): boolean {
    const place = leewayFor(this.generation, this.binding, error, kinds)
    if (place === undefined) return false
    this.warn(place, `refused with ${describeError(error)} instead of ${expected}`)
    this.remarks.symptoms.push(...this.#symptomsOf(error, kinds))
    return true
  }

  // ── reading results ────────────────────────────────────────────────────────────────────────────────────────────

  /** The task in a successful answer, wrapped or bare. */
  taskOf(x: Answer): RawTask {
    this.remarks.claims++
    return this.taskIn(x)
  }

  protected taskIn(x: Answer): RawTask {
    const result = this.resultIn(x)
    const isSend = x.op === 'sendMessage'
    const sent = isSend ? rawSendResult(result, x.resultPointer) : undefined
    const task = isSend
      ? sent !== undefined && 'task' in sent
        ? sent.task
        : undefined
      : rawTask(result, x.resultPointer)
    if (task !== undefined) return task
    return this.fail(`the result of ${x.about} is not a task`, {
      expected: 'a task with id and status',
      actual: quote(result),
      pointer: x.resultPointer,
      at: x,
    })
  }

  /** Task or message of a send; fails when it is neither. */
  sendResultOf(x: Answer): NonNullable<RawSendResult> {
    this.remarks.claims++
    return this.sendResultIn(x)
  }

  sendResultIn(x: Answer): NonNullable<RawSendResult> {
    const result = this.resultIn(x)
    const seen = rawSendResult(result, x.resultPointer)
    if (seen !== undefined) return seen
    return this.fail('the result of the send is neither a task nor a message', {
      expected: 'a task or a message',
      actual: quote(result),
      pointer: x.resultPointer,
      at: x,
    })
  }

  messageOf(x: Answer): RawMessage {
    const sent = this.sendResultIn(x)
    this.remarks.claims++
    if ('message' in sent) return sent.message
    return this.notMeasured(
      'the agent answered with a task, not with a message',
      'a prompt for "message-only" in the file given with --behaviors',
    )
  }

  expectState(task: RawTask, states: readonly TaskState[], at: Evidence): void {
    this.remarks.claims++
    if (task.state !== undefined && states.includes(task.state)) return
    this.fail(`task ${task.id} is in state ${task.stateText}`, {
      expected: states.join(' or '),
      actual: task.stateText,
      pointer: `${task.pointer}/status/state`,
      at,
    })
  }
}

function exchangesOf(at: Evidence): readonly Exchange[] {
  if (Array.isArray(at)) return at as readonly Exchange[]
  return 'exchange' in at ? [at.exchange] : [at as Exchange]
}

/** JSON in one readable line, cut at a readable length. */
export function quote(value: JsonValue | undefined, limit = 300): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > limit ? `${text.slice(0, limit)}…` : text
}
