// JSON laid out, with what a pointer names marked and what is long to be folded. Every value is text, whatever it says.

import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

type Nodes = (string | JSX.Element)[]

/** Beyond this a body is shown as it came: laying out megabytes would only stop the page. */
const MAX_LAID_OUT = 200_000
/** A value of so many lines can be folded. */
const FOLD_LINES = 8
/** Of a text with so many lines, */
const LONG_LINES = 200
/** values inside of so many begin folded, unless the place in question is in them. */
const FOLDED_LINES = 20

export function Json({ value, pointer }: { value: unknown; pointer?: string | undefined }) {
  const place = useRef<HTMLPreElement>(null)
  useEffect(() => {
    if (pointer !== undefined) place.current?.querySelector('mark')?.scrollIntoView({ block: 'nearest' })
  }, [pointer])
  return (
    <pre class="json" ref={place}>
      {jsonNodes(value, '', 0, { wanted: pointer, isLong: lineCount(value) >= LONG_LINES })}
    </pre>
  )
}

/** A text that may be JSON. */
export function Body({ text, pointer }: { text: string; pointer?: string | undefined }) {
  if (text.length > MAX_LAID_OUT) return <pre>{text}</pre>
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return <pre>{text}</pre>
  }
  return <Json value={value} pointer={pointer === '' ? undefined : pointer} />
}

interface Layout {
  /** The pointer of the place in question. */
  wanted: string | undefined
  /** What is long inside of what is long begins folded. */
  isLong: boolean
}

/** JSON as lines; the value at the pointer, or the object that lacks it, is marked. */
function jsonNodes(value: unknown, at: string, depth: number, how: Layout): Nodes {
  const nodes = layout(value, at, depth, how)
  return at === how.wanted ? [<mark key={at}>{nodes}</mark>] : nodes
}

function layout(value: unknown, at: string, depth: number, how: Layout): Nodes {
  const pad = '  '.repeat(depth)
  if (typeof value === 'string') return [<span class="j-text">{JSON.stringify(value)}</span>]
  if (typeof value !== 'object' || value === null) return [<span class="j-value">{JSON.stringify(value) ?? ''}</span>]
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const members = Object.entries(value)
  if (members.length === 0) return [open + close]
  const lines: Nodes = ['\n']
  for (const [place, [key, member]] of members.entries()) {
    lines.push(`${pad}  `)
    if (open === '{') lines.push(<span class="j-name">{JSON.stringify(key)}</span>, ': ')
    lines.push(...jsonNodes(member, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1, how))
    lines.push(place === members.length - 1 ? '\n' : ',\n')
  }
  lines.push(pad)
  const height = lineCount(value)
  const isLookedFor = how.wanted === at || how.wanted?.startsWith(`${at}/`) === true
  if (depth === 0 || height < FOLD_LINES || isLookedFor) return [open, ...lines, close]
  const fold = (
    <Fold
      key={at}
      what={`${at.slice(at.lastIndexOf('/') + 1)}, ${height} lines`}
      startsFolded={how.isLong && depth > 1 && height >= FOLDED_LINES}
    >
      {lines}
    </Fold>
  )
  return [open, fold, close]
}

interface FoldProps {
  what: string
  startsFolded: boolean
  children: Nodes
}

/** Its sign is drawn by the style sheet, so that what is selected and copied stays JSON. */
function Fold({ what, startsFolded, children }: FoldProps) {
  const [isFolded, setFolded] = useState(startsFolded)
  return (
    <>
      <button
        type="button"
        class="fold"
        aria-expanded={!isFolded}
        aria-label={what}
        onClick={() => setFolded(!isFolded)}
      />
      {isFolded ? <span class="muted"> … </span> : children}
    </>
  )
}

/** How many lines a value takes. */
function lineCount(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, member) => sum + lineCount(member), 2)
}
