// Scripts of the mock written in TypeScript: the same model as the YAML file, with its types, checked by the same reader. What
// is built here can be written out as a file, and the other way round.

import { EXIT, ParleyError } from '../../model/errors.ts'
import type { JsonObject, JsonValue } from '../../model/json.ts'
import { parseScript } from './load-script.ts'
import type { Script } from './script.ts'
import type {
  FaultInput,
  MockAgentInput,
  MockArtifact,
  MockContent,
  MockMatch,
  MockRule,
  MockScript,
  MockState,
  MockStep,
} from './script-input.ts'

/**
 * The steps of a turn, by name.
 *
 * @example
 * ```ts
 * import { mockScript, steps } from 'a2a-parley/mock'
 *
 * const script = mockScript().on('report', [
 *   steps.status('working'),
 *   steps.delay(50),
 *   steps.artifact({ name: 'report.txt', text: 'All is well.' }),
 *   steps.complete('Here you are.'),
 * ])
 * ```
 */
export const steps = {
  /** The task takes this state. */
  status: (status: MockState, text?: string): MockStep => ({ status, ...(text === undefined ? {} : { text }) }),
  /** Says nothing for so many milliseconds. */
  delay: (ms: number): MockStep => ({ delay: `${ms}ms` }),
  /** Produces an artifact. */
  artifact: (artifact: MockArtifact): MockStep => ({ artifact }),
  /** Alone in its turn a reply without a task; among other steps, progress of the task. */
  message: (content: MockContent): MockStep => ({ message: content }),
  /** Ends the task in COMPLETED. */
  complete: (content: MockContent = null): MockStep => ({ complete: content }),
  /** Ends the task in FAILED. */
  fail: (content: MockContent = null): MockStep => ({ fail: content }),
  /** Ends the task in REJECTED. */
  reject: (content: MockContent = null): MockStep => ({ reject: content }),
  /** The task waits for another message. */
  inputRequired: (content: MockContent = null): MockStep => ({ 'input-required': content }),
  /** The task waits for authorization. */
  authRequired: (content: MockContent = null): MockStep => ({ 'auth-required': content }),
  /** Any event as JSON, in the shape of 0.3 or of 1.0. */
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

/**
 * A script being built; every call returns another one, so that a common beginning can be shared.
 *
 * @example
 * ```ts
 * import { createMockAgent, mockScript, steps } from 'a2a-parley/mock'
 *
 * const common = mockScript().on('hello', [steps.message('Hi.')])
 * await using polite = await createMockAgent({ script: common }).start()
 * await using broken = await createMockAgent({ script: common.fault({ do: 'reset', count: 1 }) }).start()
 * ```
 */
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
