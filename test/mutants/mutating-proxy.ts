// The layer that makes a correct agent wrong: a reverse proxy in the same process, which takes requests, answers and
// stream events apart, lets the mutation at them and puts them together again.

import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { DIALECTS } from '../../src/dialects/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/model/json.ts'
import type { Operation } from '../../src/model/operation.ts'
import { type Call, type Delivery, each, type Mutation, type Reply, type StreamSoFar, word } from './mutant.ts'

export interface MutatingProxy {
  url: string
  close(): Promise<void>
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 256 })

export async function startProxy(inner: string, mutation: Mutation): Promise<MutatingProxy> {
  const memory = new Map<string, JsonValue>()
  const server = http.createServer((req, res) => {
    serve(req, res, { inner, outer: `http://${req.headers.host ?? ''}`, mutation, memory }).catch(() => res.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

interface Setting {
  inner: string
  outer: string
  mutation: Mutation
  memory: Map<string, JsonValue>
}

async function serve(req: IncomingMessage, res: ServerResponse, setting: Setting): Promise<void> {
  const { mutation } = setting
  const call = await readCall(req, setting)
  if (mutation.delivery !== undefined) {
    if (call.path.startsWith(HOOK)) return deliver(call, res, mutation.delivery)
    divertWebhooks(call, setting.outer)
  }
  const answered = await mutation.answer?.(call)
  if (answered !== undefined) return send(res, answered, call, mutation)
  await mutation.request?.(call)
  const response = await forward(setting.inner, call)
  res.on('close', () => response.destroy())
  if (isEventStream(response)) return relayStream(response, res, call, mutation)
  const reply = await readReply(response)
  if (call.isCard) editCard(reply, setting)
  else await editAnswer(reply, call, mutation)
  if (mutation.delivery !== undefined) restoreWebhooks(reply, setting.outer)
  await mutation.reply?.(reply, call)
  await send(res, reply, call, mutation)
}

// ── requests ─────────────────────────────────────────────────────────────────────────────────────────────────────

const METHODS = new Map<string, Operation>(
  DIALECTS.flatMap(({ methods }) => Object.entries(methods).map(([op, name]) => [name, op as Operation] as const)),
)

const ROUTES: readonly [method: string, path: RegExp, op: Operation][] = [
  ['POST', /\/message:send$/, 'sendMessage'],
  ['POST', /\/message:stream$/, 'streamMessage'],
  ['POST', /\/tasks\/([^/]+):cancel$/, 'cancelTask'],
  ['POST', /\/tasks\/([^/]+):subscribe$/, 'subscribeTask'],
  ['GET', /\/tasks\/([^/]+):subscribe$/, 'subscribeTask'],
  ['POST', /\/tasks\/([^/]+)\/pushNotificationConfigs$/, 'createPushConfig'],
  ['GET', /\/tasks\/([^/]+)\/pushNotificationConfigs$/, 'listPushConfigs'],
  ['GET', /\/tasks\/([^/]+)\/pushNotificationConfigs\/[^/]+$/, 'getPushConfig'],
  ['DELETE', /\/tasks\/([^/]+)\/pushNotificationConfigs\/[^/]+$/, 'deletePushConfig'],
  ['GET', /\/extendedAgentCard$/, 'getExtendedCard'],
  ['GET', /\/v1\/card$/, 'getExtendedCard'],
  ['GET', /\/tasks\/([^/:]+)$/, 'getTask'],
  ['GET', /\/tasks$/, 'listTasks'],
]

async function readCall(req: IncomingMessage, { inner, memory }: Setting): Promise<Call> {
  const chunks: Buffer[] = []
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('latin1')
  const body = parsed(Buffer.from(text, 'latin1').toString('utf8'))
  const { method = 'GET', url = '/' } = req
  const { pathname, searchParams } = new URL(url, 'http://inner')
  const isRpc = isJsonObject(body) && typeof body.method === 'string'
  const route = ROUTES.find(([verb, path]) => verb === method && path.test(pathname))
  const op = isRpc ? METHODS.get(word(body.method)) : route?.[2]
  const params = isRpc
    ? isJsonObject(body.params)
      ? body.params
      : {}
    : { ...(isJsonObject(body) ? body : {}), ...Object.fromEntries(searchParams) }
  const named = params.taskId ?? params.id
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(req.headers)) if (value !== undefined) headers[name] = String(value)
  const inPath = route?.[1].exec(pathname)?.[1]
  const call: Call = {
    op,
    // The address of an agent shows its card as well.
    isCard: pathname.includes('/.well-known/') || (method === 'GET' && /^\/[^/]+\/?$/.test(pathname)),
    isRpc,
    method,
    path: url,
    headers,
    spelling: Object.fromEntries(
      req.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => [name.toLowerCase(), name]),
    ),
    body,
    text,
    params,
    taskId: inPath === undefined ? (typeof named === 'string' ? named : undefined) : decodeURIComponent(inPath),
    memory,
    ask: async (change) => readReply(await forward(inner, { ...call, body: undefined, ...change })),
  }
  return call
}

/** A request whose body was changed goes out as the JSON it is now; untouched ones byte for byte. */
function forward(inner: string, call: Call): Promise<IncomingMessage> {
  const { host: _, 'content-length': __, 'transfer-encoding': ___, 'accept-encoding': ____, ...headers } = call.headers
  // Errors before a stream come as JSON then, which every mutation can edit.
  if (headers.accept === 'text/event-stream') headers.accept += ', application/json'
  const original = Buffer.from(call.text, 'latin1')
  const isChanged =
    call.body !== undefined && JSON.stringify(call.body) !== JSON.stringify(parsed(original.toString('utf8')))
  const bytes = isChanged ? Buffer.from(JSON.stringify(call.body)) : original
  return new Promise((resolve, reject) => {
    const request = http.request(new URL(call.path, inner), { agent, method: call.method, headers }, resolve)
    request.on('error', reject)
    if (bytes.length > 0) request.setHeader('content-length', bytes.length)
    request.end(bytes)
  })
}

// ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────

async function readReply(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  return {
    status: response.statusCode ?? 0,
    headers: headersOf(response),
    text: Buffer.concat(chunks).toString('utf8'),
  }
}

function headersOf(response: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) {
    const isOurs = ['content-length', 'transfer-encoding', 'connection', 'keep-alive'].includes(name)
    if (value !== undefined && !isOurs) headers[name] = String(value)
  }
  return headers
}

function editCard(reply: Reply, { inner, outer, mutation }: Setting): void {
  reply.text = reply.text.replaceAll(inner, outer)
  const card = parsed(reply.text)
  if (mutation.card === undefined || !isJsonObject(card)) return
  const before = JSON.stringify(card)
  const after = mutation.card(card, reply) ?? card
  if (JSON.stringify(after) !== before) reply.text = JSON.stringify(after)
}

async function editAnswer(reply: Reply, call: Call, mutation: Mutation): Promise<void> {
  const body = parsed(reply.text)
  if (!isJsonObject(body)) return
  // An answer to what could not be read has an envelope although the request had none.
  const isError = call.isRpc || 'jsonrpc' in body ? isJsonObject(body.error) : reply.status >= 400
  const edited = isError ? editError(body, reply, call, mutation) : await editResult(body, call, mutation)
  if (edited !== undefined) reply.text = JSON.stringify(edited)
}

function editError(body: JsonObject, reply: Reply, call: Call, { error }: Mutation): JsonObject | undefined {
  if (error === undefined) return undefined
  // Over REST 0.3 has errors without anything around them.
  if (!isJsonObject(body.error)) return error(body, reply, call) ?? body
  const changed = error(body.error, reply, call)
  return changed === undefined ? body : { ...body, error: changed }
}

async function editResult(body: JsonObject, call: Call, { result }: Mutation): Promise<JsonValue | undefined> {
  const edits = [call.op === undefined ? undefined : result?.[call.op], result?.any]
  let inside: JsonValue | undefined = call.isRpc ? body.result : body
  if (result === undefined) return undefined
  for (const edit of edits) {
    if (edit === undefined || !isJsonObject(inside)) continue
    const changed = await edit(inside, call)
    if (changed !== undefined) inside = changed
  }
  return call.isRpc ? { ...body, result: inside ?? null } : inside
}

async function send(res: ServerResponse, reply: Reply, call: Call, { wire = {} }: Mutation): Promise<void> {
  const { status, text } = reply
  if (wire.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, wire.delayMs))
  if (status === 0) return void res.destroy()
  const isPacked = wire.gzip === true && (call.headers['accept-encoding'] ?? '').includes('gzip')
  const bytes = isPacked ? gzipSync(text) : Buffer.from(text, wire.latin1 === true ? 'latin1' : 'utf8')
  const headers = spelledHeaders({ ...reply.headers, ...(isPacked ? { 'content-encoding': 'gzip' } : {}) }, wire)
  const hasBody = status !== 204 && status !== 304
  if (!hasBody || wire.pieces !== undefined) {
    res.writeHead(status, headers)
    if (hasBody) await writeInPieces(res, bytes, wire.pieces)
    return void res.end()
  }
  res.writeHead(status, { ...headers, 'content-length': String(bytes.length) })
  res.end(bytes)
}

