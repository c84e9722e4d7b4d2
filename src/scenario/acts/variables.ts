// `{{…}}` in a test: captures of earlier steps, then the variables of the document, the environment, and generators.
// What the runner provides (its own address, its webhook) wins over the document, which can only guess it.

import { randomUUID } from 'node:crypto'
import type { JsonValue } from '../../model/json.ts'
import { at, parsePath } from '../../yaml/value-path.ts'
import { StepNotMeasured } from './outcome.ts'

/** What a step left behind: its captures, and `response`, `status`, `headers`, `events`, `error`. */
export type StepScope = { [name: string]: JsonValue | undefined }

const REFERENCE = /\{\{\s*([^{}]+?)\s*\}\}/g
const MAX_DEPTH = 10

export interface VariableSources {
  provided: ReadonlyMap<string, string>
  document: ReadonlyMap<string, string>
  env: Readonly<Record<string, string | undefined>>
}

export class Variables {
  readonly #sources: VariableSources
  readonly #scopes = new Map<string, StepScope>()

  constructor(sources: VariableSources) {
    this.#sources = sources
  }

  setScope(stepId: string, scope: StepScope): void {
    this.#scopes.set(stepId, scope)
  }

  /** A text that is one reference becomes the value itself, whatever its type. */
  resolve(text: string, depth = 0): JsonValue {
    const [whole] = text.matchAll(REFERENCE)
    if (whole !== undefined && whole[0].length === text.trim().length) return this.lookUp(whole[1] ?? '', depth)
    return text.replaceAll(REFERENCE, (_, expression: string) => {
      const value = this.lookUp(expression, depth)
      return typeof value === 'string' ? value : JSON.stringify(value)
    })
  }

  resolveDeep(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.resolve(value)
    if (Array.isArray(value)) return value.map((item) => this.resolveDeep(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, item === undefined ? item : this.resolveDeep(item)]),
    )
  }

  lookUp(expression: string, depth = 0): JsonValue {
    const found = this.#find(expression, depth)
    if (found !== undefined) return found
    throw new StepNotMeasured(
      `the variable {{${expression}}} has no value; capture it in an earlier step, define it under variables, or write {{env.NAME}} and set that`,
    )
  }

  #find(expression: string, depth: number): JsonValue | undefined {
    if (depth > MAX_DEPTH) return undefined
    const dot = expression.indexOf('.')
    const [head, rest] = dot < 0 ? [expression, ''] : [expression.slice(0, dot), expression.slice(dot + 1)]
    const scope = this.#scopes.get(head)
    const path = parsePath(rest)
    if (scope !== undefined && path !== undefined) return at(scope, path)
    const provided = this.#sources.provided.get(expression)
    if (provided !== undefined) return provided
    const written = this.#sources.document.get(expression)
    if (written !== undefined) return this.resolve(written, depth + 1)
    if (head === 'env') return this.#sources.env[rest]
    return expression === '$uuid' ? randomUUID() : undefined
  }
}
