// Scripts of the mock written in TypeScript: the same model as the YAML file, with its types, checked by the same reader. What
// is built here can be written out as a file, and the other way round.

import type { DialectId } from '../../dialects/dialect.ts'
import { EXIT, ParleyError } from '../../model/errors.ts'
import type { JsonObject, JsonValue } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import type { FaultName } from '../faults/catalogue.ts'
import { parseScript } from './load-script.ts'
import type { Script } from './script.ts'

/** What a message says: a text, nothing, or its parts. Texts may hold templates such as `{{captures.name}}`. */
export type MockContent =
  | string
  | null
  | { text?: string; data?: JsonValue; parts?: readonly JsonValue[]; metadata?: JsonObject }

/** The states of a task as scripts write them. */
export type MockState =
  | 'submitted'
  | 'working'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'rejected'
  | 'input-required'
  | 'auth-required'

/** An artifact, whole or in pieces; its contents are one of `text`, `data`, `base64` and `file`. */
export interface MockArtifact {
  id?: string
  name?: string
  description?: string
  mediaType?: string
  text?: string
  data?: JsonValue
  base64?: string
  /** A file with its contents; only in scripts that are files themselves. */
  file?: string
  /** Send it in so many pieces. */
  chunks?: number
  append?: boolean
  lastChunk?: boolean
  metadata?: JsonObject
}

/** One step of a turn, in the words of the script file. `steps` makes them. */
export type MockStep =
  | { status: MockState; text?: string; data?: JsonValue; parts?: readonly JsonValue[]; metadata?: JsonObject }
  /** Milliseconds, or a text such as `2s`. */
  | { delay: number | string }
  | { artifact: MockArtifact }
  | { message: MockContent }
  | { complete: MockContent }
  | { fail: MockContent }
  | { reject: MockContent }
  | { 'input-required': MockContent }
  | { 'auth-required': MockContent }
  /** Any event as JSON, in the shape of 0.3 or of 1.0. */
  | { event: JsonObject }
  | { error: { kind: string; message?: string } }

/** What a text must be: a text it contains, a pattern (named groups become captures), or one of these. */
export type MockTextMatch = string | RegExp | { regex?: string; contains?: string; equals?: string }

/** Which messages a rule answers: all of it must hold. */
export interface MockMatch {
  /** The text parts together. */
  text?: MockTextMatch
  /** JSON paths into data parts, with the value expected there. */
  jsonpath?: { [path: string]: JsonValue | { regex?: string; contains?: string; equals?: JsonValue; exists?: boolean } }
  headers?: { [name: string]: MockTextMatch }
  /** `skillId` or `skill` in the metadata of message or request. */
  skill?: string
  /** Answer the message with this index of a task instead of the first. */
  turn?: number
  context?: MockTextMatch
}

/** What is answered to which messages. */
export interface MockRule {
  /**
   * How the journal and `verify` call it.
   * @default 'rule-1', 'rule-2', …
   */
  id?: string
  /** Every first message fits unless given. */
  match?: MockMatch
  /** What is answered to the first message of the task, the next, and so on. */
  turns: readonly (readonly MockStep[])[]
  /** How often it may and must be played. */
  times?: number | { min?: number; max?: number }
}

/** What the card of the mock says, and which credentials it asks for. */
export interface MockAgentInput {
  name?: string
  description?: string
  version?: string
  /** @default true */
  streaming?: boolean
  /**
   * The protocol version of the card at the root.
   * @default '1.0'
   */
  generation?: DialectId
  security?: readonly ('bearer' | 'api-key' | { bearer?: string; apiKey?: { header?: string; value?: string } })[]
  skills?: readonly { id: string; name?: string; description?: string; tags?: readonly string[] }[]
  /**
   * 'counted' names tasks and contexts task-1, context-1, …, the same in every run.
   * @default 'random'
   */
  ids?: 'random' | 'counted'
}

/** A fault as a script writes it: `{ do: 'http-status', with: { status: 503 }, count: 1 }`. */
export interface FaultInput {
  id?: string
  do: FaultName | 'reset'
  at?: { rule?: string; turn?: number; operation?: Operation; afterEvent?: number }
  with?: { [name: string]: JsonValue }
  count?: number
  after?: number
  every?: number
  probability?: number
  seed?: number
}

/** A script as its file writes it. */
export interface MockScript {
  agent?: MockAgentInput
  rules?: readonly MockRule[]
  faults?: readonly FaultInput[]
}

