// What is said about an agent that stopped answering during the run: how it shows, and after which request.

import { EXIT } from '../../model/errors.ts'
import type { CurlTls } from '../../trace/curl.ts'
import type { Exchange } from '../../trace/exchange.ts'
import type { Redactor } from '../../trace/redact.ts'
import { reproduce } from '../../trace/reproduce.ts'
import type { Call } from '../probe/calls.ts'
import type { Death } from '../probe/pulse.ts'
import type { Diagnosis } from './result.ts'
import { transcriptOf } from './transcript-of.ts'

/** As many as run at a time. */
const MOST_NAMED = 7

export interface DeathContext {
  redactor: Redactor
  tls?: CurlTls | undefined
  /** The check that sent an exchange. */
  keyOf(exchange: Exchange | undefined): string | undefined
}

export function deathDiagnosis({ origin, how, call, others, answered }: Death, context: DeathContext): Diagnosis {
  const { redactor } = context
  const symptom = {
    gone: `${origin} no longer accepts connections`,
    back: `${origin} did not accept connections for a moment, as during a restart`,
    silent: `${origin} no longer answers any request`,
    stuck: `${origin} no longer answers ${call.label}, although it did before`,
  }[how]
  const under = others.slice(0, MOST_NAMED).map((one) => briefly(one, context))
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : ''
  const besides =
    under.length === 0 ? '' : ` Also running at that time, and possibly the cause: ${under.join(', ')}${more}.`
  const curlOf = (one: Call) => reproduce(recorded(one), { redactor, tls: context.tls, placeholders: true })
  const diagnosis: Diagnosis = {
    code: how === 'gone' || how === 'back' ? 'agent-died' : 'agent-hangs',
    message: redactor.text(
      `The agent stopped answering during the run: ${symptom}. It happened after ${briefly(call, context)} to ${redactor.url(call.request.url)}.${besides}`,
    ),
    fix: 'Check the log of the agent for what this request caused, fix it, and run again; later checks were not measured.',
    exitCode: EXIT.agentStopped,
    curl: curlOf(call),
  }
  diagnosis.suspects = [
    ...others.map((one) => ({ request: briefly(one, context), curl: curlOf(one) })),
    ...answered.map((one) => ({ request: `answered before: ${briefly(one, context)}`, curl: curlOf(one) })),
  ]
  if (call.exchange !== undefined) diagnosis.transcript = transcriptOf(call.exchange, redactor)
  return diagnosis
}

/** `CancelTask (cancel-unknown@1.0/jsonrpc)`. */
function briefly(call: Call, { keyOf }: DeathContext): string {
  const key = keyOf(call.exchange)
  return key === undefined ? call.label : `${call.label} (${key})`
}

function recorded({ exchange, request }: Call): Exchange['request'] {
  const { method, url, headers, body = new Uint8Array(), grpcMessage: message } = request
  const sent = { method, url, headers, body }
  return exchange?.request ?? (message === undefined ? sent : { ...sent, message, rpc: new URL(url).pathname.slice(1) })
}
