// What a conversation of a cell came to, as a result of a run.

import { surfaceKey } from '../grade/scenario.ts'
import { statusOf } from '../judge/runner/result.ts'
import { transcriptOf } from '../judge/runner/transcript-of.ts'
import type { RunResult } from '../run/run.ts'
import type { Exchange } from '../trace/exchange.ts'
import { Redactor } from '../trace/redact.ts'
import type { Finding } from './blame.ts'
import { CONVERSATION, type ConversationId } from './conversations.ts'
import type { Cell } from './plan.ts'

export interface Told {
  readonly verdict: 'pass' | 'warn' | 'fail' | 'not-measured' | 'not-applicable' | 'skip'
  readonly message?: string
  readonly finding?: Finding
  readonly durationMs?: number
  readonly exchanges?: readonly Exchange[]
}

const MOST_CALLS = 6

export function resultOf({ client, server, surface }: Cell, id: ConversationId, told: Told): RunResult {
  const { verdict, message, finding, durationMs, exchanges = [] } = told
  const { version, binding } = surface
  const result: RunResult = {
    test: id,
    key: `${client.name}→${server.name} ${id}@${surfaceKey(surface)}`,
    group: `${client.name} → ${server.name}`,
    title: CONVERSATION[id].title,
    level: 'MUST',
    verdict,
    status: verdict === 'skip' ? 'skip' : statusOf(verdict, false),
    version,
    binding,
    sections: [],
    requirements: [],
    pair: { client: client.name, server: server.name, ...(finding !== undefined && { blame: finding.blame }) },
  }
  if (durationMs !== undefined) result.duration_ms = durationMs
  if (message !== undefined) Object.assign(result, verdict === 'skip' ? { reason: message } : { message })
  if (exchanges.length === 0) return result
  const redactor = new Redactor()
  const shown = finding?.exchange === undefined ? exchanges.slice(-MOST_CALLS) : [finding.exchange]
  result.transcript = shown.map((exchange) => transcriptOf(exchange, redactor))
  return result
}
