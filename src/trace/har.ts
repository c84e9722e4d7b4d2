// Recordings as HAR 1.2, the format browsers and HTTP tools exchange, and back. What HAR has no place for (a failure, when each
// frame of a stream came) travels in members that begin with an underscore, as the format allows.

import { defined } from '../base/defined.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue, listAt, objectAt, textAt } from '../model/json.ts'
import type { Exchange, RecordedFrame, RecordedResponse } from './exchange.ts'

export function toHar(exchanges: readonly Exchange[], version: string): JsonObject {
  return { log: { version: '1.2', creator: { name: 'a2a-parley', version }, entries: exchanges.map(entryOf) } }
}

function entryOf(exchange: Exchange): JsonObject {
  const { startedAt, request, response, failure, durationMs = 0, id } = exchange
  const time = Math.max(durationMs, 0)
  const url = URL.parse(request.url)
  const body = request.body.length === 0 ? {} : { postData: contentOf(request.headers, request.body) }
  return {
    startedDateTime: startedAt,
    time,
    request: {
      ...{ method: request.method, url: request.url, httpVersion: 'HTTP/1.1', cookies: [] },
      headers: pairs(request.headers),
      queryString: [...(url?.searchParams ?? [])].map(([name, value]) => ({ name, value })),
      ...{ headersSize: -1, bodySize: request.body.length, ...body },
    },
    response: {
      ...{ status: response?.status ?? 0, statusText: '', httpVersion: 'HTTP/1.1', cookies: [], redirectURL: '' },
      headers: pairs(response?.headers ?? []),
      content: { size: response?.body.length ?? 0, ...contentOf(response?.headers ?? [], response?.body ?? EMPTY) },
      ...{ headersSize: -1, bodySize: response?.body.length ?? -1 },
      ...(response?.frames === undefined ? {} : { _frames: response.frames.map((frame) => ({ ...frame })) }),
      ...(response?.incomplete === undefined ? {} : { _incomplete: response.incomplete }),
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    _id: id,
    ...defined({ _failure: failure }),
  }
}

const EMPTY = new Uint8Array()

function pairs(headers: Exchange['request']['headers']): JsonValue[] {
  return headers.map(([name, value]) => ({ name, value }))
}

function contentOf(headers: Exchange['request']['headers'], body: Uint8Array): JsonObject {
  const mimeType = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  try {
    return { mimeType, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body) }
  } catch {
    return { mimeType, text: Buffer.from(body).toString('base64'), encoding: 'base64' }
  }
}

/** The exchanges of a HAR file, in their order. `name` is for the message when it is none. */
export function fromHar(json: JsonValue | undefined, name: string): Exchange[] {
  const entries = listAt(objectAt(json, 'log'), 'entries')
  if (entries === undefined)
    throw new ParleyError('not-a-har', `${name} is not a HAR file: it has no log.entries.`, { exitCode: EXIT.usage })
  return entries.map((entry, at) => exchangeOf(entry, at, name))
}

function exchangeOf(entry: JsonValue, at: number, name: string): Exchange {
  const request = objectAt(entry, 'request')
  const method = textAt(request, 'method')
  const url = textAt(request, 'url')
  if (method === undefined || url === undefined)
    throw new ParleyError('not-a-har', `${name}: entry ${at + 1} has no request with a method and a URL.`, {
      exitCode: EXIT.usage,
    })
  const response = responseOf(objectAt(entry, 'response'))
  const failure = textAt(entry, '_failure')
  const time = isJsonObject(entry) ? entry.time : undefined
  return {
    id: textAt(entry, '_id') ?? `har-${at + 1}`,
    startedAt: textAt(entry, 'startedDateTime') ?? new Date(0).toISOString(),
    request: { method, url, headers: headersOf(request), body: bytesOf(objectAt(request, 'postData')) },
    ...defined({ response, failure }),
    ...(typeof time === 'number' ? { durationMs: time } : {}),
  }
}

function responseOf(response: JsonObject | undefined): RecordedResponse | undefined {
  const status = response?.status
  if (typeof status !== 'number' || status <= 0) return undefined
  const headers = headersOf(response)
  const body = bytesOf(objectAt(response, 'content'))
  const incomplete = textAt(response, '_incomplete')
  const isStream = headers.some(([name, value]) => /^content-type$/i.test(name) && /^text\/event-stream/i.test(value))
  const frames = framesIn(response) ?? (isStream ? framesOf(body) : undefined)
  return {
    ...{ status, headers, body },
    ...defined({ frames, incomplete }),
  }
}

function headersOf(message: JsonObject | undefined): [string, string][] {
  return (listAt(message, 'headers') ?? []).flatMap((header): [string, string][] => {
    const name = textAt(header, 'name')
    // Names that begin with a colon are HTTP/2's way to write the request line.
    return name === undefined || name.startsWith(':') ? [] : [[name, textAt(header, 'value') ?? '']]
  })
}

function bytesOf(content: JsonObject | undefined): Uint8Array {
  return Buffer.from(textAt(content, 'text') ?? '', textAt(content, 'encoding') === 'base64' ? 'base64' : 'utf8')
}

function framesIn(response: JsonObject | undefined): RecordedFrame[] | undefined {
  return listAt(response, '_frames')?.flatMap((frame) => {
    const data = textAt(frame, 'data')
    const atMs = isJsonObject(frame) && typeof frame.atMs === 'number' ? frame.atMs : 0
    return data === undefined ? [] : [{ atMs, event: textAt(frame, 'event'), id: textAt(frame, 'id'), data }]
  })
}

/** Server-sent events of a body that was saved whole; when each came is not known any more. */
function framesOf(body: Uint8Array): RecordedFrame[] {
  const blocks = Buffer.from(body)
    .toString('utf8')
    .split(/\r?\n\r?\n/)
  return blocks.flatMap((block) => {
    const fields = block.split(/\r?\n/).map((line) => /^(\w+): ?(.*)$/.exec(line))
    const all = (name: string) => fields.flatMap((field) => (field?.[1] === name ? [field[2] ?? ''] : []))
    const data = all('data')
    return data.length === 0
      ? []
      : [{ atMs: 0, event: all('event').at(-1), id: all('id').at(-1), data: data.join('\n') }]
  })
}
