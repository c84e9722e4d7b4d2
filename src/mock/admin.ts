// The control interface of a running mock, so that suites in any language can drive it. Only from this machine, only
// with the token, never from a web page: the peer address, Host, Origin and Sec-Fetch-Site are all checked.

import { createHash, timingSafeEqual } from 'node:crypto'
import { DEFAULT_MIME_TYPE, type StoredArtifact, type VersionChoice } from '../artifacts/artifact-store.ts'
import { ParleyError } from '../model/errors.ts'
import type { JsonObject, JsonValue } from '../model/json.ts'
import { OPERATIONS } from '../model/operation.ts'
import { isLoopback } from '../net/guard/loopback.ts'
import { MAX_BODY_BYTES } from '../net/limits.ts'
import { HttpFault } from '../net/serve/http-fault.ts'
import { readBody } from '../net/serve/read-body.ts'
import { jsonReply, type Reply } from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'
import { readSource } from '../yaml/file.ts'
import {
  boolean,
  choice,
  durationMs,
  either,
  integer,
  json,
  list,
  nonEmptyText,
  optional,
  record,
  type Shape,
} from '../yaml/shape.ts'
import { YamlSource } from '../yaml/source.ts'
import { entryJson } from './entry-json.ts'
import { faultShape } from './faults/fault-shape.ts'
import { parseScript } from './script/load-script.ts'
import type { MockSession } from './session.ts'

export const ADMIN_PATH = '/__parley/'
const SESSION_HEADER = 'x-parley-session'
const MAX_WAIT_MS = 60_000
const BODY_TYPES = ['application/json', 'application/yaml', 'text/yaml']

/** Of what is not simply a bad request. */
const STATUSES: { readonly [code: string]: number } = { 'wait-timeout': 408, 'artifact-not-found': 404 }

export interface AdminTarget {
  session(name: string): Promise<MockSession>
  close(name: string): Promise<boolean>
  names(): string[]
}

interface AdminCall {
  readonly session: MockSession
  readonly sessionName: string
  /** What the path says after the route: still percent-encoded. */
  readonly item: string
  readonly query: URLSearchParams
  readonly body: () => Promise<string>
}

type AdminRoute = (call: AdminCall, target: AdminTarget) => Promise<JsonValue | StoredArtifact | undefined>

const primeShape = record({ testCaseId: optional(nonEmptyText), responses: json })
const times = either(integer(0), record({ min: optional(integer(0)), max: optional(integer(0)) }))
const verifyShape = record({
  rule: optional(nonEmptyText),
  times: optional(times),
  after: optional(list(nonEmptyText)),
})
const refuseShape = record({ times: optional(integer(1, 1000)) })
const waitShape = record({
  operation: optional(choice(OPERATIONS)),
  rule: optional(nonEmptyText),
  taskId: optional(nonEmptyText),
  isFinished: optional(boolean),
  timeout: optional(durationMs),
})

const ROUTES: ReadonlyMap<string, AdminRoute> = new Map<string, AdminRoute>([
  [
    'GET status',
    async ({ session }, target) => ({ sessions: target.names(), requests: session.journal.entries.length }),
  ],
  ['GET journal', async ({ session }) => session.journal.entries.map(entryJson)],
  [
    'DELETE journal',
    async ({ session }) => {
      session.journal.clear()
      return undefined
    },
  ],
  [
    'PUT script',
    async ({ session, body }) => {
      await session.load(parseScript(await body(), 'script'))
      return undefined
    },
  ],
  [
    'POST reset',
    async ({ session }) => {
      session.reset()
      return undefined
    },
  ],
  [
    'GET artifacts',
    async ({ session }) => session.artifacts.list().map((each) => ({ ...(each as object as JsonObject) })),
  ],
  [
    'GET artifacts/<name>',
    async ({ session, item, query }) => {
      const name = decoded(item)
      const version = versionOf(query.get('version'))
      const found = await session.artifacts.load(name, version)
      if (found === undefined)
        throw new ParleyError('artifact-not-found', `There is no artifact '${name}' in version ${version}.`)
      return found
    },
  ],
  [
    'GET faults',
    async ({ session }) =>
      session.faults.list().map(({ fault, fired }) => ({ ...(fault as object as JsonObject), fired })),
  ],
  [
    'POST faults',
    async ({ session, body }) => {
      session.faults.arm(read(faultShape, await body(), 'fault'))
      return undefined
    },
  ],
  [
    'DELETE faults',
    async ({ session }) => {
      session.faults.disarm()
      return undefined
    },
  ],
  [
    'POST prime',
    async ({ session, body }) => {
      const { testCaseId, responses } = read(primeShape, await body(), 'prime')
      const primed = session.conversation.prime(responses, testCaseId)
      if (!primed.ok) throw new ParleyError('responses-invalid', primed.message)
      return undefined
    },
  ],
  [
    'POST refuse',
    async ({ session, body }) => {
      session.credentials.refuseNext(read(refuseShape, await body(), 'refuse').times ?? 1)
      return undefined
    },
  ],
  [
    'POST verify',
    async ({ session, body }) => {
      const { rule, ...expectation } = read(verifyShape, await body(), 'verify')
      const problems = rule === undefined ? session.problems() : session.journal.verify(rule, expectation)
      return { ok: problems.length === 0, problems }
    },
  ],
  [
    'POST wait',
    async ({ session, body }) => {
      const { timeout = 5_000, operation, rule, taskId, isFinished } = read(waitShape, await body(), 'wait')
      const found = await session.journal.waitFor(
        (entry) =>
          (operation === undefined || entry.operation === operation) &&
          (rule === undefined || entry.rule === rule) &&
          (taskId === undefined || entry.taskId === taskId) &&
          (isFinished !== true || entry.outcome !== 'open'),
        Math.min(timeout, MAX_WAIT_MS),
      )
      return entryJson(found)
    },
  ],
  ['DELETE session', async ({ sessionName }, target) => ({ ok: await target.close(sessionName) })],
])

