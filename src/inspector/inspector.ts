// The inspector: a page on this machine and the small API behind it. Everything the page can do is the library's doing; this
// file only decides who may ask (guard.ts, tokens.ts) and whose request it is (routes.ts).

import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { A2AError, EXIT, ParleyError } from '../model/errors.ts'
import { isJsonObject, type JsonObject } from '../model/json.ts'
import { isLoopback } from '../net/guard/loopback.ts'
import { HttpFault } from '../net/serve/http-fault.ts'
import { createListener, type Listener } from '../net/serve/http-listener.ts'
import { nodeHandler } from '../net/serve/node-handler.ts'
import { readBody } from '../net/serve/read-body.ts'
import { errorReply, jsonReply, type Reply, wrongMethod } from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'
import { Redactor } from '../trace/redact.ts'
import { errorView } from './error-view.ts'
import { CALLBACK_PATH, refusalOf, SAFE_HEADERS } from './guard.ts'
import { Lab, type LabOptions } from './lab.ts'
import { notice, pageFile } from './page-files.ts'
import { BYTE_ROUTES, ROUTES } from './routes.ts'
import { InspectorTokens } from './tokens.ts'

export const SESSION_HEADER = 'x-parley-session'
const API = '/api/'
/** A message may carry files. */
const MAX_BODY_BYTES = 64 * 1024 * 1024
const NO_BYTES = Buffer.alloc(0)

export interface InspectorOptions extends LabOptions {
  readonly port?: number
  /** Loopback unless given; anything else is reached by others. */
  readonly host?: string
  /** Told of what went wrong in the inspector itself. */
  onError?(error: unknown): void
}

export class Inspector {
  readonly lab: Lab
  readonly #tokens = new InspectorTokens()
  readonly #options: InspectorOptions
  readonly #listener: Listener
  #url = ''
  #port = 0

  constructor(options: InspectorOptions = {}) {
    this.#options = options
    this.lab = new Lab(options)
    const onError = (error: unknown) => options.onError?.(error)
    this.#listener = createListener(
      nodeHandler((request) => this.#answer(request), { onError }),
      {
        onError,
        limits: { bodyBytes: MAX_BODY_BYTES },
      },
    )
  }

  async start(): Promise<{ url: string; port: number }> {
    const { port = 0, host = '127.0.0.1' } = this.#options
    const bound = await this.#listener.listen({ port, host })
    this.#url = bound.url
    this.#port = bound.port
    this.lab.callbackUrl = `${bound.url}${CALLBACK_PATH}`
    return { url: bound.url, port: bound.port }
  }

  /** The address that opens the inspector, once. */
  link(): string {
    return `${this.#url}/#token=${this.#tokens.newLink()}`
  }

  async close(): Promise<void> {
    await this.lab.close()
    await this.#listener.close({ graceMs: 300 })
  }

  #answer(request: ServerRequest): Reply | Promise<Reply> {
    const refusal = refusalOf(request, { port: this.#port, ...placeOf(this.#options.host) })
    if (refusal !== undefined) return refusal
    const { path, method } = request
    if (path.startsWith(API)) return this.#api(request)
    if (method !== 'GET' && method !== 'HEAD') return wrongMethod('GET')
    if (path === CALLBACK_PATH) return this.#callback(request)
    return pageFile(path) ?? notice(404, 'Not found', 'There is nothing at this address; the inspector is at /.')
  }

  /** The one GET that changes something: its `state` is known to this login alone and works once. */
  #callback({ query }: ServerRequest): Reply {
    const { ok, text } = this.lab.callbacks.arrive(new URLSearchParams(query))
    return notice(ok ? 200 : 400, ok ? 'Logged in' : 'Not logged in', text)
  }

  async #api(request: ServerRequest): Promise<Reply> {
    const { method, path, headers } = request
    const [name = '', ...items] = path.slice(API.length).split('/')
    try {
      if (method === 'POST' && name === 'session') return this.#session(await bodyOf(request))
      const given = headers[SESSION_HEADER]
      if (!this.#tokens.isSession(typeof given === 'string' ? given : undefined))
        return failure(401, 'no-session', 'This page has no session; open the link that parley ui printed.')
      if (method === 'GET' && name === 'feed') return feedReply(this.lab)
      const route = ROUTES.get(`${method} ${name}`)
      if (route === undefined) return failure(404, 'not-found', `There is no ${method} ${path}.`)
      const isFile = BYTE_ROUTES.has(`${method} ${name}`) && typeOf(request) === 'application/octet-stream'
      const bytes = isFile ? await readBody(request, MAX_BODY_BYTES) : NO_BYTES
      const body = method === 'POST' && !isFile ? await bodyOf(request) : {}
      const result = await route({ lab: this.lab, item: items.join('/'), body, bytes, signal: request.signal })
      // Whatever an agent repeats of what it was shown stays here.
      const text = this.lab.redacted(JSON.stringify(result ?? { ok: true }))
      return { status: 200, headers: ['Content-Type', 'application/json', ...SAFE_HEADERS], body: text }
    } catch (error) {
      return failureOf(error)
    }
  }

  #session(body: JsonObject): Reply {
    const given = this.#tokens.exchange(typeof body.token === 'string' ? body.token : '')
    if ('session' in given) return jsonReply(200, given, SAFE_HEADERS)
    const message =
      given.problem === 'used'
        ? 'This link was used already. Press Enter where parley ui runs for a new one.'
        : 'This link is not valid. Open the one that parley ui printed last.'
    return failure(403, given.problem === 'used' ? 'link-used' : 'link-wrong', message)
  }
}

/** By which names others reach it. At every address of this machine means by each of them, and by no name: names can be rebound. */
function placeOf(host = '127.0.0.1'): { hosts: string[]; isPublic: boolean } {
  if (host === 'localhost' || isLoopback(host)) return { hosts: [inUrl(host)], isPublic: false }
  if (host !== '0.0.0.0' && host !== '::') return { hosts: [inUrl(host)], isPublic: true }
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return { hosts: own.map(({ address }) => inUrl(address)), isPublic: true }
}

function inUrl(host: string): string {
  return isIPv6(host) ? `[${host}]` : host
}

function feedReply(lab: Lab): Reply {
  const headers = ['Content-Type', 'text/event-stream', ...SAFE_HEADERS]
  return { status: 200, headers, body: { kind: 'events', feed: lab.feed.open() } }
}

function typeOf({ headers }: ServerRequest): string | undefined {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
}

/** A form of another page cannot send JSON, nor the bytes of a file as such; a browser asks about both first. */
async function bodyOf(request: ServerRequest): Promise<JsonObject> {
  if (typeOf(request) !== 'application/json')
    throw new HttpFault('unsupported-encoding', 'Send the body as application/json.')
  const text = (await readBody(request, MAX_BODY_BYTES)).toString('utf8')
  try {
    const json: unknown = JSON.parse(text)
    if (isJsonObject(json)) return json
  } catch {
    // Said below.
  }
  throw new ParleyError('bad-request', 'The body is not a JSON object.', { exitCode: EXIT.usage })
}

function failureOf(error: unknown): Reply {
  if (error instanceof HttpFault) return failure(error.status, 'bad-body', error.message)
  if (!(error instanceof ParleyError) && !(error instanceof A2AError)) throw error
  return jsonReply(422, { error: errorView(error, new Redactor()) }, SAFE_HEADERS)
}

function failure(status: number, code: string, message: string): Reply {
  const { headers } = errorReply(status, message, SAFE_HEADERS)
  return { status, headers, body: JSON.stringify({ error: { code, message } }) }
}
