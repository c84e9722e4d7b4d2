// What a step expects of its answer, checked: `expect`, `expect_error` and `expect_stream`. The first thing that does
// not hold is thrown as a StepFailure.

import type { RawError } from '../../bindings/probe.ts'
import { BINDINGS } from '../../bindings/registry.ts'
import { describeError, matchError, numbersOf } from '../../judge/probe/error-table.ts'
import type { Surface } from '../../judge/probe/surface.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { TaskState } from '../../model/task.ts'
import { type Assertion, describeAssertion } from './assertion.ts'
import type { EventAssertion, ExpectBlock, ExpectError, ExpectStream } from './document-shape.ts'
import { ERROR_KINDS, ERROR_TYPES } from './draft-names.ts'
import { type Evaluation, type Mismatch, mismatch, shown } from './evaluate.ts'
import { StepFailure } from './outcome.ts'
import type { StepResponse } from './step-client.ts'

export function checkExpect(expect: ExpectBlock, response: StepResponse, by: Evaluation, isRaw: boolean): void {
  const { status, headers, body } = expect
  const { error } = response
  if (error !== undefined && !isRaw && !expectsError(expect, response, by)) failOnError(error)
  if (status !== undefined) require(mismatch(status, response.status, 'HTTP status', by), 'HTTP status')
  else if (!isRaw && error === undefined && expect.error === undefined) requireSuccess(response)
  for (const [name, wanted] of headers ?? []) {
    const value = response.headers[name.toLowerCase()]
    require(mismatch(wanted, value, name, by), `header ${name}`)
  }
  if (body !== undefined) require(mismatch(body, response.root, '', by), 'answer')
  if (expect.error !== undefined) require(mismatch(expect.error, error?.json, 'error', by), 'error')
}

/** An operation that was to succeed, whatever its result. */
export function requireSuccess(response: StepResponse): void {
  if (response.error !== undefined) failOnError(response.error)
  const { status } = response
  if (status >= 200 && status < 300) return
  throw new StepFailure({
    message: `the agent answered HTTP ${status} instead of a result`,
    expected: 'an HTTP status from 200 to 299',
    actual: String(status),
    path: 'HTTP status',
  })
}

function expectsError(expect: ExpectBlock, response: StepResponse, by: Evaluation): boolean {
  const { status, body } = expect
  if (expect.error !== undefined) return true
  if (body?.is === 'operators' || (body?.is === 'members' && body.members.has('error'))) return true
  return status !== undefined && response.status >= 300 && mismatch(status, response.status, '', by) === undefined
}

export function checkError(wanted: ExpectError, response: StepResponse, surface: Surface, by: Evaluation): void {
  const { error } = response
  if (error === undefined) {
    throw new StepFailure({
      message: `the agent answered HTTP ${response.status} with a result where an error was expected`,
      expected: wanted.error_type ?? (wanted.code === undefined ? 'an error' : describeAssertion(wanted.code)),
      actual: shown(response.root),
    })
  }
  const { error_type: type, code, message, details, data } = wanted
  if (type !== undefined) requireErrorType({ is: 'equal', value: type }, error, surface, by)
  if (code !== undefined) requireErrorType(code, error, surface, by)
  if (message !== undefined) require(mismatch(message, error.message, 'error.message', by), 'error message')
  if (details !== undefined) require(mismatch(details, detailsOf(error), 'error.details', by), 'error details')
  if (data !== undefined) {
    const { json } = error
    const raw = isJsonObject(json) ? (json.data ?? json.details) : undefined
    require(mismatch(data, raw, 'error.data', by), 'error data')
  }
}

/** The same error is known by several names; the assertion has to hold for one of them, or for the number. */
function requireErrorType(wanted: Assertion, error: RawError, surface: Surface, by: Evaluation): void {
  const { generation, binding } = surface
  const names: JsonValue[] = ERROR_TYPES.filter((type) =>
    ERROR_KINDS[type].some((kind) => matchError(generation, binding, error, kind, '1.0.1').fits),
  )
  if (error.code !== undefined) names.push(error.code)
  if (names.some((name) => mismatch(wanted, name, '', by) === undefined)) return
  const expected = ERROR_TYPES.filter((type) => mismatch(wanted, type, '', by) === undefined)
  const numbers = expected.flatMap((type) => ERROR_KINDS[type].map((kind) => numbersOf(generation, kind)))
  const codes = numbers.flatMap((each) => BINDINGS[binding].probe.errors.numberOf(each, '1.0.1') ?? [])
  throw new StepFailure({
    message: 'the agent answered with another error',
    expected: `${expected.join(' or ') || describeAssertion(wanted)}${codes.length === 0 ? '' : ` (${codes.join(', ')})`}`,
    actual: describeError(error),
    path: 'error',
  })
}

