// One attempt at a webhook as a span, where spans are collected: it belongs to the trace of the request that the task answers.

import { PUSH_SPAN_NAME } from '../../telemetry/attributes.ts'
import { serverFacts } from '../../telemetry/server-facts.ts'
import { tracing } from '../../telemetry/tracing.ts'
import { type Delivery, type DeliveryOutcome, postDelivery } from './post-delivery.ts'

export async function tracedDelivery(
  delivery: Delivery,
  options: Parameters<typeof postDelivery>[1],
): Promise<DeliveryOutcome> {
  const { row, event, trace: parent } = delivery
  const update = 'statusUpdate' in event ? event.statusUpdate : event.artifactUpdate
  const span = tracing()?.start({
    kind: 'client',
    name: PUSH_SPAN_NAME,
    parent,
    facts: {
      ...{ method: PUSH_SPAN_NAME, taskId: row.taskId, contextId: update.contextId, tenant: row.scope.tenant },
      taskState: 'status' in update ? update.status.state : undefined,
      // Only the host: the path of a webhook may be its secret.
      ...serverFacts(row.config.url),
    },
  })
  if (span === undefined) return postDelivery(delivery, options)
  const outcome = await span.run(() => postDelivery({ ...delivery, trace: span.trace }, options))
  span.end(outcome.kind === 'delivered' ? undefined : { type: outcome.kind, message: outcome.error })
  return outcome
}
