// One process for each scenario: the URL where `{url}` stands or as the last word, the intent in the environment.

import type { Assignment, ClientExit, GradedClient } from '../graded-client.ts'
import { outcomeIn } from '../intent.ts'
import { type Child, type ChildOptions, endGroup, FLOODED, FloodGuard, Output, startChild } from './child.ts'

export function commandClient(words: readonly string[], options: ChildOptions = {}): GradedClient {
  const running = new Set<Child>()
  return {
    name: words.join(' '),
    async run(assignment, timeoutMs, signal) {
      const child = await startChild(wordsFor(words, assignment.url), {
        ...options,
        variables: { ...options.variables, ...variablesOf(assignment) },
      })
      running.add(child)
      try {
        return await exitOf(child, timeoutMs, signal)
      } finally {
        running.delete(child)
        endGroup(child)
      }
    },
    async close() {
      for (const child of running) endGroup(child)
    },
  }
}

function wordsFor(words: readonly string[], url: string): string[] {
  const placed = words.map((word) => word.replaceAll('{url}', url))
  return words.some((word) => word.includes('{url}')) ? placed : [...placed, url]
}

export function variablesOf({ scenario, surface, url, cardUrl, intent }: Assignment): Record<string, string> {
  return {
    PARLEY_SCENARIO: scenario,
    PARLEY_URL: url,
    PARLEY_CARD_URL: cardUrl,
    PARLEY_A2A_VERSION: surface.version,
    PARLEY_TRANSPORT: surface.binding,
    PARLEY_INTENT: JSON.stringify(intent),
  }
}

async function exitOf(child: Child, timeoutMs: number, signal: AbortSignal): Promise<ClientExit> {
  const startedMs = performance.now()
  const stdout = new Output(child.stdout)
  const stderr = new Output(child.stderr)
  const guard = new FloodGuard(child)
  child.stdin.end()
  let isTimeout = false
  const timer = setTimeout(() => {
    isTimeout = true
    endGroup(child)
  }, timeoutMs)
  const stop = () => endGroup(child)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    // 'close' and not 'exit': what it said last may come after it has ended.
    const [code, ended] = await new Promise<[number | null, string | null]>((resolve) => {
      child.once('exit', () => child.unref())
      child.once('close', (exitCode, name) => resolve([exitCode, name]))
    })
    return {
      code: code ?? undefined,
      signal: guard.isFlooded ? FLOODED : (ended ?? undefined),
      isTimeout,
      durationMs: Math.round(performance.now() - startedMs),
      outcome: outcomeIn(stdout.lastLine),
      stdout: stdout.text,
      stderr: stderr.text,
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