/** The steps of a turn, by name. */
export const steps = {
  status: (status: MockState, text?: string): MockStep => ({ status, ...(text === undefined ? {} : { text }) }),
  /** Says nothing for so many milliseconds. */
  delay: (ms: number): MockStep => ({ delay: `${ms}ms` }),
  artifact: (artifact: MockArtifact): MockStep => ({ artifact }),
  /** Alone in its turn a reply without a task; among other steps, progress of the task. */
  message: (content: MockContent): MockStep => ({ message: content }),
  complete: (content: MockContent = null): MockStep => ({ complete: content }),
  fail: (content: MockContent = null): MockStep => ({ fail: content }),
  reject: (content: MockContent = null): MockStep => ({ reject: content }),
  inputRequired: (content: MockContent = null): MockStep => ({ 'input-required': content }),
  authRequired: (content: MockContent = null): MockStep => ({ 'auth-required': content }),
  event: (event: JsonObject): MockStep => ({ event }),
  /** Answers with an A2A error, such as `TaskNotFound`. */
  error: (kind: string, message?: string): MockStep => ({
    error: { kind, ...(message === undefined ? {} : { message }) },
  }),
} as const

/**
 * A script, rule by rule.
 *
 * @example
 * ```ts
 * import { createMockAgent, mockScript, steps } from 'a2a-parley/mock'
 *
 * const script = mockScript({ name: 'reports', ids: 'counted' })
 *   .on(/report (?<name>\w+)/, [
 *     steps.status('working', 'Working on {{captures.name}}'),
 *     steps.artifact({ name: '{{captures.name}}.csv', mediaType: 'text/csv', text: 'a,b\n1,2', chunks: 3 }),
 *     steps.inputRequired('Include totals?'),
 *   ], [
 *     steps.complete('Done.'),
 *   ])
 *   .on('hello', [steps.message('Hi.')])
 * await using mock = await createMockAgent({ script }).start()
 * ```
 */
export function mockScript(agent?: MockAgentInput): MockScriptBuilder {
  return new MockScriptBuilder(agent === undefined ? {} : { agent })
}

/** A script being built; every call returns another one, so that a common beginning can be shared. */
export class MockScriptBuilder {
  readonly #written: MockScript

  constructor(written: MockScript = {}) {
    this.#written = written
  }

  /** Answers messages that fit: one list of steps for the first message of the task, another for the next, and so on. */
  on(match: string | RegExp | MockMatch, ...turns: readonly (readonly MockStep[])[]): MockScriptBuilder {
    const isText = typeof match === 'string' || match instanceof RegExp
    return this.rule({ match: isText ? { text: match } : match, turns })
  }

  /** Adds a rule with all that the file can say about one. */
  rule(rule: MockRule): MockScriptBuilder {
    return new MockScriptBuilder({ ...this.#written, rules: [...(this.#written.rules ?? []), rule] })
  }

  /** Lets something go wrong. */
  fault(fault: FaultInput): MockScriptBuilder {
    return new MockScriptBuilder({ ...this.#written, faults: [...(this.#written.faults ?? []), fault] })
  }

  /** The script as its file says it; `JSON.stringify` of it is a script file. */
  toJSON(): JsonObject {
    return inFileForm(this.#written) as JsonObject
  }

  /**
   * The script as the mock plays it.
   *
   * @internal
   */
  build(): Script {
    return parseScript(JSON.stringify(this, undefined, 2))
  }

  /** Validates the script as a file would be: throws a ParleyError that lists everything wrong with it. */
  check(): this {
    this.build()
    return this
  }
}

/** Patterns become the word for them; everything else is JSON already. */
function inFileForm(value: unknown): JsonValue | undefined {
  if (value instanceof RegExp) return { regex: sourceOf(value) }
  if (Array.isArray(value)) return value.map((each) => inFileForm(each) ?? null)
  if (typeof value !== 'object' || value === null) return value as JsonValue | undefined
  const members = Object.entries(value).flatMap(([name, member]): [string, JsonValue][] => {
    const written = inFileForm(member)
    return written === undefined ? [] : [[name, written]]
  })
  return Object.fromEntries(members)
}

function sourceOf({ source, flags }: RegExp): string {
  if (flags === '' || flags === 'u') return source
  throw new ParleyError('script-invalid', `/${source}/${flags}: patterns of a script have no flags but u.`, {
    exitCode: EXIT.usage,
    hint: 'Write [Aa] for both cases.',
  })
}
