// Text of a peer in Markdown: it must neither break a table nor become markup, mentions or links.

import { safeBlock } from './safe-text.ts'

export function markdownCell(text: string): string {
  return html(text)
    .replaceAll('|', '\\|')
    .replaceAll(/([`*_[\]])/g, '\\$1')
    .replaceAll('@', '@\u200b')
    .split('\n')
    .map((line) => line.trim())
    .filter((line, at, lines) => line !== '' || at === 0 || at === lines.length - 1)
    .join('<br>')
}

export function html(text: string): string {
  return safeBlock(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** A fence longer than any run of backticks inside. */
export function fenced(peerText: string, language: string): string {
  const text = safeBlock(peerText)
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

export function folded(summary: string, content: string): string {
  return `<details><summary>${summary}</summary>\n\n${content}\n\n</details>`
}
