// The schemas of one generation: raw JSON in, yes or no, or a list of issues out. Nothing here knows a codec: the judge
// and the dialects share the schemas, not each other's opinion.

import type { Issue } from '../model/issue.ts'
import { type Decide, decider } from './decide.ts'
import type { Definitions } from './definition.ts'
import { explain } from './explain.ts'
import { type Tolerated, tolerant } from './tolerant.ts'

const NO_ISSUES: readonly Issue[] = Object.freeze([])

export class SchemaSet<Name extends string = string> {
  readonly definitions: Definitions
  readonly tolerated: Tolerated
  readonly #decide: (name: string) => Decide
  readonly #decideFilled: (name: string) => Decide

  constructor(definitions: Readonly<Record<Name, Definitions[string]>>, tolerated: Tolerated) {
    this.definitions = definitions
    this.tolerated = tolerated
    this.#decide = decider(definitions, false)
    this.#decideFilled = decider(tolerant(definitions, tolerated), true)
  }

  /** The cheap question: stops at the first fault and builds no messages. */
  isValid(name: Name, value: unknown): boolean {
    return this.#decide(name)(value)
  }

  /** What is wrong with `value`; empty when it is valid. */
  validate(name: Name, value: unknown): readonly Issue[] {
    return this.isValid(name, value) ? NO_ISSUES : explain(this.definitions, this.#decide, name, value)
  }

  /**
   * Reads a peer's answer with the defaults of `tolerated.ts` standing in for what it forgot. The value itself is left
   * alone: undefined means not even that helps.
   */
  readTolerantly(name: Name, value: unknown): unknown {
    const copy: unknown = structuredClone(value)
    return this.#decideFilled(name)(copy) ? copy : undefined
  }
}
