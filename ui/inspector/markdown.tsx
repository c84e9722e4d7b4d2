// The little Markdown agents write, as elements and never as HTML: headings, lists, emphasis, code, links to the web. What
// it does not know stays as it was written.

import type { ComponentChildren } from 'preact'

export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{blocksOf(text)}</div>
}

function blocksOf(text: string): ComponentChildren[] {
  const blocks: ComponentChildren[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const fence = /^(`{3,}|~{3,})/.exec(line)?.[1]
    const start = at
    if (fence !== undefined) {
      at++
      while (at < lines.length && !lines[at]?.startsWith(fence)) at++
      blocks.push(<pre key={start}>{lines.slice(start + 1, at).join('\n')}</pre>)
      at++
    } else if (/^#{1,6} /.test(line)) {
      blocks.push(
        <p key={start} class="heading">
          {inline(line.replace(/^#+ /, ''))}
        </p>,
      )
      at++
    } else if (/^\s*(?:[-*+]|\d+[.)]) /.test(line)) {
      while (at < lines.length && /^\s*(?:[-*+]|\d+[.)]) /.test(lines[at] ?? '')) at++
      blocks.push(<List key={start} lines={lines.slice(start, at)} />)
    } else if (line.trim() === '') at++
    else {
      while (at < lines.length && isPlain(lines[at] ?? '')) at++
      blocks.push(<p key={start}>{inline(lines.slice(start, at).join('\n'))}</p>)
    }
  }
  return blocks
}

function isPlain(line: string): boolean {
  return line.trim() !== '' && !/^(?:`{3,}|~{3,}|#{1,6} |\s*(?:[-*+]|\d+[.)]) )/.test(line)
}

function List({ lines }: { lines: readonly string[] }) {
  const items = lines.map((line, at) => <li key={at}>{inline(line.replace(/^\s*(?:[-*+]|\d+[.)]) /, ''))}</li>)
  return /^\s*\d/.test(lines[0] ?? '') ? <ol>{items}</ol> : <ul>{items}</ul>
}

const SPAN = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<![\w*])[*_]([^*_\n]+)[*_](?!\w)|\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/g

function inline(text: string): ComponentChildren[] {
  const nodes: ComponentChildren[] = []
  let from = 0
  for (const found of text.matchAll(SPAN)) {
    const [whole, code, strong, weak, label, url] = found
    nodes.push(text.slice(from, found.index))
    from = found.index + whole.length
    if (code !== undefined) nodes.push(<code>{code}</code>)
    else if (strong !== undefined) nodes.push(<b>{strong}</b>)
    else if (weak !== undefined) nodes.push(<em>{weak}</em>)
    else
      nodes.push(
        <a href={url} target="_blank" rel="noreferrer" title={url}>
          {label}
        </a>,
      )
  }
  nodes.push(text.slice(from))
  return nodes
}
