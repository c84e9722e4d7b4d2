// What the probe halves of the two JSON bindings share: where the answer of an HTTP exchange lies.

import { firstSseData } from '../net/sse-reader.ts'
import { type Exchange, headerOf } from '../trace/exchange.ts'

export function httpStatusOf({ response }: Exchange): number {
  return response?.status ?? 0
}

export function httpStatusText(exchange: Exchange): string {
  return `HTTP ${httpStatusOf(exchange)}`
}

/** The whole body, or the first event of a body that is an event stream. */
export function httpTextOf({ response }: Exchange): string {
  if (response === undefined) return ''
  const text = new TextDecoder().decode(response.body)
  const type = headerOf(response.headers, 'content-type') ?? ''
  return /^\s*text\/event-stream\s*(;|$)/i.test(type) ? (firstSseData(text) ?? '') : text
}

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

export function unusableHttpUrl(url: string): string | undefined {
  return isHttpUrl(url) ? undefined : 'its url is not an absolute http or https URL'
}
