// The page itself: one HTML document, one script, one style sheet, built by `npm run build`. Its policy lets it talk to
// only the server it came from.

import { readFileSync } from 'node:fs'
import { packageFile } from '../base/package-file.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { Reply } from '../net/serve/reply.ts'
import { SAFE_HEADERS } from './guard.ts'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  // What an agent sends is shown from memory; an address it names is never loaded.
  'img-src data: blob:',
  'media-src data: blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley inspector</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/inspector.css">
</head>
<body>
<div id="app"><noscript>The inspector needs JavaScript; on the command line there are parley chat, parley inspect and parley test.</noscript></div>
<script type="module" src="/inspector.js"></script>
</body>
</html>
`

const FILES: { readonly [path: string]: string } = {
  '/inspector.js': 'text/javascript; charset=utf-8',
  '/inspector.css': 'text/css; charset=utf-8',
}

/** Undefined for paths that are none of the page's. */
export function pageFile(path: string): Reply | undefined {
  if (path === '/') return document(200, PAGE)
  const type = FILES[path]
  return type === undefined
    ? undefined
    : { status: 200, headers: ['Content-Type', type, ...SAFE_HEADERS], body: built(path) }
}

/** A plain page that says one thing. */
export function notice(status: number, title: string, text: string): Reply {
  const inside = [title, text].map((each) => each.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${inside[0]}</title><link rel="stylesheet" href="/inspector.css"></head><body><main class="notice"><h1>${inside[0]}</h1><p>${inside[1]}</p></main></body></html>`
  return document(status, page)
}

function document(status: number, body: string): Reply {
  const headers = ['Content-Type', 'text/html; charset=utf-8', 'Content-Security-Policy', POLICY, ...SAFE_HEADERS]
  return { status, headers, body }
}

function built(path: string): Buffer {
  try {
    return readFileSync(packageFile(`dist/ui${path}`))
  } catch (cause) {
    const message = 'The page of the inspector is not built; run npm run build, or install the package again.'
    throw new ParleyError('page-missing', message, { exitCode: EXIT.bug, cause })
  }
}
