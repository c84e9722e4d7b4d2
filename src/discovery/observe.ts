// What an endpoint really speaks, found out without side effects: it is asked, in every dialect of its binding, for a
// task that cannot exist. Where two dialects ask with the same words, an empty send tells them apart, because each
// refuses or does not know it.

import { randomUUID } from 'node:crypto'
import { defined } from '../base/defined.ts'
import { type EndpointClient, jsonIn } from '../bindings/endpoint-client.ts'
import { BINDINGS } from '../bindings/registry.ts'
import type { BindingId, Dialect, DialectId } from '../dialects/dialect.ts'
import { DIALECTS } from '../dialects/index.ts'
import { A2AError, type A2AErrorKind } from '../model/errors.ts'
import { isJsonObject } from '../model/json.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { HeaderPairs } from '../net/http-request.ts'
import { NetError } from '../net/net-error.ts'

export interface Observation {
  /** Generations the endpoint understood. */
  speaks: readonly DialectId[]
  /** What each question was answered with: 'TaskNotFound', 'HTTP 404', … */
  answers: { readonly [dialect in DialectId]?: string }
  /** Set when nothing could be asked at all. */
  unreachable?: string
}

export interface ObserveOptions {
  url: string
  binding: BindingId
  http: HttpClient
  headers?: HeaderPairs
  tenant?: string
  timeoutMs?: number
  signal?: AbortSignal
}

/** Answers that show the question was understood; a refusal to talk at all shows nothing about the dialect. */
const UNDERSTOOD: ReadonlySet<A2AErrorKind> = new Set(['TaskNotFound', 'InvalidParams'])

export async function observe(options: ObserveOptions): Promise<Observation> {
  const speaks: DialectId[] = []
  const answers: { [dialect in DialectId]?: string } = {}
  const dialects = DIALECTS.filter((dialect) => dialect.codecs[options.binding] !== undefined)
  // Together: an endpoint that hangs takes the time of one question, not of three.
  const found = await Promise.all(dialects.map((dialect) => answerOf(dialect, dialects, options)))
  const away = found.find((answer): answer is NetError => answer instanceof NetError && AWAY.has(answer.code))
  if (away !== undefined) return { speaks: [], answers, unreachable: away.message }
  const late = found.find((answer): answer is NetError => answer instanceof NetError && answer.code === 'timeout')
  if (late !== undefined && found.every((answer) => answer instanceof NetError))
    return { speaks: [], answers, unreachable: late.message }
  for (const [at, { id }] of dialects.entries()) {
    const answer = found[at]
    if (answer === undefined) continue
    if (answer instanceof NetError) answers[id] = `no valid answer (${answer.message.replace(/\.$/, '')})`
    else {
      answers[id] = answer.said
      if (answer.isUnderstood) speaks.push(id)
    }
  }
  return { speaks, answers }
}

const AWAY: ReadonlySet<string> = new Set(['unreachable', 'tls', 'refused'])

async function answerOf(
  dialect: Dialect,
  dialects: readonly Dialect[],
  options: ObserveOptions,
): Promise<Answer | NetError> {
  try {
    return await ask(dialect, dialects, options)
  } catch (error) {
    if (!(error instanceof NetError)) throw error
    return error
  }
}

interface Answer {
  isUnderstood: boolean
  said: string
}

async function ask(dialect: Dialect, all: readonly Dialect[], options: ObserveOptions): Promise<Answer> {
  const answer = await askForTask(dialect, options)
  if (!answer.isUnderstood || !BINDINGS[options.binding].probe.sharesMethods) return answer
  const isShared = all.some((other) => other !== dialect && other.methods.getTask === dialect.methods.getTask)
  return isShared ? await sendNothing(dialect, options) : answer
}

async function askForTask(dialect: Dialect, options: ObserveOptions): Promise<Answer> {
  const client = endpointOf(dialect, options)
  const request = { id: randomUUID(), ...defined({ tenant: options.tenant }) }
  try {
    await client.call('getTask', request, options)
    return { isUnderstood: true, said: 'a task' }
  } catch (error) {
    if (!(error instanceof A2AError)) throw error
    const isUnderstood = UNDERSTOOD.has(error.kind) && (await isWordedIn(dialect, client, request, options))
    return { isUnderstood, said: error.kind }
  }
}

/** REST paths of two generations overlap (a tenant may be called v1); their error bodies do not. */
async function isWordedIn(
  dialect: Dialect,
  client: EndpointClient,
  request: { id: string },
  options: ObserveOptions,
): Promise<boolean> {
  if (!BINDINGS[options.binding].probe.sharesPaths) return true
  const { signal, timeoutMs } = options
  const response = await options.http.request({ ...client.prepare('getTask', request), signal, timeoutMs })
  const body = jsonIn(await response.text())
  if (!isJsonObject(body)) return false
  const own = dialect.errors().encodeRest(new A2AError('TaskNotFound', '')).body
  return isJsonObject(body.error) === isJsonObject(own.error)
}

async function sendNothing(dialect: Dialect, options: ObserveOptions): Promise<Answer> {
  const method = dialect.methods.sendMessage
  const { http, url, headers = [], signal, timeoutMs } = options
  const version: [string, string][] =
    dialect.versionHeader === undefined ? [] : [['A2A-Version', dialect.versionHeader]]
  const response = await http.request({
    method: 'POST',
    url,
    headers: [['Content-Type', 'application/json'], ['Accept', 'application/json'], ...version, ...headers],
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} }),
    signal,
    timeoutMs,
  })
  const body = jsonIn(await response.text())
  if (!isJsonObject(body) || !isJsonObject(body.error)) {
    return { isUnderstood: false, said: `HTTP ${response.status} without an error` }
  }
  const code = typeof body.error.code === 'number' ? { code: body.error.code } : {}
  const { kind } = dialect.errors().decode({ ...code, status: response.status, message: '' })
  return { isUnderstood: kind !== 'MethodNotFound' && kind !== 'VersionNotSupported', said: kind }
}

function endpointOf(dialect: Dialect, { url, binding, http, headers, timeoutMs }: ObserveOptions): EndpointClient {
  const options = {
    url,
    dialect,
    http,
    ...defined({ headers, timeoutMs }),
  }
  return BINDINGS[binding].client(options)
}
