// What a script has been played to so far: which task follows which rule or test case, and how many messages each task
// has had. Choosing a turn is the only thing that moves it; the script itself never changes.

import { setBounded } from '../../base/bounded.ts'
import type { JsonValue } from '../../model/json.ts'
import { textOf } from '../../model/task.ts'
import { decodeResponses, findDirectives, readTurns } from '../directives.ts'
import type { RequestFacts } from '../script/condition.ts'
import { isDirectReply, type Rule, type Script, type Turn } from '../script/script.ts'
import { describeNearest, matchRule, type NearestRule } from './match-rule.ts'

export interface TurnRequest extends RequestFacts {
  readonly taskId: string
}

export interface ChosenTurn {
  readonly ok: true
  /** Of the rule, or of the test case. */
  readonly id: string
  readonly from: 'rule' | 'test-case'
  readonly index: number
  readonly steps: Turn
  readonly captures: { readonly [name: string]: string }
}

export type TurnChoice =
  | ChosenTurn
  /** No rule fits: the request is refused. */
  | {
      readonly ok: false
      readonly reason: 'unmatched'
      readonly message: string
      readonly nearest: NearestRule | undefined
    }
  /** The script is at fault: the task fails and says so. */
  | { readonly ok: false; readonly reason: 'script-error'; readonly message: string }

interface Line {
  readonly id: string
  readonly from: ChosenTurn['from']
  readonly turns: readonly Turn[]
  /** Index of the task's message that the line's first turn answers. */
  readonly start: number
  readonly captures: { readonly [name: string]: string }
}

interface TestCase {
  readonly turns: readonly Turn[]
  readonly fingerprint: string
}

const NO_CAPTURES: Line['captures'] = {}

/** The test case of tasks that name none; no directive can spell it. */
const PRIMED = '(primed)'

/** Tasks beyond this are forgotten, oldest first: a mock that runs for days must not grow for ever. */
const MAX_TASKS = 100_000

/** Which turns were played, by rule or test case. */
class TurnSets {
  readonly #turns = new Map<string, Set<number>>()

  add(id: string, turn: number): void {
    const turns = this.#turns.get(id)
    if (turns === undefined) this.#turns.set(id, new Set([turn]))
    else turns.add(turn)
  }

  has(id: string, turn: number): boolean {
    return this.#turns.get(id)?.has(turn) ?? false
  }
}

export class Conversation {
  #script: Script
  readonly #tasks = new Map<string, { handled: number; line: Line | undefined }>()
  readonly #contexts = new Map<string, string>()
  readonly #testCases = new Map<string, TestCase>()
  readonly #played = new Map<string, number>()
  readonly #turnsPlayed = { rule: new TurnSets(), 'test-case': new TurnSets() }
  #hasFollowUpRules: boolean

  constructor(script: Script) {
    this.#script = script
    this.#hasFollowUpRules = hasFollowUps(script)
  }

  /** Another script from here on. Tasks under way play to the end what they began; what was played stays counted. */
  adopt(script: Script): void {
    this.#script = script
    this.#hasFollowUpRules = hasFollowUps(script)
  }

  /** Gives a test case its turns without a directive; without an id, every task that names no test case plays them. */
  prime(responses: JsonValue, testId?: string): { ok: true } | { ok: false; message: string } {
    const decoded = readTurns(responses)
    if (!decoded.ok) return decoded
    if (testId !== undefined) return this.#learn(testId, decoded)
    this.#testCases.set(PRIMED, decoded)
    return { ok: true }
  }

