// The server half of HTTP+JSON (1.0 §11): a route, its parameters from path, query and body folded into one request, the
// result as the whole body, errors as google.rpc.Status.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dialect } from '../../dialects/dialect.ts'
import { A2AError } from '../../model/errors.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import { answerOperation } from '../answer-operation.ts'
import { errorHeaders, jsonTypeFor, type Refusing, replyError, toA2AError, versionOf } from '../http.ts'
import type { BindingMount, CallerFacts } from '../mount.ts'
import { readJson } from '../request-body.ts'
import { matchRoute, type RouteMatch } from './routes.ts'

const BODY_TYPES = ['application/json', 'application/a2a+json']

/** Operations whose path says everything that must be said. */
const SAID_BY_PATH: ReadonlySet<Operation> = new Set(['cancelTask', 'subscribeTask'])

export interface RestPath {
  /** Below the mount, without a /v1 prefix. */
  path: string
  hasV1Prefix: boolean
}

export async function serveRest(
  req: IncomingMessage,
  res: ServerResponse,
  mount: BindingMount,
  caller: CallerFacts & RestPath,
): Promise<void> {
  let dialect = mount.fallback
  try {
    const version = versionOf(req, caller.query)
    const selected = mount.select({ version, method: undefined, hasV1Prefix: caller.hasV1Prefix })
    if (selected instanceof A2AError) throw selected
    dialect = selected
    await answer(req, res, mount, { dialect, caller, match: findRoute(dialect, req, caller) })
  } catch (thrown) {
    const error = toA2AError(thrown, mount)
    if (res.headersSent) res.destroy()
    else refuse(req, res, mount, dialect, error)
  }
}

export function refuse(
  req: IncomingMessage,
  res: ServerResponse,
  mount: Refusing,
  dialect: Dialect,
  error: A2AError,
): void {
  mount.onRefusal(error)
  const { status, body } = dialect.errors(mount.revision).encodeRest(error)
  replyError(req, res, mount, {
    status,
    mediaType: jsonTypeFor(req, dialect.mediaType(mount.revision)),
    body: JSON.stringify(body),
    dialect,
    headers: [...errorHeaders(error), ...(error.options.allow ? ['Allow', error.options.allow.join(', ')] : [])],
  })
}

function findRoute(dialect: Dialect, req: IncomingMessage, caller: RestPath): RouteMatch {
  const match = matchRoute(dialect, req.method ?? '', caller.path)
  if ('route' in match) return match
  if (match.allowed.length === 0) throw new A2AError('MethodNotFound', `There is no ${caller.path.slice(0, 200)} here.`)
  const allow = [...new Set(match.allowed)]
  throw new A2AError('InvalidRequest', `Use ${allow.join(' or ')} here, not ${req.method}.`, { httpStatus: 405, allow })
}

interface Work {
  dialect: Dialect
  caller: CallerFacts
  match: RouteMatch
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  mount: BindingMount,
  { dialect, caller, match }: Work,
): Promise<void> {
  const codec = dialect.codecs.rest
  if (codec === undefined) throw new A2AError('MethodNotFound', 'This generation has no HTTP+JSON binding.')
  const wire = await foldRequest(req, mount, caller, match)
  await answerOperation(req, res, mount, {
    ...{ op: match.route.op, dialect, codec, wire, caller },
    tenant: match.tenant || (typeof wire.tenant === 'string' ? wire.tenant : ''),
    mediaType: jsonTypeFor(req, dialect.mediaType(mount.revision)),
    envelope: { before: '', after: '' },
    nothing: '{}',
    // What one caller may see is nothing for a shared cache (1.0 §13.3).
    headers: ['Cache-Control', 'no-store'],
  })
}

/** Path beats query beats body: the route already says what the request is about. */
async function foldRequest(
  req: IncomingMessage,
  mount: BindingMount,
  caller: CallerFacts,
  match: RouteMatch,
): Promise<JsonObject> {
  const folded: JsonObject = {}
  if (match.route.method === 'POST' && hasBody(req)) {
    const body = await readJson(req, mount.limits, BODY_TYPES)
    // Some clients write `null` where they have nothing to say beyond the path.
    if (body === null && SAID_BY_PATH.has(match.route.op)) return match.params
    if (!isJsonObject(body)) throw new A2AError('InvalidParams', 'The request body must be a JSON object.')
    Object.assign(folded, body)
  } else if (caller.query !== undefined) {
    for (const [name, value] of caller.query) if (name.toLowerCase() !== 'a2a-version') folded[name] = value
  }
  return Object.assign(folded, match.params)
}

function hasBody(req: IncomingMessage): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}
