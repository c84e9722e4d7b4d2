// JSON laid out, with what a pointer names marked. Every value is text, whatever it says.

import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

type Nodes = (string | JSX.Element)[]

/** Beyond this a body is shown as it came: laying out megabytes would only stop the page. */
const MAX_LAID_OUT = 200_000

export function Json({ value, pointer }: { value: unknown; pointer?: string | undefined }) {
  const place = useRef<HTMLPreElement>(null)
  useEffect(() => {
    if (pointer !== undefined) place.current?.querySelector('mark')?.scrollIntoView({ block: 'nearest' })
  }, [pointer])
  return (
    <pre class="json" ref={place}>
      {jsonNodes(value, '', pointer, 0)}
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

/** JSON as lines; the value at the pointer, or the object that lacks it, is marked. */
function jsonNodes(value: unknown, at: string, wanted: string | undefined, depth: number): Nodes {
  const nodes = layout(value, at, wanted, depth)
  return at === wanted ? [<mark key={at}>{nodes}</mark>] : nodes
}

function layout(value: unknown, at: string, wanted: string | undefined, depth: number): Nodes {
  const pad = '  '.repeat(depth)
  if (typeof value === 'string') return [<span class="j-text">{JSON.stringify(value)}</span>]
  if (typeof value !== 'object' || value === null) return [<span class="j-value">{JSON.stringify(value) ?? ''}</span>]
  const isList = Array.isArray(value)
  const members = Object.entries(value)
  if (members.length === 0) return [isList ? '[]' : '{}']
  const nodes: Nodes = [isList ? '[\n' : '{\n']
  for (const [place, [key, member]] of members.entries()) {
    nodes.push(`${pad}  `)
    if (!isList) nodes.push(<span class="j-name">{JSON.stringify(key)}</span>, ': ')
    nodes.push(...jsonNodes(member, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, wanted, depth + 1))
    nodes.push(place === members.length - 1 ? '\n' : ',\n')
  }
  nodes.push(`${pad}${isList ? ']' : '}'}`)
  return nodes
}
