// Grades what a client sent elsewhere, from a recording: the claims that hold for every request, and nothing is sent.

import { isEnveloped, isHttp1 } from '../bindings/registry.ts'
import { DIALECTS } from '../dialects/index.ts'
import { textAt } from '../model/json.ts'
import { type Exchange, headerOf } from '../trace/exchange.ts'
import { Call, type ReceivedCall } from './call.ts'
import { ClaimFailure, Evidence, NotMeasured } from './evidence.ts'
import type { ClientExit } from './graded-client.ts'
import { type ClaimResult, VERDICT_OF } from './run-scenario.ts'
import { EVERYWHERE, JSONRPC_1, levelOf, type Scenario, type Surface, surfaceKey } from './scenario.ts'
import { SCENARIOS } from './scenarios/all.ts'

const UNKNOWN_EXIT: ClientExit = {
  ...{ code: undefined, isTimeout: false, isUnknown: true, durationMs: 0 },
  ...{ outcome: undefined, stdout: '', stderr: '' },
}

export function gradeTraffic(exchanges: readonly Exchange[]): ClaimResult[] {
  const calls = exchanges.map((exchange, at) => received(exchange, at + 1))
  return EVERYWHERE.flatMap((surface) => {
    const dialects = DIALECTS.filter(({ id }) => id === surface.version)
    const own = calls.filter((call) => isSpoken(call, surface)).map((call) => new Call(call, 'agent', '', dialects))
    return own.length === 0 ? [] : SCENARIOS.flatMap((scenario) => judged(scenario, surface, own))
  })
}

function judged(scenario: Scenario, surface: Surface, calls: readonly Call[]): ClaimResult[] {
  const isHere = (scenario.on ?? JSONRPC_1).some((each) => surfaceKey(each) === surfaceKey(surface))
  if (!isHere) return []
  return scenario.claims
    .filter(({ isGeneral }) => isGeneral === true)
    .map((claim) => {
      const blank = { scenario, claim, surface, calls, exit: undefined, durationMs: 0 }
      try {
        // Each message by itself: a recording may hold many conversations.
        for (const part of [calls, ...calls.filter(({ message }) => message !== undefined).map((call) => [call])])
          tolerate(() => claim.judge(new Evidence({ surface, calls: part }, UNKNOWN_EXIT)))
        return { ...blank, verdict: 'pass' as const }
      } catch (error) {
        if (!(error instanceof ClaimFailure)) throw error
        const seen = error.calls.length === 0 ? calls.slice(-1) : error.calls
        return { ...blank, verdict: VERDICT_OF[levelOf(claim.title)], message: error.message, calls: seen }
      }
    })
}

function tolerate(judge: () => void): void {
  try {
    judge()
  } catch (error) {
    if (!(error instanceof NotMeasured)) throw error
  }
}

function received(exchange: Exchange, number: number): ReceivedCall {
  const { method, url, headers, body } = exchange.request
  const text = exchange.protocol === 'grpc' ? (exchange.request.message ?? '') : Buffer.from(body).toString('utf8')
  const { pathname, search } = new URL(url, 'http://localhost')
  return {
    ...{ number, method, url: `${pathname}${search}`, exchange, ending: 'answered' },
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body: text,
  }
}

/** Whether a call is one of this version and binding, by what it says itself. */
function isSpoken(call: ReceivedCall, { version, binding }: Surface): boolean {
  const dialect = DIALECTS.find(({ id }) => id === version)
  const json = new Call(call, 'agent', '', DIALECTS).json
  const method = textAt(json, 'method')
  if (call.method === 'GET' && call.url.includes('/.well-known/')) return false
  if (call.exchange.protocol === 'grpc' || !isHttp1(binding))
    return !isHttp1(binding) && call.url.startsWith(`/${dialect?.grpc?.service ?? ' '}/`)
  if (isEnveloped(binding)) return method !== undefined && Object.values(dialect?.methods ?? {}).includes(method)
  if (method !== undefined || textAt(json, 'jsonrpc') !== undefined) return false
  const named = headerOf(call.exchange.request.headers, 'A2A-Version')
  const isRoute = dialect?.routes.some(({ path }) => call.url.split('?')[0]?.endsWith(path) === true) ?? false
  return isRoute && (named?.startsWith(version) ?? dialect?.versionHeader === undefined)
}
