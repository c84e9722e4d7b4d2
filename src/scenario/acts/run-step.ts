// One step: says what it says, waits where it is told to, checks what it expects, keeps what it captures.

import { setTimeout as delay } from 'node:timers/promises'
import type { Webhook } from '../../judge/probe/webhook.ts'
import type { JsonObject, JsonValue } from '../../model/json.ts'
import { isStreaming } from '../../model/operation.ts'
import { at, type Path } from '../../yaml/value-path.ts'
import { holds } from './condition.ts'
import type { ActsStep, RawStep, Repeat, RunnerRequirement, ServerStep } from './document-shape.ts'
import { domainMember, operationOf, withMessageIds } from './draft-names.ts'
import { type Evaluation, shown } from './evaluate.ts'
import { checkError, checkExpect, checkStream, requireSuccess } from './expectations.ts'
import { requireAssertion } from './named-assertion.ts'
import { StepFailure, StepNotMeasured } from './outcome.ts'
import type { StepClient, StepResponse } from './step-client.ts'
import { streamAsRequired } from './stream-requirements.ts'
import type { StepScope, Variables } from './variables.ts'

/** Parses what a server would have sent, as the client library under test does; returns what its user sees. */
export type ClientUnderTest = (operation: string, payload: JsonValue) => JsonValue | Promise<JsonValue>

export interface StepContext {
  stepClient: StepClient
  variables: Variables
  requirements: ReadonlySet<RunnerRequirement>
  /** Raw steps of tests about missing credentials go out without them. */
  sendsCredentials: boolean
  webhook: Webhook | undefined
  client: ClientUnderTest | undefined
  timeoutMs: number
  signal: AbortSignal
}

const DEFAULT_ATTEMPTS = 10
const DEFAULT_DELAY_MS = 1_000
const MAX_PAUSE_MS = 60_000

export async function runStep(step: ActsStep, context: StepContext): Promise<void> {
  switch (step.is) {
    case 'operation':
      return runOperation(step.value, context)
    case 'raw':
      return runRaw(step.value, context)
    case 'assertion':
      return requireAssertion(step.value.assertion, context)
    case 'client_response': {
      const { value } = step
      if (context.client === undefined) throw new StepNotMeasured('there is no client library under test')
      const payload = context.variables.resolveDeep(value.client_response.wire_payload)
      const root = await context.client(value.client_response.operation, payload)
      const by = evaluationOf(context, false)
      context.variables.setScope(value.id, { response: root })
      checkExpect({ body: value.expect_parsed }, { ...NO_RESPONSE, root }, by, true)
      for (const assertion of value.assertions ?? []) await requireAssertion(assertion, context)
    }
  }
}

const NO_RESPONSE = {
  exchange: { id: '', startedAt: '', request: { method: '', url: '', headers: [], body: new Uint8Array() } },
  status: 200,
  headers: {},
  error: undefined,
}

async function runOperation(step: ServerStep, context: StepContext): Promise<void> {
  await pause(step.delay_ms ?? 0, context.signal)
  const response = await repeatedly(step.repeat, context, () => operate(step, context))
  const by = evaluationOf(context, false)
  requireAnswer(response)
  const { expect, expect_error: wantedError, expect_stream: wantedStream } = step
  if (wantedError !== undefined) checkError(wantedError, response, context.stepClient.surface, by)
  if (expect !== undefined) checkExpect(expect, response, by, false)
  if (wantedStream !== undefined) checkStream(wantedStream, response, context.stepClient.surface, by)
  if (wantedError === undefined && expect === undefined && wantedStream === undefined) requireSuccess(response)
  await afterwards(step, response, context, false)
}

async function operate(step: ServerStep, context: StepContext): Promise<StepResponse> {
  const params = context.variables.resolveDeep(step.params ?? {}) as JsonObject
  const op = operationOf(step.operation, params)
  const timeoutMs = step.expect_stream?.timeout_ms
  if (isStreaming(op) && step.expect_error === undefined) {
    return streamAsRequired(op, params, context.stepClient, context.requirements, timeoutMs)
  }
  return context.stepClient.call(op, params, timeoutMs)
}

