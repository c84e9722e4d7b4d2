// docs/matrix.md: who works with whom, as the last run of `npm run matrix` has seen it.

import { matrixGrid } from '../../src/report/matrix-grid.ts'
import type { Run, RunResult } from '../../src/run/run.ts'
import type { Folder } from './corpus.ts'

export function renderMatrix(
  { header, results, footer }: Run,
  folders: readonly Folder[],
  skipped: readonly string[],
): string {
  const failures = results.filter(({ verdict }) => verdict === 'fail')
  return [
    '# Who works with whom',
    '',
    `Measured on ${header.startedAt.slice(0, 10)} with Parley ${header.parleyVersion} by \`npm run matrix\` in ${Math.round(footer.durationMs / 1000)} s; written by it, not by hand.`,
    'Clients are rows, servers are columns. A cell counts the conversations that worked and those that were tried, over all protocol',
    'versions and bindings that both have; *italic* is a pair on one SDK, which proves little; `–` means that they share no interface.',
    'What failed is listed below with the side that is wrong. How it works: [interop.md](interop.md).',
    '',
    ...matrixGrid(results),
    '',
    '| peer | version |',
    '|---|---|',
    ...folders.map(({ name, manifest }) => `| ${name} | ${manifest.sdk} (${manifest.language}) |`),
    '',
    ...(skipped.length === 0 ? [] : [`Not built on this machine: ${skipped.join('; ')}.`, '']),
    '## What failed',
    '',
    ...(failures.length === 0 ? ['Nothing.'] : failureLines(failures)),
    '',
  ].join('\n')
}

/** Failures that the document does not list: something got worse, or the document was not written anew. */
export function unlisted(results: readonly RunResult[], document: string): RunResult[] {
  const lines = document.split('\n')
  return results.filter(({ verdict, pair, test, version, binding }) => {
    if (verdict !== 'fail') return false
    const start = `| ${pair?.client} → ${pair?.server} | ${test} (`
    return !lines.some(
      (line) => line.startsWith(start) && line.slice(start.length).split(')')[0]?.includes(`${version}/${binding}`),
    )
  })
}

/** One line for each thing that goes wrong alike. */
function failureLines(failures: readonly RunResult[]): string[] {
  const alike = Map.groupBy(failures, ({ pair, test, message = '' }) =>
    [pair?.client, pair?.server, test, message].join('\0'),
  )
  const lines = [...alike.values()].map((same) => {
    const [{ pair, test, message = '' }] = same as [RunResult, ...RunResult[]]
    const where = same.map(({ version, binding }) => `${version}/${binding}`).join(', ')
    const blame = pair?.blame === 'both' ? 'both legal' : (pair?.blame ?? '')
    return `| ${pair?.client} → ${pair?.server} | ${test} (${where}) | ${blame} | ${escaped(message)} |`
  })
  return ['| pair | conversation | to blame | what happened |', '|---|---|---|---|', ...lines]
}

function escaped(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?/g, '<time>')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .slice(0, 300)
}