export class AdminApi {
  readonly #token: Buffer
  readonly #target: AdminTarget

  constructor(token: string, target: AdminTarget) {
    this.#token = digest(token)
    this.#target = target
  }

  async answer(request: ServerRequest): Promise<Reply> {
    const refusal = this.#refusal(request)
    if (refusal !== undefined) return failure(refusal.status, refusal.code, refusal.message)
    const { method, path, headers } = request
    const [name = '', ...items] = path.slice(ADMIN_PATH.length).split('/')
    const route = ROUTES.get(`${method} ${items.length === 0 ? name : `${name}/<name>`}`)
    if (route === undefined)
      return failure(404, 'not-found', `There is no ${method} ${path}; there are ${[...ROUTES.keys()].join(', ')}.`)
    try {
      const query = new URLSearchParams(request.query)
      const header = headers[SESSION_HEADER]
      const sessionName = query.get('session') ?? (typeof header === 'string' ? header : '')
      const session = await this.#target.session(sessionName)
      const call = { session, sessionName, item: items.join('/'), query, body: () => bodyOf(request) }
      const result = (await route(call, this.#target)) ?? { ok: true }
      if (!isStored(result)) return jsonReply(200, result, PRIVATE)
      return {
        status: 200,
        headers: ['Content-Type', headerOf(result.metadata.mimeType), ...PRIVATE],
        body: result.bytes,
      }
    } catch (error) {
      if (error instanceof HttpFault) return failure(error.status, 'bad-body', error.message)
      if (error instanceof ParleyError) return failure(STATUSES[error.code] ?? 400, error.code, error.message)
      throw error
    }
  }

  #refusal(request: ServerRequest): { status: number; code: string; message: string } | undefined {
    const port = URL.parse(request.origin ?? '')?.port || '80'
    const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]
    const { origin, host = '', authorization = '' } = request.headers
    const site = request.headers['sec-fetch-site']
    if (!isLoopback(request.peer.address ?? '')) return forbidden('The control interface answers only on this machine.')
    if (!hosts.includes(host.toLowerCase())) return forbidden(`The Host must be ${hosts.join(' or ')}.`)
    if (origin !== undefined && !hosts.some((own) => origin === `http://${own}`))
      return forbidden('Web pages may not use the control interface.')
    if (site !== undefined && site !== 'same-origin' && site !== 'none')
      return forbidden('Web pages may not use the control interface.')
    const given = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
    if (!timingSafeEqual(digest(given), this.#token))
      return {
        status: 401,
        code: 'unauthenticated',
        message: 'Send the token printed at start as Authorization: Bearer …',
      }
    return undefined
  }
}

const PRIVATE = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']

function failure(status: number, code: string, message: string): Reply {
  return jsonReply(status, { error: { code, message } }, PRIVATE)
}

function forbidden(message: string): { status: number; code: string; message: string } {
  return { status: 403, code: 'forbidden', message }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

async function bodyOf(request: ServerRequest): Promise<string> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (!BODY_TYPES.includes(type))
    throw new ParleyError('wrong-content-type', `Send the body as ${BODY_TYPES.join(' or ')}.`)
  return (await readBody(request, MAX_BODY_BYTES)).toString('utf8')
}

function read<T>(shape: Shape<T>, text: string, what: string): T {
  return readSource(new YamlSource(what, text), shape, 'body-invalid')
}

function decoded(item: string): string {
  try {
    return decodeURIComponent(item)
  } catch (cause) {
    throw new ParleyError('artifact-name-invalid', `'${item}' is not percent-encoded UTF-8.`, { cause })
  }
}

function versionOf(text: string | null): VersionChoice {
  if (text === null || text === 'latest') return 'latest'
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new ParleyError('artifact-version-invalid', `A version is a number from 1 on or 'latest', not '${text}'.`)
}

function isStored(result: JsonValue | StoredArtifact): result is StoredArtifact {
  return typeof result === 'object' && result !== null && 'bytes' in result && result.bytes instanceof Uint8Array
}

/** A script may call anything a media type; a header may not hold anything. */
function headerOf(mediaType: string): string {
  return /^[\x20-\x7e]+$/.test(mediaType) ? mediaType : DEFAULT_MIME_TYPE
}
