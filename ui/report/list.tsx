// The results that fit the box.

import { VirtualList } from '../shared/virtual-list.tsx'
import type { Row } from './data.ts'
import { STATE_SIGNS, STATE_WORDS, stateOf } from './filter.ts'
import { chosen, nameOf, shown } from './state.ts'

const ROW_PX = 62

export function List() {
  const rows = shown.value
  return (
    <section class="list" aria-label="Results">
      <h2>{rows.length === 1 ? '1 result' : `${rows.length} results`}</h2>
      <VirtualList
        rows={rows}
        rowPx={ROW_PX}
        keyOf={({ row }) => nameOf(row)}
        chosen={chosen.value}
        onChoose={({ row }) => (chosen.value = nameOf(row))}
        label="List of results"
        empty="Nothing fits. Empty the box to see everything."
      >
        {({ row }) => <Item row={row} />}
      </VirtualList>
    </section>
  )
}

function Item({ row }: { row: Row }) {
  const state = stateOf(row)
  const isOpen = nameOf(row) === chosen.value
  return (
    <button
      type="button"
      tabIndex={-1}
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
  )
}
