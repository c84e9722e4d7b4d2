// A run record as it grows: each line adds to what is known, and at any time it can be shown as a run. The last line of a
// number counts; without the last line of all, the run is told as it stands.

import type { RunAgent, RunFooter, RunHeader } from '../../src/run/run.ts'
import type { Row, RunIndex } from '../report/data.ts'

type Line = { [member: string]: unknown }

export class RunLines {
  #header: RunHeader | undefined
  #footer: (RunFooter & { order?: number[] }) | undefined
  readonly #agents: RunAgent[] = []
  readonly #rows: Row[] = []

  add({ type, ...members }: Line): void {
    if (type === 'header') this.#header = members as unknown as RunHeader
    else if (type === 'agent') this.#agents.push(members as unknown as RunAgent)
    else if (type === 'footer') this.#footer = members as unknown as RunFooter
    else if (type === 'result') {
      const { n, transcript: _, reproduction: __, ...row } = members
      this.#rows[Number(n)] = row as unknown as Row
    }
  }

  /** The numbers of the results, in the order they are shown. */
  numbers(): number[] {
    const all = this.#rows.flatMap((row, n) => (row === undefined ? [] : [n]))
    return this.#footer?.order ?? all
  }

  index(): RunIndex | undefined {
    const header = this.#header
    if (header === undefined) return undefined
    const results = this.numbers().flatMap((n) => this.#rows[n] ?? [])
    return {
      header,
      agents: this.#agents,
      results,
      footer: this.#footer ?? soFar(header, this.#agents, results),
      blockSize: 1,
    }
  }
}

function soFar(header: RunHeader, [agent]: readonly RunAgent[], results: readonly Row[]): RunFooter {
  const count = (status: Row['status']) => results.filter((row) => row.status === status).length
  return {
    verdict: 'inconclusive',
    ...(agent === undefined ? {} : { agentName: agent.name, agentVersion: agent.version, agentUrl: agent.url }),
    ...{
      startedAt: header.startedAt,
      durationMs: 0,
      exitCode: 0,
      complete: false,
      incompleteReason: 'it has not ended',
    },
    summary: { total: results.length, passed: count('pass'), failed: count('fail'), skipped: count('skip') },
    ...{ verdicts: {}, levelReasons: [], score: [], coverage: [], findings: [], interfaces: agent?.interfaces ?? [] },
  }
}
