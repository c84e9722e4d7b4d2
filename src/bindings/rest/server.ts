// The server half of HTTP+JSON (1.0 §11): a route, its parameters from path, query and body folded into one request, the
// result as the whole body, errors as google.rpc.Status.

import type { Dialect } from '../../dialects/dialect.ts'
import { A2AError } from '../../model/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import type { Reply } from '../../net/serve/reply.ts'
import type { ServerRequest } from '../../net/serve/request.ts'
import { answerOperation } from '../answer-operation.ts'
import { errorHeaders, errorReply, jsonTypeFor, toA2AError, versionOf } from '../http.ts'
import type { BindingMount, CallerFacts } from '../mount.ts'
import { parseJsonText, readJsonText } from '../request-body.ts'
import type { ServedBinding } from '../served-binding.ts'
import { recordedRest } from './recorded.ts'
import { matchRoute, type RouteMatch } from './routes.ts'

/** Operations whose path says everything that must be said. */
const SAID_BY_PATH: ReadonlySet<Operation> = new Set(['cancelTask', 'subscribeTask'])

export const restServing = {
  id: 'rest',
  cardName: 'HTTP+JSON',
  hasOwnPort: false,
  accepts: (_request, { dialects }) => dialects.some(({ routes }) => routes.length > 0),
  serve: serveRest,
  refuse,
  operationOf(dialect, { method, path }) {
    const match = matchRoute(dialect, method, withoutV1(path))
    return 'route' in match ? match.route.op : undefined
  },
  recorded: recordedRest,
} satisfies ServedBinding

async function serveRest(request: ServerRequest, mount: BindingMount, caller: CallerFacts): Promise<Reply> {
  let dialect = mount.fallback
  try {
    const version = versionOf(request, caller.query)
    const selected = mount.select({ version, method: undefined, hasV1Prefix: caller.path.startsWith(V1) })
    if (selected instanceof A2AError) throw selected
    dialect = selected
    return await answer(request, mount, { dialect, caller, match: findRoute(dialect, request, caller) })
  } catch (thrown) {
    return refuse(request, mount, dialect, toA2AError(thrown, mount))
  }
}

function refuse(request: ServerRequest, mount: BindingMount, dialect: Dialect, error: A2AError): Reply {
  mount.onRefusal(error)
  const { status, body } = dialect.errors(mount.revision).encodeRest(error)
  return errorReply(request, mount, {
    status,
    mediaType: jsonTypeFor(request, dialect.mediaType(mount.revision)),
    body: JSON.stringify(body),
    dialect,
    headers: [...errorHeaders(error), ...(error.options.allow ? ['Allow', error.options.allow.join(', ')] : [])],
  })
}

/** A prefix that 0.3 has and 1.0 does not; clients of both use it. */
const V1 = '/v1/'

function withoutV1(path: string): string {
  return path.startsWith(V1) ? path.slice(V1.length - 1) : path
}

function findRoute(dialect: Dialect, { method }: ServerRequest, caller: CallerFacts): RouteMatch {
  const path = withoutV1(caller.path)
  const match = matchRoute(dialect, method, path)
  if ('route' in match) return match
  if (match.allowed.length === 0) throw new A2AError('MethodNotFound', `There is no ${path.slice(0, 200)} here.`)
  const allow = [...new Set(match.allowed)]
  throw new A2AError('InvalidRequest', `Use ${allow.join(' or ')} here, not ${method}.`, { httpStatus: 405, allow })
}

interface Work {
  dialect: Dialect
  caller: CallerFacts
  match: RouteMatch
}

async function answer(request: ServerRequest, mount: BindingMount, { dialect, caller, match }: Work): Promise<Reply> {
  const codec = dialect.codecs.rest
  if (codec === undefined) throw new A2AError('MethodNotFound', 'This protocol version has no HTTP+JSON binding.')
  const isInBody = match.route.method === 'POST' && !request.body.isEmpty
  const wire = isInBody
    ? withPath(parseJsonText(await readJsonText(request, mount.limits), mount.limits), match)
    : withPath(queryOf(caller), match)
  return answerOperation(request, mount, {
    ...{ op: match.route.op, dialect, codec, wire, caller },
    tenant: match.tenant || (typeof wire.tenant === 'string' ? wire.tenant : ''),
    mediaType: jsonTypeFor(request, dialect.mediaType(mount.revision)),
    envelope: { before: '', after: '' },
    nothing: '{}',
    // What one caller may see is nothing for a shared cache (1.0 §13.3).
    headers: ['Cache-Control', 'no-store'],
  })
}

/** Path beats query and body: the route already says what the request is about. */
function withPath(said: JsonValue, { route, params }: RouteMatch): JsonObject {
  // Some clients write `null` where they have nothing to say beyond the path.
  if (said === null && SAID_BY_PATH.has(route.op)) return params
  if (!isJsonObject(said)) throw new A2AError('InvalidParams', 'The request body must be a JSON object.')
  return { ...said, ...params }
}

function queryOf({ query }: CallerFacts): JsonObject {
  const said: JsonObject = {}
  for (const [name, value] of query ?? []) if (name.toLowerCase() !== 'a2a-version') said[name] = value
  return said
}
