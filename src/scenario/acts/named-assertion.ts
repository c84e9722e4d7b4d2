// Assertions about what earlier steps brought, or what reached the webhook. Those about the webhook wait until they
// hold, because deliveries come when they come.

import type { Delivery, Webhook } from '../../judge/probe/webhook.ts'
import type { JsonObject, JsonValue } from '../../model/json.ts'
import { at, select } from '../../yaml/value-path.ts'
import type { NamedAssertion } from './document-shape.ts'
import { domainMember } from './draft-names.ts'
import { type Evaluation, mismatch, shown } from './evaluate.ts'
import { require } from './expectations.ts'
import { StepFailure, StepNotMeasured } from './outcome.ts'
import type { Variables } from './variables.ts'

export interface AssertionContext {
  variables: Variables
  webhook: Webhook | undefined
  timeoutMs: number
}

const WEBHOOK = 'webhook'

export async function requireAssertion(wanted: NamedAssertion, context: AssertionContext): Promise<void> {
  const expression = /^\{\{\s*([^{}]+?)\s*\}\}$/.exec(wanted.source.trim())?.[1] ?? wanted.source.trim()
  if (expression.split('.', 1)[0] !== WEBHOOK) {
    requireHolds(wanted, context.variables.lookUp(expression), context)
    return
  }
  const { webhook } = context
  if (webhook === undefined)
    throw new StepNotMeasured("the test looks at the webhook without 'runner_requirements: [webhook_endpoint]'")
  const look = () => {
    context.variables.setScope(WEBHOOK, { deliveries: webhook.deliveries.map(deliveryView) })
    requireHolds(wanted, context.variables.lookUp(expression), context)
  }
  await webhook.until(() => holdsNow(look), context.timeoutMs)
  look()
}

function holdsNow(look: () => void): boolean {
  try {
    look()
    return true
  } catch (error) {
    if (error instanceof StepFailure) return false
    throw error
  }
}

function requireHolds(wanted: NamedAssertion, source: JsonValue, { variables }: AssertionContext): void {
  const by: Evaluation = { resolve: (text) => variables.resolve(text), memberOf: domainMember }
  const value = wanted.path === undefined ? source : at(source, wanted.path, domainMember)
  const what = wanted.description ?? wanted.id ?? `assertion on ${wanted.source}`
  if (wanted.match !== undefined) require(mismatch(wanted.match, value, wanted.path?.text ?? '', by), what)
  for (const quantifier of ['any', 'all', 'none'] as const) {
    const collection = wanted[quantifier]
    if (collection === undefined) continue
    const { found, leads } = select(value, collection.path, domainMember)
    const misses = found.flatMap((item) => mismatch(collection.match, item.value, item.path, by) ?? [])
    const hits = found.length - misses.length
    if (quantifier === 'all' && misses[0] !== undefined) require(misses[0], what)
    const holds = quantifier === 'any' ? hits > 0 : quantifier === 'none' ? hits === 0 : leads
    if (holds) continue
    throw new StepFailure({
      message: `${what}: ${found.length === 0 ? 'there is nothing' : `${hits} of ${found.length} elements fit`} at ${collection.path.text}`,
      expected: quantifier === 'any' ? 'at least one element that fits' : quantifier === 'none' ? 'none' : 'elements',
      actual: shown(found.map((item) => item.value)),
      path: collection.path.text,
    })
  }
}

function deliveryView({ method, path, headers, body, json }: Delivery): JsonObject {
  const named: JsonObject = {}
  for (const [name, value] of headers) named[name.toLowerCase()] = value
  return { method, path, headers: named, body: json ?? body }
}
