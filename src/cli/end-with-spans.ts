// The end of a process that made spans: what has gathered is sent, but a collector that does not answer does not hold it up, nor do its
// timers.

import { setTimeout as pause } from 'node:timers/promises'
import { tracing } from '../telemetry/tracing.ts'

const PATIENCE_MS = 2_000

/** Returns where there are no spans; the process ends by itself then. */
export async function endWithSpans(): Promise<void> {
  const spans = tracing()
  if (spans === undefined) return
  await Promise.race([spans.flush().catch(() => {}), pause(PATIENCE_MS)])
  process.exit(process.exitCode ?? 0)
}
