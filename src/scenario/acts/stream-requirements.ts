// What a test asks of the runner's streams: to be watched by two readers at once, or to be dropped and taken up again.
// The draft names these duties without a syntax; both are carried out on the streaming steps of the test.

import type { RawEvent } from '../../judge/probe/raw.ts'
import { type JsonObject, type JsonValue, sameJson } from '../../model/json.ts'
import type { StreamingOperation } from '../../model/operation.ts'
import type { RunnerRequirement } from './document-shape.ts'
import { shown } from './evaluate.ts'
import { StepFailure, StepNotMeasured } from './outcome.ts'
import type { StepClient, StepResponse } from './step-client.ts'

export async function streamAsRequired(
  op: StreamingOperation,
  params: JsonObject,
  stepClient: StepClient,
  requirements: ReadonlySet<RunnerRequirement>,
  timeoutMs: number | undefined,
): Promise<StepResponse> {
  const stream = await stepClient.stream(op, params, timeoutMs)
  const isSpecial = requirements.has('stream_disconnect') || requirements.has('concurrent_streams')
  if (!isSpecial || stream.refused !== undefined) return stepClient.collect(stream)
  const first = await stream.until((event) => event.taskId !== undefined)
  const id = first?.taskId
  if (id === undefined) throw new StepNotMeasured('the stream names no task, so a second stream could not be opened')
  if (requirements.has('stream_disconnect')) {
    stream.close()
    return stepClient.call('subscribeTask', { id }, timeoutMs)
  }
  const [one, other] = await Promise.all([
    stepClient.collect(stream),
    stepClient.call('subscribeTask', { id }, timeoutMs),
  ])
  requireSameEvents(one, other)
  return one
}

/** The second reader begins with a snapshot of the task; from then on both see the same events in the same order. */
function requireSameEvents(one: StepResponse, other: StepResponse): void {
  const updates = wire(other.seen).slice(other.seen?.[0]?.kind === 'task' ? 1 : 0)
  const all = wire(one.seen)
  const same = all.slice(all.length - updates.length)
  if (other.error === undefined && updates.length <= all.length && sameJson(updates, same)) return
  throw new StepFailure({
    message: 'two streams of the same task did not deliver the same events',
    expected: shown(same),
    actual: other.error === undefined ? shown(updates) : 'an error instead of a second stream',
    path: 'events',
  })
}

function wire(seen: readonly RawEvent[] | undefined): JsonValue[] {
  return (seen ?? []).map((event) => event.json)
}