  choose(request: TurnRequest): TurnChoice {
    // A message to an ended task becomes a task of its own, which goes on where that one stopped.
    const task = this.#tasks.get(request.taskId) ??
      this.#tasks.get(request.message.taskId ?? '') ?? { handled: 0, line: undefined }
    const index = task.handled
    const line = this.#lineFor(request, index, task.line)
    if (!('turns' in line)) return line
    const steps = line.turns[index - line.start]
    if (steps !== undefined && this.#isLast(line, steps, index)) this.#tasks.delete(request.taskId)
    else setBounded(this.#tasks, request.taskId, { handled: index + 1, line }, MAX_TASKS)
    if (line.from === 'test-case') setBounded(this.#contexts, request.contextId, line.id, MAX_TASKS)
    if (steps === undefined)
      return scriptError(
        `no turn left: ${nameOf(line)} has ${count(line.turns.length, 'turn')}, and this is message ${index - line.start + 1} of the task`,
      )
    this.#turnsPlayed[line.from].add(line.id, index - line.start)
    if (line.from === 'rule' && index === line.start) this.#played.set(line.id, this.timesPlayed(line.id) + 1)
    return { ok: true, id: line.id, from: line.from, index: index - line.start, steps, captures: line.captures }
  }

  /** Whether the script of this task has an answer to another message. */
  hasTurnsLeft(taskId: string): boolean {
    const task = this.#tasks.get(taskId)
    return task?.line !== undefined && task.handled - task.line.start < task.line.turns.length
  }

  /** Whether nothing can follow: a direct reply leaves no task, and an ended task without turns takes no message. */
  #isLast(line: Line, steps: Turn, index: number): boolean {
    if (index === 0 && isDirectReply(steps)) return true
    const hasTurnsLeft = index - line.start + 1 < line.turns.length
    if (line.from === 'test-case' || this.#hasFollowUpRules || hasTurnsLeft) return false
    const last = steps.at(-1)
    return last?.is === 'event' && last.endsTask
  }

  /** How often a rule was begun. */
  timesPlayed(id: string): number {
    return this.#played.get(id) ?? 0
  }

  /** What the script required and did not get: rules played too rarely, turns never reached. */
  unmet(): string[] {
    const unmet: string[] = []
    for (const { id, times, turns } of this.#script.rules) {
      const played = this.timesPlayed(id)
      if (played < times.min)
        unmet.push(`rule '${id}' matched ${count(played, 'time')}; expected at least ${times.min}`)
      if (times.min > 0 && played > 0) unmet.push(...this.#unreached('rule', id, turns))
    }
    for (const [id, { turns }] of this.#testCases) unmet.push(...this.#unreached('test-case', id, turns))
    return unmet
  }

  #unreached(from: ChosenTurn['from'], id: string, turns: readonly Turn[]): string[] {
    const missing = turns.findIndex((_, i) => !this.#turnsPlayed[from].has(id, i))
    return missing < 0 ? [] : [`${nameOf({ from, id })}: turn ${missing} of ${turns.length} was never reached`]
  }

  /** The task's own line, then the test case named or remembered, then the rules. */
  #lineFor(request: TurnRequest, index: number, own: Line | undefined): Line | TurnChoice {
    const found = findDirectives(textOf(request.message))
    if (!found.ok) return scriptError(found.message)
    const { testId, responses } = found.directives
    if (testId !== undefined && responses !== undefined) {
      const learnt = this.#learnEncoded(testId, responses)
      if (!learnt.ok) return scriptError(learnt.message)
    }
    if (own !== undefined) {
      if (testId !== undefined && own.from === 'test-case' && testId !== own.id)
        return scriptError(`this task plays the test case '${own.id}', but the message names '${testId}'`)
      return (this.#hasFollowUpRules && this.#followUp(request, index)) || own
    }
    const wanted = testId ?? this.#contexts.get(request.contextId) ?? PRIMED
    const testCase = this.#testCases.get(wanted)
    if (testCase !== undefined)
      return { id: wanted, from: 'test-case', turns: testCase.turns, start: index, captures: {} }
    return this.#byRule(request, index, testId)
  }

  #followUp(request: TurnRequest, index: number): Line | undefined {
    const explicit = this.#script.rules.filter(({ turn }) => turn === index)
    const match = matchRule(explicit, request, index, this.#played)
    return match.ok ? lineOf(match.rule, index, match.captures) : undefined
  }

  #byRule(request: TurnRequest, index: number, testId: string | undefined): Line | TurnChoice {
    const { rules } = this.#script
    const match = matchRule(rules, request, index, this.#played)
    if (match.ok) return lineOf(match.rule, index, match.captures)
    if (testId !== undefined)
      return scriptError(`the test case '${testId}' is unknown: its first message must carry [responses_json=…]`)
    if (rules.length === 0)
      return scriptError(
        'the message carries no [test_case_id=…] and [responses_json=…], and there is no script to follow',
      )
    const { nearest } = match
    return {
      ok: false,
      reason: 'unmatched',
      message: `No rule of the script matches this message; ${describeNearest(nearest)}.`,
      nearest,
    }
  }

  #learnEncoded(testId: string, responses: string): { ok: true } | { ok: false; message: string } {
    const decoded = decodeResponses(responses)
    return decoded.ok
      ? this.#learn(testId, decoded)
      : { ok: false, message: `test case '${testId}': ${decoded.message}` }
  }

  #learn(testId: string, testCase: TestCase): { ok: true } | { ok: false; message: string } {
    const known = this.#testCases.get(testId)
    if (known !== undefined && known.fingerprint !== testCase.fingerprint)
      return {
        ok: false,
        message: `the test case '${testId}' is known with other responses; use another id or reset the mock`,
      }
    if (known === undefined) this.#testCases.set(testId, { turns: testCase.turns, fingerprint: testCase.fingerprint })
    return { ok: true }
  }
}

function hasFollowUps({ rules }: Script): boolean {
  return rules.some(({ turn }) => turn !== undefined && turn > 0)
}

const plainLines = new WeakMap<Rule, Line>()

function lineOf(rule: Rule, start: number, captures: { readonly [name: string]: string } | undefined): Line {
  if (captures !== undefined || start > 0) return newLine(rule, start, captures ?? NO_CAPTURES)
  let line = plainLines.get(rule)
  if (line === undefined) {
    line = newLine(rule, start, NO_CAPTURES)
    plainLines.set(rule, line)
  }
  return line
}

function newLine(rule: Rule, start: number, captures: Line['captures']): Line {
  return { id: rule.id, from: 'rule', turns: rule.turns, start, captures }
}

function nameOf({ from, id }: Pick<Line, 'from' | 'id'>): string {
  return from === 'rule' ? `rule '${id}'` : `test case '${id}'`
}

function scriptError(message: string): TurnChoice {
  return { ok: false, reason: 'script-error', message }
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}
