// One attempt at one event: the request a webhook gets, and what its answer means. Only 2xx is success; a redirect is
// never followed and so a failure; 410 says that the receiver is gone for good.

import { createHash } from 'node:crypto'
import { dialectById } from '../../dialects/index.ts'
import type { ArtifactUpdateEvent, StatusUpdateEvent } from '../../model/event.ts'
import { scopeKey } from '../../model/scope.ts'
import type { Task } from '../../model/task.ts'
import { guardedRequest } from '../../net/guard/guarded-request.ts'
import type { GuardOptions } from '../../net/guard/guarded-url.ts'
import { retryAfterMs } from '../../net/retry-after.ts'
import { type TraceContext, traceHeaders } from '../../telemetry/trace-context.ts'
import type { PushKey, PushRow } from '../store/push-store.ts'
import type { Seq } from '../store/task-store.ts'

export interface Delivery {
  readonly row: PushRow
  readonly seq: Seq
  readonly event: StatusUpdateEvent | ArtifactUpdateEvent
  /** The task right after the event, for generations that tell it. */
  readonly task: Task | undefined
  /** Which trace the webhook is told of. */
  readonly trace?: TraceContext | undefined
}

export type DeliveryOutcome =
  | { kind: 'delivered' }
  | { kind: 'gone'; error: string }
  | { kind: 'failed'; error: string; retryAfterMs: number | undefined }

/** 1.0 §4.3.3 recommends 10 to 30 seconds. */
const TIMEOUT_MS = 15_000

export async function postDelivery(
  delivery: Delivery,
  options: { guard: GuardOptions; now: number; signal: AbortSignal },
): Promise<DeliveryOutcome> {
  const { row, seq, event, task, trace } = delivery
  const { push } = dialectById(row.registeredIn)
  const { token } = row.config
  const authorization = push.authorization(row.config)
  const answer = await guardedRequest(
    {
      url: row.config.url,
      method: 'POST',
      headers: {
        'Content-Type': row.mediaType,
        'User-Agent': 'Parley',
        'X-Parley-Delivery-Id': deliveryId(row, seq),
        'X-Parley-Attempt': String(row.attempts + 1),
        ...Object.fromEntries(traceHeaders(trace)),
        ...(authorization === undefined ? {} : { Authorization: authorization }),
        // The SDKs read one spelling or the other.
        ...(token ? { 'X-A2A-Notification-Token': token, 'A2A-Notification-Token': token } : {}),
      },
      body: JSON.stringify(push.encodeBody(event, task)),
      timeoutMs: TIMEOUT_MS,
      signal: options.signal,
    },
    options.guard,
  )
  if (!answer.ok) return { kind: 'failed', error: answer.detail, retryAfterMs: undefined }
  const { status } = answer
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  const error = `answered ${status}`
  if (status === 410) return { kind: 'gone', error }
  const isBusy = status === 429 || status === 503
  const wish = isBusy ? retryAfterMs(answer.headers.get('retry-after'), options.now) : undefined
  return { kind: 'failed', error, retryAfterMs: wish }
}

/** The same for every attempt at the same event, whichever process makes it. */
export function deliveryId({ scope, taskId, id }: PushKey, seq: Seq): string {
  return createHash('sha256')
    .update(JSON.stringify([scopeKey(scope), taskId, id, seq]))
    .digest('hex')
    .slice(0, 32)
}
