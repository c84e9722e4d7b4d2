// Whether the trace of a message goes on in what it causes. No text of A2A asks for it, so it is said and never judged;
// whoever looks for a slow webhook wants to know.

import { randomBytes } from 'node:crypto'
import { headerOf } from '../../trace/exchange.ts'
import type { Delivery, Webhook } from '../probe/webhook.ts'

/** A trace of our own (W3C Trace Context). */
export function newTraceparent(): string {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`
}

export function traceNote({ deliveries }: Webhook, sent: string): string {
  const isCarried = ({ exchange }: Delivery) =>
    traceIdIn(headerOf(exchange.request.headers, 'traceparent')) === traceIdIn(sent)
  if (deliveries.every(isCarried)) return 'notifications continue the trace of the message (traceparent)'
  return 'notifications do not continue the trace of the message (traceparent); A2A does not require it'
}

function traceIdIn(traceparent: string | undefined): string | undefined {
  return traceparent?.slice(3, 35)
}
