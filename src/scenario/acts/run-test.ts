// One test on one interface: first whether it says anything about this agent, then its steps in order, then the
// assertions over all of them. Ends in time whatever the agent does.

import { listAt, objectAt, textAt } from '../../judge/probe/raw.ts'
import type { AgentFacts, Surface } from '../../judge/probe/surface.ts'
import { Webhook } from '../../judge/probe/webhook.ts'
import type { Wire } from '../../judge/probe/wire.ts'
import { type JsonObject, type JsonValue, sameJson } from '../../model/json.ts'
import type { ActsTest, Preconditions } from './document-shape.ts'
import { requireAssertion } from './named-assertion.ts'
import { type ActsFailure, type ActsVerdict, StepFailure, StepNotMeasured, type StepOutcome } from './outcome.ts'
import { type ClientUnderTest, pausesOf, runStep, type StepContext } from './run-step.ts'
import { StepClient } from './step-client.ts'
import { Variables } from './variables.ts'

export interface TestContext {
  agent: AgentFacts
  surface: Surface
  wire: Wire
  credentials: readonly (readonly [string, string])[]
  documentVariables: ReadonlyMap<string, string>
  env: Readonly<Record<string, string | undefined>>
  client: ClientUnderTest | undefined
  timeoutMs: number
  /** Ends the run. */
  signal: AbortSignal
}

export interface TestEnd {
  verdict: ActsVerdict
  reason?: string
  failure?: ActsFailure
  steps: StepOutcome[]
  exchanges: StepClient['exchanges']
}

/** A test may wait several times, but not without end. */
const WAITS_PER_TEST = 3
const MAX_TEST_MS = 15 * 60_000

/** Why the test is not run here; undefined when it is. */
export function obstacleTo(
  test: ActsTest,
  context: TestContext,
): { verdict: 'not-applicable' | 'skip'; reason: string } | undefined {
  const { surface, agent } = context
  if (test.transport !== undefined && !test.transport.includes(surface.binding))
    return { verdict: 'not-applicable', reason: `applies to ${test.transport.join(' and ')} only` }
  if (context.client === undefined && test.steps.some((step) => step.is === 'client_response'))
    return { verdict: 'not-applicable', reason: 'judges how a client library reads answers, not an agent' }
  const unmet = test.preconditions === undefined ? undefined : unmetPrecondition(test.preconditions, agent)
  if (unmet !== undefined) return { verdict: 'not-applicable', reason: unmet }
  const requirements = new Set(test.runner_requirements)
  if (requirements.has('auth_credentials') && context.credentials.length === 0)
    return { verdict: 'skip', reason: 'needs credentials: give --bearer, --api-key or -H' }
  if (requirements.has('webhook_endpoint') && !isLoopback(surface.url))
    return { verdict: 'skip', reason: 'the webhook of this machine cannot be reached from the agent' }
  return undefined
}

function unmetPrecondition(wanted: Preconditions, agent: AgentFacts): string | undefined {
  const { card } = agent
  if (card === undefined) return 'the agent has no readable card'
  for (const [name, value] of Object.entries(wanted.capabilities ?? {})) {
    const declared = capability(card, name)
    const isMet = value === false ? declared !== true : sameJson(declared, value)
    if (!isMet) return `the card does not say capabilities.${name}: ${JSON.stringify(value)}`
  }
  const skills = new Set((listAt(card, 'skills') ?? []).map((skill) => textAt(skill, 'id')))
  const missing = wanted.skills?.find(({ id }) => !skills.has(id))
  if (missing !== undefined) return `the card has no skill ${missing.id}`
  const extensions = new Set((listAt(card.capabilities, 'extensions') ?? []).map((one) => textAt(one, 'uri')))
  const absent = wanted.extensions?.find((uri) => !extensions.has(uri))
  if (absent !== undefined) return `the card does not declare the extension ${absent}`
  const bindings = new Set(agent.declared.map(({ binding, bindingText }) => binding ?? bindingText.toLowerCase()))
  const unspoken = wanted.transport?.find((transport) => !bindings.has(transport))
  return unspoken === undefined ? undefined : `the card declares no ${unspoken} interface`
}