/** ErrorInfo and its metadata as one object, so that both can be named directly. */
function detailsOf(error: RawError): JsonObject {
  const info = error.details.find((detail) => typeof detail.reason === 'string') ?? error.details[0] ?? {}
  return { ...(isJsonObject(info.metadata) ? info.metadata : {}), ...info }
}

export function checkStream(wanted: ExpectStream, response: StepResponse, surface: Surface, by: Evaluation): void {
  if (response.error !== undefined) failOnError(response.error)
  const { events, end } = response
  if (events === undefined) {
    throw new StepFailure({
      message: `the agent answered HTTP ${response.status} with ${shown(response.headers['content-type'])} instead of a stream`,
      expected: 'text/event-stream',
      actual: shown(response.root),
    })
  }
  if (end === 'deadline' || end === 'broken') {
    const how = end === 'deadline' ? 'did not end in time' : `broke off (${response.exchange.failure ?? 'no end'})`
    throw new StepFailure({ message: `the stream ${how} after ${counted(events.length)}`, path: 'events' })
  }
  const { min_count: min, max_count: max } = wanted
  if ((min !== undefined && events.length < min) || (max !== undefined && events.length > max)) {
    throw new StepFailure({
      message: `the stream had ${counted(events.length)}`,
      expected: [min === undefined ? '' : `at least ${min}`, max === undefined ? '' : `at most ${max}`]
        .filter((part) => part !== '')
        .join(', '),
      actual: String(events.length),
      path: 'events',
    })
  }
  if (wanted.ordering !== undefined) requireOrder(response, surface)
  for (const [index, event] of (wanted.events ?? []).entries()) requireEvent(event, index, events, by)
  if (wanted.final_event !== undefined) {
    require(mismatch(wanted.final_event, events.at(-1), `events[${events.length - 1}]`, by), 'final event')
  }
  for (const [index, event] of events.entries()) {
    if (wanted.each_event !== undefined)
      require(mismatch(wanted.each_event, event, `events[${index}]`, by), `event ${index}`)
  }
}

function requireEvent(wanted: EventAssertion, position: number, events: readonly JsonValue[], by: Evaluation): void {
  const what = wanted.description === undefined ? '' : ` (${wanted.description})`
  if (wanted.match === 'exact_position') {
    const index = wanted.index ?? position
    require(mismatch(wanted.wanted, events[index], `events[${index}]`, by), `event ${index}${what}`)
    return
  }
  if (events.some((event) => mismatch(wanted.wanted, event, '', by) === undefined)) return
  throw new StepFailure({
    message: `none of ${counted(events.length)} fits${what}`,
    expected: describeAssertion(wanted.wanted),
    actual: shown([...events]),
    path: 'events[*]',
  })
}

/** Terminal states are final and SUBMITTED only begins; what else may follow what, the generation says. */
function requireOrder({ seen = [] }: StepResponse, { dialect }: Surface): void {
  let before: TaskState | undefined
  for (const [index, { state }] of seen.entries()) {
    if (state === undefined) continue
    if (before !== undefined && !dialect.mayFollow(before, state)) {
      throw new StepFailure({
        message: `the state changes from ${before} to ${state}`,
        expected: `a state that may follow ${before}`,
        actual: state,
        path: `events[${index}]`,
      })
    }
    before = state
  }
}

export function require(found: Mismatch | undefined, what: string): void {
  if (found === undefined) return
  const { path, expected, actual } = found
  const where = path === '' || path === what ? '' : ` at ${path}`
  throw new StepFailure({
    message: `the ${what} is not as expected${where}`,
    expected,
    actual,
    ...(path === '' ? {} : { path }),
  })
}

function failOnError(error: RawError): never {
  throw new StepFailure({
    message: 'the agent answered with an error',
    expected: 'a result',
    actual: describeError(error),
    path: 'error',
  })
}

function counted(events: number): string {
  return events === 1 ? '1 event' : `${events} events`
}
