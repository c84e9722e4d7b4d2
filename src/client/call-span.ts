// The span of one operation of a client, where spans are collected.

import type { CallOptions } from '../bindings/endpoint-client.ts'
import { BINDINGS } from '../bindings/registry.ts'
import type { BindingId, DialectId } from '../dialects/dialect.ts'
import type { AgentCard } from '../model/card.ts'
import type { Operation, OperationRequest } from '../model/operation.ts'
import { startOperation } from '../telemetry/operation-span.ts'
import { serverFacts } from '../telemetry/server-facts.ts'
import { tracing } from '../telemetry/tracing.ts'

export type CallSpan = ReturnType<typeof startOperation>

interface CalledAgent {
  url: string
  binding: BindingId
  dialect: DialectId
  card: AgentCard | undefined
  tenant: string | undefined
}

/** Undefined when spans are not collected. */
export function startCallSpan<O extends Operation>(
  op: O,
  request: OperationRequest<O>,
  options: CallOptions,
  { url, binding, dialect, card, tenant }: CalledAgent,
): CallSpan | undefined {
  const spans = tracing()
  if (spans === undefined) return undefined
  const { href = url } = URL.parse(BINDINGS[binding].describeEndpoint(url)) ?? {}
  const facts = { agentName: card?.name, tenant, protocolVersion: dialect, ...serverFacts(href) }
  return startOperation(spans, op, request, { kind: 'client', facts, parent: options.trace })
}
