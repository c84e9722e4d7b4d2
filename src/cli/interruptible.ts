// The first Ctrl-C ends a run, whose reports are still written; the second ends the process.

import { Interruption } from '../judge/runner/end-of-run.ts'

export interface Interruptible {
  stop: AbortSignal
  /** The exit code, once it was interrupted. */
  exitCode(): number | undefined
  /** When the run is over: signals mean again what they meant before. */
  release(): void
}

export function interruptible(): Interruptible {
  const stop = new AbortController()
  let exitCode: number | undefined
  const releases: (() => void)[] = []
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const onSignal = () => {
      exitCode = code
      stop.abort(new Interruption(code))
      process.once(signal, () => process.exit(code))
    }
    process.once(signal, onSignal)
    releases.push(() => process.off(signal, onSignal))
  }
  const release = () => {
    for (const each of releases) each()
  }
  return { stop: stop.signal, exitCode: () => exitCode, release }
}
