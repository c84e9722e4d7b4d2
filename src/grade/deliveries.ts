// Notifications that a scenario sends to the receiver of a client, and what it answered.

import type { JsonValue } from '../model/json.ts'
import { HttpClient } from '../net/http-client.ts'

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

/** Only receivers on this machine are told anything; over https, `authority` (PEM) must have signed for them. */
export async function deliver(url: string, { what, body, token }: Notification, authority: string): Promise<Delivered> {
  const { hostname } = URL.parse(url) ?? { hostname: '' }
  if (!/^(127(\.\d+){3}|localhost|\[::1\])$/.test(hostname)) return { what, status: 0 }
  const headers: [string, string][] = [
    ['Content-Type', 'application/a2a+json'],
    ['A2A-Version', '1.0'],
  ]
  if (token !== undefined) headers.push(['X-A2A-Notification-Token', token])
  const http = new HttpClient({ tls: { ca: authority } })
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const answer = await http.request({ url, method: 'POST', headers, body: JSON.stringify(body), signal })
    await answer.text()
    return { what, status: answer.status }
  } catch {
    return { what, status: 0 }
  } finally {
    http.close()
  }
}