/** `authentication` is no capability of any card; the draft's suites mean by it that the agent asks for credentials. */
function capability(card: JsonObject, name: string): JsonValue | undefined {
  const declared = objectAt(card, 'capabilities')?.[name]
  if (declared !== undefined || name !== 'authentication') return declared
  const required = listAt(card, 'securityRequirements') ?? listAt(card, 'security') ?? []
  return required.length > 0
}

export async function runTest(test: ActsTest, tags: readonly string[], context: TestContext): Promise<TestEnd> {
  const { surface, timeoutMs } = context
  const requirements = new Set(test.runner_requirements)
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(testTimeoutMs(test, timeoutMs))])
  const webhook = requirements.has('webhook_endpoint') ? await Webhook.open() : undefined
  const provided = new Map([['baseUrl', surface.url.replace(/\/$/, '')]])
  if (webhook !== undefined) provided.set('webhookUrl', webhook.url)
  const { wire, credentials, client, env } = context
  const { cardUrl } = context.agent
  const stepClient = new StepClient({ surface, wire, cardUrl, credentials, timeoutMs, signal })
  const variables = new Variables({ provided, document: context.documentVariables, env })
  const sendsCredentials = !tags.includes('auth')
  const stepContext: StepContext = {
    stepClient,
    variables,
    requirements,
    sendsCredentials,
    webhook,
    client,
    timeoutMs,
    signal,
  }
  const steps: StepOutcome[] = []
  try {
    let end: Ending = { verdict: 'pass' }
    for (const step of test.steps) {
      const { id } = step.value
      if (end.verdict !== 'pass') {
        steps.push({ id, verdict: 'skip', durationMs: 0 })
        continue
      }
      const started = performance.now()
      end = await ending(() => runStep(step, stepContext), id, context.signal)
      const outcome: StepOutcome = { id, verdict: end.verdict, durationMs: Math.round(performance.now() - started) }
      if (end.failure !== undefined) outcome.failure = end.failure
      steps.push(outcome)
    }
    if (end.verdict === 'pass') {
      end = await ending(
        async () => {
          for (const assertion of test.assertions ?? []) await requireAssertion(assertion, stepContext)
        },
        undefined,
        context.signal,
      )
    }
    return { ...end, steps, exchanges: stepClient.exchanges }
  } finally {
    stepClient.close()
    await webhook?.close()
  }
}

type Ending = Pick<TestEnd, 'verdict' | 'reason' | 'failure'>

async function ending(work: () => Promise<void>, stepId: string | undefined, stop: AbortSignal): Promise<Ending> {
  const where = stepId === undefined ? {} : { stepId }
  try {
    await work()
    return { verdict: 'pass' }
  } catch (error) {
    if (error instanceof StepFailure) {
      const failure = { ...error.failure, ...where }
      // An answer that we stopped waiting for says nothing about the agent.
      return stop.aborted
        ? { verdict: 'not-measured', reason: `the run was stopped: ${error.message}`, failure }
        : { verdict: 'fail', failure }
    }
    const message = error instanceof Error ? error.message : String(error)
    const verdict = error instanceof StepNotMeasured ? 'not-measured' : 'harness-error'
    return { verdict, reason: message, failure: { message, ...where } }
  }
}

/** As long as its own waits and delays may take, and a few answers besides. */
function testTimeoutMs(test: ActsTest, timeoutMs: number): number {
  let ms = timeoutMs * WAITS_PER_TEST
  for (const { value } of test.steps) {
    if ('delay_ms' in value) ms += value.delay_ms ?? 0
    if ('repeat' in value && value.repeat !== undefined) ms += pausesOf(value.repeat)
  }
  return Math.min(ms, MAX_TEST_MS)
}

function isLoopback(url: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(URL.parse(url)?.hostname ?? '')
}
