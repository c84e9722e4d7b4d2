// `-v`: the exchanges with an agent as they happen, without secrets. A request is announced when it is sent, because the
// answer may take long, and shown with its answer when that is complete.

import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import type { ClientOptions } from '../client/a2a-client.ts'
import type { Exchange } from '../trace/exchange.ts'
import { Redactor } from '../trace/redact.ts'
import type { CliIo } from './cli-io.ts'
import { attemptLine, type TargetFlags } from './target-options.ts'
import { terminalLine, terminalText } from './terminal-text.ts'

const MOST_SHOWN = 10_000

/** What a client is watched with: where it looks for the card, and with -v every exchange. */
export function watchers(
  flags: TargetFlags & { quiet?: boolean; verbose?: boolean },
  io: CliIo,
): Pick<ClientOptions, 'onAttempt' | 'onExchange'> {
  return {
    ...(flags.quiet === true || flags.verbose === true ? {} : { onAttempt: attemptLine((line) => io.err(line)) }),
    ...(flags.verbose === true ? { onExchange: exchangeLog(flags, io) } : {}),
  }
}

function exchangeLog(flags: TargetFlags, io: Pick<CliIo, 'err'>): (exchange: Exchange) => void {
  const { bearer = '', apiKey = '', header = [] } = flags
  const secrets = [bearer, apiKey, ...header.map(([, value]) => value)]
  const redactor = new Redactor(secrets.filter((secret) => secret !== ''))
  subscribe('http.client.request.start', (message) => {
    const { request } = message as { request: ClientRequest }
    const path = request.path.split('?', 1)[0] ?? ''
    io.err(`→ ${terminalLine(`${request.method} ${request.protocol}//${request.host}${path}`)}\n`)
  })
  return (exchange) => io.err(describe(redactor.exchange(exchange)))
}

function describe({ request, response, failure, durationMs }: Exchange): string {
  const lines = [`> ${request.method} ${request.url}`, ...request.headers.map(([name, value]) => `> ${name}: ${value}`)]
  if (request.body.length > 0) lines.push('>', ...bodyLines(request.body, '> '))
  if (response !== undefined) {
    const took = durationMs === undefined ? '' : ` (${Math.round(durationMs)} ms)`
    lines.push(`< ${response.status}${took}`, ...response.headers.map(([name, value]) => `< ${name}: ${value}`), '<')
    lines.push(...bodyLines(response.body, '< '))
  }
  if (failure !== undefined) lines.push(`! ${failure}`)
  return `${lines.map((line) => terminalText(line).replaceAll('\n', '␊')).join('\n')}\n\n`
}

function bodyLines(body: Uint8Array, mark: string): string[] {
  const text = Buffer.from(body).toString('utf8')
  const shown = text.slice(0, MOST_SHOWN).split(/\r?\n/)
  const more = text.length > MOST_SHOWN ? [`${mark}… ${text.length - MOST_SHOWN} more characters`] : []
  return [...shown.map((line) => `${mark}${line}`), ...more]
}
