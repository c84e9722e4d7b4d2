// The pairs of a matrix as a table of Markdown: clients are rows, servers are columns. Pairs on one SDK are in italics, because
// they prove little.

import type { RunResult } from '../run/run.ts'
import { markdownCell } from './markdown-text.ts'

export interface PairCount {
  readonly worked: number
  readonly tried: number
}

/** Of the conversations that were tried; what was not applicable, not measured or skipped is left out. */
export function pairCount(results: readonly RunResult[]): PairCount {
  const worked = results.filter(({ verdict }) => verdict === 'pass' || verdict === 'warn').length
  const failed = results.filter(({ verdict }) => verdict === 'fail' || verdict === 'known').length
  return { worked, tried: worked + failed }
}

export function matrixGrid(results: readonly RunResult[]): string[] {
  const clients = [...new Set(results.flatMap(({ pair }) => pair?.client ?? []))]
  const servers = [...new Set(results.flatMap(({ pair }) => pair?.server ?? []))]
  const cellOf = (client: string, server: string): string => {
    const own = results.filter(({ pair }) => pair?.client === client && pair.server === server)
    const { worked, tried } = pairCount(own)
    if (tried === 0) return '–'
    return client === server ? `*${worked}/${tried}*` : `${worked}/${tried}`
  }
  return [
    `| client ↓ server → | ${servers.map((server) => markdownCell(server)).join(' | ')} |`,
    `|---|${servers.map(() => '---').join('|')}|`,
    ...clients.map(
      (client) => `| **${markdownCell(client)}** | ${servers.map((server) => cellOf(client, server)).join(' | ')} |`,
    ),
  ]
}
