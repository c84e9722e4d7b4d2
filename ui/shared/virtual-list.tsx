// A list of which only what can be seen is in the page, so ten thousand rows scroll like fifty.

import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

const SPARE = 6

interface VirtualListProps<T> {
  rows: readonly T[]
  rowPx: number
  keyOf(row: T): string
  /** Its place is brought into sight when it changes. */
  chosen?: string | undefined
  /** The list is one stop of the Tab key; arrows, Home and End choose in it. Its rows are for the mouse. */
  onChoose(row: T): void
  /** Stay at the end while more comes. */
  followsEnd?: boolean
  label: string
  empty: ComponentChildren
  children(row: T): ComponentChildren
}

export function VirtualList<T>(props: VirtualListProps<T>) {
  const { rows, rowPx, keyOf, chosen, onChoose, label, empty, children } = props
  const frame = useRef<HTMLDivElement>(null)
  const { top, height, isAtEnd } = useSight(frame, rowPx)
  useScrolling(frame, isAtEnd, props)
  const isPrinting = usePrinting()
  const onKeyDown = (event: KeyboardEvent) => {
    const at = chosen === undefined ? -1 : rows.findIndex((row) => keyOf(row) === chosen)
    const to = { ArrowDown: at + 1, ArrowUp: Math.max(0, at - 1), Home: 0, End: rows.length - 1 }[event.key]
    const row = to === undefined ? undefined : rows[to]
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    onChoose(row)
  }
  // On paper nothing can be scrolled.
  const first = isPrinting ? 0 : Math.max(0, Math.floor(top / rowPx) - SPARE)
  const last = isPrinting ? rows.length : Math.min(rows.length, Math.ceil((top + height) / rowPx) + SPARE)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="rows" ref={frame} aria-label={label} tabIndex={0} onKeyDown={onKeyDown}>
      {rows.length === 0 && <div class="empty">{empty}</div>}
      <ul class="space" style={isPrinting ? {} : { height: `${rows.length * rowPx}px` }}>
        {rows.slice(first, last).map((row, at) => (
          <li
            key={keyOf(row)}
            class="item"
            style={isPrinting ? {} : { top: `${(first + at) * rowPx}px`, height: `${rowPx}px` }}
          >
            {children(row)}
          </li>
        ))}
      </ul>
    </section>
  )
}

type Frame = RefObject<HTMLDivElement | null>

/** Which part of the list can be seen. */
function useSight(frame: Frame, rowPx: number) {
  const isAtEnd = useRef(true)
  const [view, setView] = useState({ top: 0, height: 800 })
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const look = () => {
      isAtEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - rowPx
      setView({ top: element.scrollTop, height: element.clientHeight })
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    return () => {
      element.removeEventListener('scroll', look)
      sizes.disconnect()
    }
  }, [rowPx])
  return { ...view, isAtEnd }
}

/** Brings what is chosen into sight, and stays at the end where that is wanted. */
function useScrolling<T>(frame: Frame, isAtEnd: RefObject<boolean>, props: VirtualListProps<T>): void {
  const { rows, rowPx, keyOf, chosen, followsEnd = false } = props
  useEffect(() => {
    const element = frame.current
    const at = chosen === undefined ? -1 : rows.findIndex((row) => keyOf(row) === chosen)
    if (element === null || at < 0) return
    const top = at * rowPx
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + rowPx > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowPx - element.clientHeight
  }, [chosen, rows.length === 0])
  useEffect(() => {
    const element = frame.current
    if (followsEnd && isAtEnd.current && element !== null) element.scrollTop = element.scrollHeight
  }, [rows.length, followsEnd])
}

function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const [begin, end] = [() => setPrinting(true), () => setPrinting(false)]
    addEventListener('beforeprint', begin)
    addEventListener('afterprint', end)
    return () => {
      removeEventListener('beforeprint', begin)
      removeEventListener('afterprint', end)
    }
  }, [])
  return isPrinting
}
