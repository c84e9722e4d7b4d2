// The first Ctrl-C ends a run, whose reports are still written; the second ends the process.

import { Interruption } from '../judge/runner/end-of-run.ts'

export interface Interruptible {
  stop: AbortSignal
  /** The exit code, once somebody interrupted. */
  exitCode(): number | undefined
}

export function interruptible(): Interruptible {
  const stop = new AbortController()
  let exitCode: number | undefined
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      exitCode = code
      stop.abort(new Interruption(code))
      process.once(signal, () => process.exit(code))
    })
  }
  return { stop: stop.signal, exitCode: () => exitCode }
}
