// One file that opens anywhere: an application of ui/, and what it shows as compressed data that the browser unpacks. It
// makes no requests, and says so in its own policy. Where not even that may run, a plain summary stays.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { packageFile } from '../base/package-file.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { jsonText } from '../trace/json-text.ts'
import { html as escaped } from './markdown-text.ts'

export interface PageParts {
  /** Which of the applications that `npm run build` makes. */
  readonly app: 'report' | 'fleet'
  readonly title: string
  /** HTML for a reader whose browser runs nothing. */
  readonly summary: string
  readonly data: readonly string[]
}

export function pageFile({ app, title, summary, data }: PageParts): string {
  const [script, style] = [built(`${app}.js`).replaceAll('</script', '<\\/script'), built(`${app}.css`)]
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    // The script sets sizes, which a policy counts as styles only when they are written in HTML.
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
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
${summary}
</main>
${data.join('\n')}
<script type="module">${script}</script>
</body>
</html>
`
}

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

/** A script of a type no browser runs. */
export function dataBlock(id: string, value: unknown): string {
  return `<script type="application/x-parley" id="${id}">${gzipSync(jsonText(value), { level: 9 }).toString('base64')}</script>`
}
