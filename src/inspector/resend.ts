// An exchange sent once more, as it was or changed. It goes only where its agent lives, and a header that was shown as
// [redacted] gets its value back there, so that the page never needs to know it.

import { GrpcCall } from '../bindings/grpc/call.ts'
import { sayable } from '../bindings/probe.ts'
import { BINDINGS } from '../bindings/registry.ts'
import { DIALECTS } from '../dialects/index.ts'
import { originOf } from '../discovery/credentials.ts'
import type { JsonObject, JsonValue } from '../model/json.ts'
import { OPERATIONS } from '../model/operation.ts'
import { sameMachine } from '../net/guard/reach.ts'
import { toNetError } from '../net/net-error.ts'
import { type Exchange, headerOf } from '../trace/exchange.ts'
import { REDACTED } from '../trace/redact.ts'
import * as asked from './asked.ts'
import type { Lab } from './lab.ts'
import type { OpenAgent } from './open-agent.ts'

/** What HTTP itself decides about a message that may have changed. */
const OWN_HEADERS = new Set(['host', 'content-length', 'connection', 'accept-encoding', 'transfer-encoding'])

export async function resend(lab: Lab, body: JsonObject): Promise<{ exchange: string }> {
  const found = lab.wire.find(asked.text(body, 'exchange'))
  if (found === undefined) throw asked.badRequest('This exchange is no longer kept; the oldest are dropped first.')
  const agent = lab.agent(found.agent)
  const url = asked.optionalText(body, 'url') ?? found.exchange.request.url
  checkPlace(url, agent)
  const text = typeof body.body === 'string' ? body.body : undefined
  const headers = headersOf(body.headers, found.exchange)
  if (found.exchange.protocol === 'grpc') return resendCall(agent, found.exchange.request.rpc, { url, headers, text })
  let id = ''
  const response = await agent.http
    .request({
      ...{ method: asked.optionalText(body, 'method') ?? found.exchange.request.method, url, headers },
      ...(text === undefined
        ? { body: found.exchange.request.body }
        : text === ''
          ? {}
          : { body: restored(text, found.exchange) }),
    })
    .catch((error: unknown) => {
      const failed = toNetError(error, url)
      if (failed.exchange === undefined) throw error
      id = failed.exchange.id
    })
  if (response === undefined) return { exchange: id }
  // What comes is in the wire view; here it only has to be read.
  void drain(response)
  return { exchange: response.exchange.id }
}

async function drain(response: {
  contentType: { essence: string } | undefined
  text(): Promise<string>
  frames(): AsyncIterable<unknown>
}): Promise<void> {
  try {
    if (response.contentType?.essence !== 'text/event-stream') await response.text()
    else for await (const _ of response.frames());
  } catch {
    // The exchange tells of it.
  }
}

function checkPlace(url: string, agent: OpenAgent): void {
  const origin = sameMachine(originOf(url))
  if (agent.origins().some((own) => sameMachine(own) === origin)) return
  throw asked.badRequest(`${originOf(url)} is not an address of this agent; open it as a separate agent.`)
}

/** Values that were redacted come back from the request they were taken from. */
function headersOf(given: JsonValue | undefined, { request }: Exchange): [string, string][] {
  const pairs = Array.isArray(given) ? given : request.headers.map(([name, value]) => [name, value])
  return pairs.flatMap((pair): [string, string][] => {
    const [name, value] = Array.isArray(pair) ? pair : []
    if (typeof name !== 'string' || typeof value !== 'string' || name.startsWith(':')) return []
    if (OWN_HEADERS.has(name.toLowerCase())) return []
    return [[name, value.includes(REDACTED) ? (headerOf(request.headers, name) ?? value) : value]]
  })
}

/** A body that was not changed goes out byte for byte, with what was redacted in it. */
function restored(text: string, { request }: Exchange): string {
  if (!text.includes(REDACTED)) return text
  const [was, is] = [jsonOf(Buffer.from(request.body).toString('utf8')), jsonOf(text)]
  return was === undefined || is === undefined ? text : JSON.stringify(filled(is, was))
}

function filled(is: JsonValue, was: JsonValue | undefined): JsonValue {
  if (is === REDACTED && typeof was === 'string') return was
  if (Array.isArray(is)) return is.map((each, at) => filled(each, Array.isArray(was) ? was[at] : undefined))
  if (typeof is !== 'object' || is === null) return is
  const before = typeof was === 'object' && was !== null && !Array.isArray(was) ? was : {}
  return Object.fromEntries(Object.entries(is).map(([name, value]) => [name, filled(value ?? null, before[name])]))
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

interface GrpcWish {
  url: string
  headers: [string, string][]
  text: string | undefined
}

async function resendCall(
  agent: OpenAgent,
  rpc: string,
  { url, headers, text }: GrpcWish,
): Promise<{ exchange: string }> {
  const message = jsonOf(text ?? '{}')
  if (message === undefined) throw asked.badRequest('The message is not JSON.')
  const [service, name] = rpc.split('/')
  const dialect = DIALECTS.find(({ grpc }) => grpc?.service === service)
  const op = OPERATIONS.find((each) => dialect?.grpc?.rpcs[each] === name)
  if (dialect === undefined || op === undefined) throw asked.badRequest(`No protocol version has the call ${rpc}.`)
  const made = sayable(() => BINDINGS.grpc.probe.encode({ url: originOf(url), dialect }, op, message, 1))
  if (typeof made === 'string') throw asked.badRequest(`It cannot be sent: ${made}.`)
  const own = new Set(made.headers.map(([header]) => header))
  const call = await GrpcCall.open(agent.http, {
    url: new URL(made.url),
    headers: [...made.headers, ...headers.filter(([header]) => !own.has(header.toLowerCase()))],
    body: made.body ?? new Uint8Array(),
    message: made.grpcMessage,
    isStream: made.isStream === true,
  })
  void (async () => {
    try {
      while ((await call.next()) !== undefined);
    } catch {
      // The exchange tells of it.
    }
  })()
  return { exchange: call.exchange.id }
}
