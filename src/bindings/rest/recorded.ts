// HTTP+JSON calls, read back from a recording.

import type { Dialect } from '../../dialects/dialect.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { errorIn, type RecordedHalf, wireErrorOf } from '../recorded-call.ts'
import { matchRoute, type RouteMatch } from './routes.ts'

export const recordedRest: RecordedHalf = {
  asked({ method, path, query, body }, select) {
    const dialect = select({ method: undefined, hasV1Prefix: path.includes('/v1/') })
    const codec = dialect?.codecs.rest
    const found = dialect && routeAtEnd(dialect, method, path)
    if (dialect === undefined || codec === undefined || found === undefined) return undefined
    const { 'A2A-Version': _version, ...said } = query
    const wire: JsonObject = { ...(isJsonObject(body) ? body : said), ...found.params }
    return { op: found.route.op, dialect, codec, wire }
  },
  unwrap(body, status) {
    const error = errorIn(body, status)
    if (error !== undefined) return { ok: false, error }
    if (status === undefined || status < 400) return { ok: true, payload: body }
    return { ok: false, error: isJsonObject(body) ? wireErrorOf(body, status) : { status, message: `HTTP ${status}` } }
  },
}

/** The agent may have lived below any path: the shortest end of it that is a route is the route. */
function routeAtEnd(dialect: Dialect, method: string, path: string): RouteMatch | undefined {
  const segments = path.split('/').slice(1)
  for (let from = segments.length - 1; from >= 0; from--) {
    const match = matchRoute(dialect, method, `/${segments.slice(from).join('/')}`)
    if ('route' in match) return match
  }
  return undefined
}
