// A request a check is about to send, with what the run has to know of it before it goes out.

import { randomUUID } from 'node:crypto'
import type { ProbeRequest } from '../../bindings/probe.ts'
import type { Message } from '../../model/task.ts'

export interface OutgoingRequest extends ProbeRequest {
  /** Without a message although it is a send: starts no turn of the agent. */
  isEmpty?: boolean
  /** As a correct client would send it. */
  isPlain?: boolean
  /** Sent without a certificate. */
  withoutCertificate?: boolean
}

/** Clients of the `tasks/send` generation name their tasks; the other dialects drop the member. */
export function named<R>(request: R): R {
  if (typeof request !== 'object' || request === null || !('message' in request) || 'clientTaskId' in request)
    return request
  const message = request.message as Message
  return { ...request, clientTaskId: message.taskId ?? randomUUID() }
}

/** The check's own headers instead of those there; undefined takes one away. */
export function replaceHeaders(headers: [string, string][], own: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(own)) {
    const wanted = name.toLowerCase()
    for (let at = headers.length - 1; at >= 0; at--)
      if (headers[at]?.[0].toLowerCase() === wanted) headers.splice(at, 1)
    if (value !== undefined) headers.push([name, value])
  }
}

/** Headers that belong to HTTP, not to A2A: no other binding has them to change. */
export function isAboutHttp(headers: Readonly<Record<string, string | undefined>> = {}): boolean {
  return Object.keys(headers).some((name) => /^(content-type|accept)$/i.test(name))
}
