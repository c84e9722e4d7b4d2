// What is said about an agent that stopped answering during the run: how it shows, and after which request.

import { EXIT } from '../../model/errors.ts'
import { type CurlTls, toCurl } from '../../trace/curl.ts'
import type { Exchange } from '../../trace/exchange.ts'
import type { Redactor } from '../../trace/redact.ts'
import type { Call } from '../probe/calls.ts'
import type { Death } from '../probe/pulse.ts'
import { transcriptOf } from './evidence.ts'
import type { Diagnosis } from './result.ts'

export interface DeathContext {
  redactor: Redactor
  tls?: CurlTls | undefined
  /** The check that sent an exchange. */
  keyOf(exchange: Exchange | undefined): string | undefined
}

export function deathDiagnosis({ origin, how, call, others }: Death, context: DeathContext): Diagnosis {
  const { redactor } = context
  const symptom = {
    gone: `nothing takes connections at ${origin} any more`,
    back: `nothing took connections at ${origin} for a moment, as after a restart`,
    silent: `${origin} answers nothing any more`,
    stuck: `${origin} does not answer ${call.label} any more, although it did before`,
  }[how]
  const under =
    others.length === 0
      ? ''
      : ` ${others.length === 1 ? 'One other was' : `${others.length} others were`} under way: ${others
          .slice(0, 3)
          .map((one) => named(one, context))
          .join(', ')}.`
  const diagnosis: Diagnosis = {
    code: how === 'gone' || how === 'back' ? 'agent-died' : 'agent-hangs',
    message: redactor.text(
      `The agent stopped answering during the run: ${symptom}. It happened after ${named(call, context)}.${under}`,
    ),
    fix: 'Look into the log of the agent for what this request does to it, repair that, and run again; what came later was not measured.',
    exitCode: EXIT.agentStopped,
    curl: toCurl(recorded(call), { redactor, tls: context.tls, placeholders: true }),
  }
  if (call.exchange !== undefined) diagnosis.transcript = transcriptOf(call.exchange, redactor)
  return diagnosis
}

function named(call: Call, { keyOf, redactor }: DeathContext): string {
  const key = keyOf(call.exchange)
  return `${call.label} to ${redactor.url(call.request.url)}${key === undefined ? '' : ` (${key})`}`
}

function recorded({ exchange, request }: Call): Exchange['request'] {
  const { method, url, headers, body = new Uint8Array() } = request
  return exchange?.request ?? { method, url, headers, body }
}
