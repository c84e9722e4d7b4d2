// The server's log: one JSON object a line on stderr (or wherever the operator wants it), no secrets, no bodies.

import type { JsonValue } from '../model/json.ts'
import { traceIdOf } from '../telemetry/trace-context.ts'
import { tracing } from '../telemetry/tracing.ts'

/** How bad it is. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Told of what happens in a server. */
export type Log = (level: LogLevel, event: string, fields?: { [name: string]: JsonValue | undefined }) => void

export const silentLog: Log = () => {}

/**
 * A log that writes JSON lines, to standard error unless told otherwise.
 *
 * @example
 * ```ts
 * import { jsonLog } from 'a2a-parley/server'
 *
 * const log = jsonLog((line) => process.stdout.write(line))
 * log('info', 'started', { port: 3000 }) // {"time":"…","level":"info","event":"started","port":3000}
 * ```
 */
export function jsonLog(write: (line: string) => void = (line) => process.stderr.write(line)): Log {
  return (level, event, fields = {}) =>
    write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`)
}

/** Says which trace a line belongs to, where a span is active. */
export function withTraceId(log: Log): Log {
  return (level, event, fields) => {
    const traceId = fields?.traceId ?? traceIdOf(tracing()?.active())
    log(level, event, traceId === undefined ? fields : { traceId, ...fields })
  }
}

/** Name, message and place of an error; causes may hold what a peer sent and stay out. */
export function errorFields(error: unknown): { [name: string]: JsonValue } {
  if (!(error instanceof Error)) return { error: typeof error }
  const at = error.stack?.split('\n')[1]?.trim() ?? ''
  return { error: error.name, message: error.message, at }
}
