// The results that fit the box. Only what can be seen is in the page, so five thousand scroll like fifty.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Row } from './data.ts'
import { STATE_SIGNS, STATE_WORDS, stateOf } from './filter.ts'
import { chosen, nameOf, shown } from './state.ts'

const ROW_PX = 62
const SPARE = 6

export function List() {
  const frame = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const rows = shown.value
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight })
    look()
    element.addEventListener('scroll', look, { passive: true })
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    return () => {
      element.removeEventListener('scroll', look)
      sizes.disconnect()
    }
  }, [])
  // What was chosen by keyboard or link is brought into sight.
  useEffect(() => {
    const element = frame.current
    const at = rows.findIndex(({ row }) => nameOf(row) === chosen.value)
    if (element === null || at < 0) return
    const top = at * ROW_PX
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + ROW_PX > element.scrollTop + element.clientHeight)
      element.scrollTop = top + ROW_PX - element.clientHeight
  }, [chosen.value, rows])
  const first = Math.max(0, Math.floor(view.top / ROW_PX) - SPARE)
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / ROW_PX) + SPARE)
  return (
    <section class="list" aria-label="Results">
      <h2>{rows.length === 1 ? '1 result' : `${rows.length} results`}</h2>
      <div class="rows" ref={frame}>
        {rows.length === 0 && <p class="empty">Nothing fits. Empty the box to see everything.</p>}
        <ul class="space" style={{ height: `${rows.length * ROW_PX}px` }}>
          {rows.slice(first, last).map(({ row }, at) => (
            <Item key={nameOf(row)} row={row} top={(first + at) * ROW_PX} />
          ))}
        </ul>
      </div>
    </section>
  )
}

function Item({ row, top }: { row: Row; top: number }) {
  const state = stateOf(row)
  const isOpen = nameOf(row) === chosen.value
  return (
    <li class="item" style={{ top: `${top}px` }}>
      <button
        type="button"
        aria-current={isOpen}
        class={isOpen ? 'open' : ''}
        onClick={() => (chosen.value = nameOf(row))}
      >
        <span class={`sign ${state}`} title={STATE_WORDS[state]} aria-label={STATE_WORDS[state]} role="img">
          {STATE_SIGNS[state]}
        </span>
        <span class="what">
          <span class="title">{row.title}</span>
          <span class="muted">
            {row.key}
            {row.agent !== undefined && ` · ${row.agent}`}
          </span>
        </span>
        <span class="time">{row.duration_ms === undefined ? '' : `${row.duration_ms} ms`}</span>
      </button>
    </li>
  )
}
