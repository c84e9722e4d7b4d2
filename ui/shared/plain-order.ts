// What an agent says is read in the order it was written in: signs that turn text around (bidirectional marks, overrides and
// isolates) would let a file name or a header lie. They are shown as escapes, in whatever element they stand.

import { type ComponentChildren, options } from 'preact'

const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

export function keepOrder(): void {
  const next = options.vnode
  options.vnode = (vnode) => {
    if (typeof vnode.type === 'string') {
      const props = vnode.props as { children?: ComponentChildren }
      if (props.children !== undefined) props.children = inOrder(props.children)
    }
    next?.(vnode)
  }
}

function inOrder(children: ComponentChildren): ComponentChildren {
  if (typeof children === 'string') return children.replace(TURNING, escaped)
  if (!Array.isArray(children)) return children
  return children.map((child) => (typeof child === 'string' ? child.replace(TURNING, escaped) : child))
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}
