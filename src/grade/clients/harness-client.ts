// One process for all scenarios: a line of JSON in for each, a line of JSON out, in any order.

import { createInterface } from 'node:readline'
import { jsonIn } from '../../bindings/endpoint-client.ts'
import { ParleyError } from '../../model/errors.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import type { ClientExit, GradedClient } from '../graded-client.ts'
import { outcomeIn } from '../intent.ts'
import { type Child, type ChildOptions, endGroup, FLOODED, FloodGuard, Output, startChild } from './child.ts'
import type { variablesOf } from './command-client.ts'

interface Waiting {
  readonly startedMs: number
  readonly resolve: (exit: ClientExit) => void
}

const NO_OUTCOME = { outcome: undefined, stdout: '', stderr: '' }

export async function harnessClient(
  words: readonly string[],
  options: ChildOptions = {},
): Promise<GradedClient & { readonly problems: readonly string[] }> {
  const child = await startChild(words, options)
  const harness = new Harness(child)
  return {
    name: words.join(' '),
    problems: harness.problems,
    run: ({ intent, ...rest }, timeoutMs, signal) =>
      harness.ask({ ...requestOf({ intent, ...rest }) }, timeoutMs, signal),
    async close() {
      endGroup(child)
    },
  }
}

function requestOf(assignment: Parameters<typeof variablesOf>[0]): Record<string, JsonValue> {
  const { scenario, surface, url, cardUrl, intent } = assignment
  const { version, binding } = surface
  return { scenario, url, cardUrl, version, transport: binding, intent: intent as unknown as JsonValue }
}

class Harness {
  /** What it did against the contract, each once. */
  readonly problems: string[] = []
  readonly #child: Child
  readonly #stderr: Output
  readonly #guard: FloodGuard
  readonly #waiting = new Map<number, Waiting>()
  readonly #answered = new Set<number>()
  /** Not waited for any more; whatever comes for them is too late, and no breach of the contract. */
  readonly #given = new Set<number>()
  #lastId = 0
  #ended: string | undefined

  constructor(child: Child) {
    this.#child = child
    this.#stderr = new Output(child.stderr)
    this.#guard = new FloodGuard(child)
    createInterface({ input: child.stdout }).on('line', (line) => this.#read(line))
    child.once('close', (code, signal) => this.#end(this.#guard.isFlooded ? FLOODED : (signal ?? `exit code ${code}`)))
  }

  ask(request: Record<string, JsonValue>, timeoutMs: number, signal: AbortSignal): Promise<ClientExit> {
    if (this.#ended !== undefined)
      throw new ParleyError('harness-ended', `The harness exited (${this.#ended}): ${this.#lastWords()}`)
    const id = ++this.#lastId
    return new Promise((resolve) => {
      const giveUp = (isTimeout: boolean) => {
        this.#given.add(id)
        this.#give(id, { code: undefined, isTimeout, ...NO_OUTCOME })
      }
      const timer = setTimeout(() => giveUp(true), timeoutMs)
      const stop = () => giveUp(false)
      signal.addEventListener('abort', stop, { once: true })
      this.#waiting.set(id, {
        startedMs: performance.now(),
        resolve: (exit) => {
          clearTimeout(timer)
          signal.removeEventListener('abort', stop)
          resolve(exit)
        },
      })
      this.#child.stdin.write(`${JSON.stringify({ id, ...request })}\n`)
    })
  }

  #read(line: string): void {
    const value = jsonIn(line)
    const id = isJsonObject(value) ? value.id : undefined
    if (typeof id === 'number' && this.#given.delete(id)) return
    const problem = this.#problemOf(id)
    if (problem !== undefined || typeof id !== 'number') {
      this.#complain(problem ?? '')
      return
    }
    const outcome = outcomeIn(line)
    if (outcome === undefined) this.#complain(`Its answer to request ${id} has no outcome.`)
    const isFulfilled =
      isJsonObject(value) && value.fulfilled !== undefined ? value.fulfilled === true : outcome?.outcome !== 'error'
    this.#give(id, { code: isFulfilled ? 0 : 1, isTimeout: false, outcome, stdout: line.slice(0, 4_000), stderr: '' })
  }

  #problemOf(id: JsonValue | undefined): string | undefined {
    if (typeof id !== 'number') return 'It prints lines that are not answers: use stderr for everything else.'
    if (this.#answered.has(id)) return `It answered request ${id} twice.`
    return this.#waiting.has(id) ? undefined : `It answered request ${id}, which was never made.`
  }

  #give(id: number, exit: Omit<ClientExit, 'durationMs'>): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    this.#waiting.delete(id)
    this.#answered.add(id)
    this.#guard.forget()
    waiting.resolve({ ...exit, durationMs: Math.round(performance.now() - waiting.startedMs) })
  }

  #end(why: string): void {
    this.#ended = why
    if (this.#waiting.size > 0) this.#complain(`It exited before it had answered (${why}): ${this.#lastWords()}`)
    for (const id of [...this.#waiting.keys()])
      this.#give(id, { code: undefined, signal: why, isTimeout: false, ...NO_OUTCOME, stderr: this.#stderr.text })
  }

  #complain(problem: string): void {
    if (!this.problems.includes(problem) && this.problems.length < 20) this.problems.push(problem)
  }

  #lastWords(): string {
    return this.#stderr.text.trim().split('\n').slice(-3).join(' | ').slice(0, 500) || 'it printed nothing'
  }
}
