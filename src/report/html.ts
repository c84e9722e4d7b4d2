// A run as one file that opens anywhere. Where not even its script may run, a plain summary stays.

import { type Run, type RunResult, subjectsOf } from '../run/run.ts'
import { html as escaped } from './markdown-text.ts'
import { dataBlock, pageFile } from './page-file.ts'
import { documentFormat } from './reporter.ts'
import { inert } from './safe-text.ts'
import { countsText, levelText, nameOf, reasonsOf, shortName } from './wording.ts'

/** Results that share one block of evidence: a block is unpacked when one of them is opened. */
const BLOCK_SIZE = 40
const MAX_STATIC_ROWS = 100

export const html = documentFormat('html', 'one page that opens in any browser', (given, { before }) => {
  const run = inert(given)
  const older = before === undefined ? [] : [beforeBlock(inert(before))]
  return pageFile({
    app: 'report',
    title: `${nameOf(run.footer)} ${levelText(run.footer)}`.trim(),
    summary: staticSummary(run),
    data: [...dataBlocks(run), ...older],
  })
})

function dataBlocks({ header, footer, agents, results }: Run): string[] {
  const rows = results.map(withoutEvidence)
  const blocks: Pick<RunResult, 'transcript' | 'reproduction'>[][] = []
  for (const [at, { transcript, reproduction }] of results.entries()) {
    const block = Math.floor(at / BLOCK_SIZE)
    blocks[block] = [...(blocks[block] ?? []), { transcript, reproduction }]
  }
  return [
    dataBlock('run-index', { header, footer, agents, results: rows, blockSize: BLOCK_SIZE }),
    ...blocks.map((block, at) => dataBlock(`evidence-${at}`, block)),
  ]
}

function withoutEvidence(result: RunResult): Omit<RunResult, 'transcript' | 'reproduction'> {
  const { transcript: _, reproduction: __, ...row } = result
  return row
}

/** Of the older run only what a comparison needs. */
function beforeBlock({ header, footer, agents, results }: Run): string {
  const rows = results.map(withoutEvidence)
  return dataBlock('run-before', { header, footer, agents, results: rows, blockSize: BLOCK_SIZE })
}

/** What a reader sees whose browser runs nothing, or who prints the file as it is. */
function staticSummary(run: Run): string {
  return subjectsOf(run)
    .map(({ subject, results }) => {
      const failed = results.filter(({ status }) => status === 'fail')
      const parts = [
        `<h1>${escaped(`${nameOf(subject)} ${levelText(subject)}`.trim())}</h1>`,
        `<p>${escaped(countsText(subject, results))}</p>`,
        ...reasonsOf(subject).map((reason) => `<p>${escaped(reason)}</p>`),
      ]
      if (!subject.complete) parts.push(`<p>Incomplete: ${escaped(subject.incompleteReason ?? '')}</p>`)
      if (subject.diagnosis !== undefined)
        parts.push(`<p>${escaped(`${subject.diagnosis.message} ${subject.diagnosis.fix}`)}</p>`)
      if (subject.findings.length > 0) {
        const items = subject.findings.map(({ recommendation, cause, tests }) =>
          escaped(`${recommendation} (${tests.length}): ${cause}`),
        )
        parts.push(`<h2>What to fix first</h2><ol>${items.map((item) => `<li>${item}</li>`).join('')}</ol>`)
      }
      if (failed.length > 0) parts.push(failedTable(failed))
      return parts.join('\n')
    })
    .join('\n')
}

function failedTable(failed: readonly RunResult[]): string {
  const rows = failed
    .slice(0, MAX_STATIC_ROWS)
    .map(
      (result) => `<tr><td>${escaped(shortName(result))}</td><td>${escaped(result.message ?? result.title)}</td></tr>`,
    )
  const hidden = failed.length - rows.length
  const more = hidden === 0 ? '' : `<p>…and ${hidden} more.</p>`
  return `<h2>Failed</h2><table><thead><tr><th>Result</th><th>Message</th></tr></thead><tbody>${rows.join('')}</tbody></table>${more}`
}
