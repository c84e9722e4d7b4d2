// One file that opens anywhere: the application of ui/report, and the run as compressed data that the browser unpacks. It
// asks nobody for anything, and says so in its own policy. Where not even that may run, a plain summary stays.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { packageFile } from '../base/package-file.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { type Run, type RunResult, subjectsOf } from '../run/run.ts'
import { jsonText } from '../trace/json-text.ts'
import { html as escaped } from './markdown-text.ts'
import { documentFormat } from './reporter.ts'
import { inert } from './safe-text.ts'
import { countsText, levelText, nameOf, reasonsOf, shortName } from './wording.ts'

/** Results that share one block of evidence: a block is unpacked when one of them is opened. */
const BLOCK_SIZE = 40
const MAX_STATIC_ROWS = 100

export const html = documentFormat('html', 'one page that opens in any browser', (given, { before }) => {
  const run = inert(given)
  const [script, style] = [built('report.js').replaceAll('</script', '<\\/script'), built('report.css')]
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    // The script sets sizes, which a policy counts as styles only when they are written in HTML.
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const title = `${nameOf(run.footer)} ${levelText(run.footer)}`.trim()
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main id="app">
${staticSummary(run)}
</main>
${dataBlocks(run)}${before === undefined ? '' : `\n${beforeBlock(inert(before))}`}
<script type="module">${script}</script>
</body>
</html>
`
})

function built(name: string): string {
  try {
    return readFileSync(packageFile(`dist/ui/${name}`), 'utf8')
  } catch (cause) {
    const message = 'The page of the HTML report is not built; run npm run build, or install the package again.'
    throw new ParleyError('page-missing', message, { exitCode: EXIT.bug, cause })
  }
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

function dataBlocks({ header, footer, agents, results }: Run): string {
  const rows = results.map(withoutEvidence)
  const blocks: Pick<RunResult, 'transcript' | 'reproduction'>[][] = []
  for (const [at, { transcript, reproduction }] of results.entries()) {
    const block = Math.floor(at / BLOCK_SIZE)
    blocks[block] = [...(blocks[block] ?? []), { transcript, reproduction }]
  }
  return [
    dataBlock('run-index', { header, footer, agents, results: rows, blockSize: BLOCK_SIZE }),
    ...blocks.map((block, at) => dataBlock(`evidence-${at}`, block)),
  ].join('\n')
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

/** A script of a type no browser runs. */
function dataBlock(id: string, value: unknown): string {
  return `<script type="application/x-parley" id="${id}">${gzipSync(jsonText(value), { level: 9 }).toString('base64')}</script>`
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