function spelledHeaders(headers: Record<string, string>, wire: NonNullable<Mutation['wire']>): Record<string, string> {
  if (wire.capitals !== true) return headers
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
}

/** Each piece is a write of its own, so that readers meet borders anywhere, also inside of a letter. */
async function writeInPieces(res: ServerResponse, bytes: Uint8Array, size = bytes.length): Promise<void> {
  for (let from = 0; from < bytes.length; from += size) {
    res.write(bytes.subarray(from, from + size))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

// ── streams ──────────────────────────────────────────────────────────────────────────────────────────────────────

async function relayStream(
  response: IncomingMessage,
  res: ServerResponse,
  call: Call,
  mutation: Mutation,
): Promise<void> {
  const reply: Reply = { status: response.statusCode ?? 200, headers: headersOf(response), text: '' }
  await mutation.reply?.(reply, call)
  res.writeHead(reply.status, spelledHeaders(reply.headers, mutation.wire ?? {}))
  res.flushHeaders()
  const stream: StreamSoFar & { sent: JsonObject[] } = { sent: [], call }
  const held: string[] = []
  const write = async (event: JsonValue, fields: string[]) => {
    if (isJsonObject(event)) stream.sent.push(event)
    const data = call.isRpc ? { jsonrpc: '2.0', id: idOf(call), result: event } : event
    const frame = [...fields, `data: ${JSON.stringify(data)}`, '', ''].join('\n')
    const final = mutation.frame?.(frame, stream) ?? frame
    if (mutation.buffers === true) held.push(final)
    else await writeInPieces(res, Buffer.from(final), mutation.wire?.pieces)
  }
  for await (const frame of framesOf(response)) {
    const event = eventOf(frame.data, call)
    if (event === undefined) {
      res.write(frame.raw)
      continue
    }
    const replaced = (await mutation.event?.(event, stream)) ?? [event]
    for (const item of replaced) await write(item, frame.fields)
  }
  const ending = mutation.ends?.(stream)
  for (const item of ending?.more ?? []) await write(item, [])
  res.write(held.join(''))
  // The reader gets what was written before the connection goes.
  if (ending?.breaks === true) setTimeout(() => res.destroy(), 30)
  else if (ending?.staysOpen !== true) res.end()
}

interface Frame {
  raw: string
  data: string
  /** `id:` and `event:` lines. */
  fields: string[]
}

async function* framesOf(response: IncomingMessage): AsyncGenerator<Frame> {
  let pending = ''
  response.setEncoding('utf8')
  for await (const chunk of response as AsyncIterable<string>) {
    pending += chunk
    for (let end = pending.indexOf('\n\n'); end >= 0; end = pending.indexOf('\n\n')) {
      const raw = pending.slice(0, end + 2)
      pending = pending.slice(end + 2)
      const lines = raw.trimEnd().split('\n')
      const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trim())
      yield { raw, data: data.join('\n'), fields: lines.filter((line) => /^(id|event):/.test(line)) }
    }
  }
}

/** The event inside a frame; undefined for comments and errors. */
function eventOf(data: string, call: Call): JsonObject | undefined {
  const payload = parsed(data)
  const event = call.isRpc && isJsonObject(payload) ? payload.result : payload
  return isJsonObject(event) ? event : undefined
}

function idOf(call: Call): JsonValue {
  return isJsonObject(call.body) ? (call.body.id ?? null) : null
}

function isEventStream(response: IncomingMessage): boolean {
  return String(response.headers['content-type']).startsWith('text/event-stream')
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

// ── notifications ────────────────────────────────────────────────────────────────────────────────────────────────

/** Webhooks are registered here instead, so that the mutation sees what is delivered. */
const HOOK = '/__hook/'

function divertWebhooks(call: Call, outer: string): void {
  const divert = (object: JsonObject) => {
    if (typeof object.url === 'string' && object.url.includes('/hook/')) {
      object.url = `${outer}${HOOK}${encodeURIComponent(object.url)}`
    }
  }
  each(call.body, divert)
}

function restoreWebhooks(reply: Reply, outer: string): void {
  const diverted = new RegExp(`${outer}${HOOK}([^"]*)`, 'g')
  reply.text = reply.text.replace(diverted, (_, url: string) => decodeURIComponent(url))
}

async function deliver(call: Call, res: ServerResponse, change: NonNullable<Mutation['delivery']>): Promise<void> {
  const url = decodeURIComponent(call.path.slice(HOOK.length))
  const before = Number(call.memory.get(url) ?? 0)
  call.memory.set(url, before + 1)
  const { host: _, 'content-length': __, ...headers } = call.headers
  const delivery: Delivery = { method: call.method, url, headers, body: call.body ?? null, before }
  const fate = change(delivery, call.memory)
  if (fate === 'lost') return void res.writeHead(200).end()
  const response = await fetch(delivery.url, {
    method: delivery.method,
    headers: delivery.headers,
    redirect: fate === 'followed' ? 'follow' : 'manual',
    ...(delivery.method === 'GET' ? {} : { body: JSON.stringify(delivery.body) }),
  })
  if (fate === 'acknowledged') return void res.writeHead(200).end()
  res.writeHead(response.status, Object.fromEntries(response.headers)).end()
}