async function runRaw(step: RawStep, context: StepContext): Promise<void> {
  await pause(step.delay_ms ?? 0, context.signal)
  const { variables } = context
  const fill = (text: string) => asText(variables.resolve(text))
  const { method, path, headers, body, body_raw: rawBody } = step.raw
  const filled: RawStep['raw'] = { method, path: fill(path) }
  if (headers !== undefined) filled.headers = new Map([...headers].map(([name, value]) => [name, fill(value)]))
  const bytes =
    rawBody ?? (body === undefined ? undefined : JSON.stringify(withMessageIds(variables.resolveDeep(body))))
  const response = await context.stepClient.raw(filled, bytes, context.sendsCredentials)
  requireAnswer(response)
  const by = evaluationOf(context, true)
  if (step.expect_error !== undefined) checkError(step.expect_error, response, context.stepClient.surface, by)
  if (step.expect !== undefined) checkExpect(step.expect, response, by, true)
  if (step.expect_stream !== undefined) checkStream(step.expect_stream, response, context.stepClient.surface, by)
  await afterwards(step, response, context, true)
}

async function repeatedly(
  repeat: Repeat | undefined,
  context: StepContext,
  once: () => Promise<StepResponse>,
): Promise<StepResponse> {
  if (repeat === undefined) return once()
  const { until, max_attempts: attempts = DEFAULT_ATTEMPTS } = repeat
  for (let attempt = 1; ; attempt++) {
    const response = await once()
    if (holds(until, response.root, domainMember)) return response
    if (attempt >= attempts) {
      const value = at(response.root, until.path, domainMember)
      const actual = response.error === undefined ? shown(value) : 'an error'
      throw new StepFailure({
        message: `the condition was not met after ${attempts} attempts`,
        expected: until.text,
        actual: `${until.path.text} is ${actual}`,
        path: until.path.text,
      })
    }
    await pause(pauseAfter(attempt, repeat), context.signal)
  }
}

function pauseAfter(attempt: number, { delay_ms: delayMs = DEFAULT_DELAY_MS, backoff }: Repeat): number {
  const factor = backoff === 'linear' ? attempt : backoff === 'exponential' ? 2 ** (attempt - 1) : 1
  return Math.min(delayMs * factor, MAX_PAUSE_MS)
}

/** All pauses of a step that never sees its condition. */
export function pausesOf(repeat: Repeat): number {
  let ms = 0
  for (let attempt = 1; attempt < (repeat.max_attempts ?? DEFAULT_ATTEMPTS); attempt++)
    ms += pauseAfter(attempt, repeat)
  return ms
}

async function afterwards(
  step: Pick<ServerStep, 'id' | 'capture' | 'assertions'>,
  response: StepResponse,
  context: StepContext,
  isRaw: boolean,
): Promise<void> {
  const { root, status, headers, events, error } = response
  const scope: StepScope = { status, headers }
  if (root !== undefined) scope.response = root
  if (events !== undefined) scope.events = events
  if (error !== undefined) scope.error = error.json
  for (const [name, path] of step.capture ?? []) {
    const value = captured(path, response, isRaw)
    if (value === undefined) {
      throw new StepFailure({
        message: `the answer has no ${path.text} to capture as ${name}`,
        expected: 'any value',
        actual: shown(root),
        path: path.text,
      })
    }
    scope[name] = value
  }
  context.variables.setScope(step.id, scope)
  for (const assertion of step.assertions ?? []) await requireAssertion(assertion, context)
}

/** In a stream, the first event that has it. */
function captured(path: Path, { root, events }: StepResponse, isRaw: boolean): JsonValue | undefined {
  const memberOf = isRaw ? undefined : domainMember
  for (const candidate of [root, ...(events ?? [])]) {
    const value = at(candidate, path, memberOf)
    if (value !== undefined) return value
  }
  return undefined
}

/** Nothing came back, or not all of it. */
function requireAnswer({ exchange, status, end }: StepResponse): void {
  if (status !== 0 && (exchange.failure === undefined || end !== undefined)) return
  throw new StepFailure({
    message: `the agent did not answer ${exchange.request.method} ${exchange.request.url}`,
    expected: 'an HTTP response',
    actual: exchange.failure ?? 'nothing',
  })
}

function evaluationOf(context: StepContext, isRaw: boolean): Evaluation {
  const resolve = (text: string) => context.variables.resolve(text)
  return isRaw ? { resolve } : { resolve, memberOf: domainMember }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0 || signal.aborted) return
  await delay(ms, undefined, { signal }).catch(() => {})
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
