// Notifications that a scenario sends to the receiver of a client, and what it answered.

import type { JsonValue } from '../model/json.ts'

export interface Notification {
  /** For the claims. */
  readonly what: string
  readonly body: JsonValue
  /** What the client asked for, something else, or none. */
  readonly token: string | undefined
}

export interface Delivered {
  readonly what: string
  /** 0 when there was no answer. */
  readonly status: number
}

const TIMEOUT_MS = 5_000

/** Only receivers on this machine are told anything. */
export async function deliver(url: string, { what, body, token }: Notification): Promise<Delivered> {
  const { hostname } = URL.parse(url) ?? { hostname: '' }
  if (!/^(127(\.\d+){3}|localhost|\[::1\])$/.test(hostname)) return { what, status: 0 }
  const headers = new Headers({ 'content-type': 'application/a2a+json', 'a2a-version': '1.0' })
  if (token !== undefined) headers.set('X-A2A-Notification-Token', token)
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal, redirect: 'manual' })
    await answer.arrayBuffer()
    return { what, status: answer.status }
  } catch {
    return { what, status: 0 }
  }
}
