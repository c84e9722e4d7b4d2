// A fleet on one page: the funnel, every agent with filters, one agent's history and badge, and what is different between
// two days.

import { useMemo, useState } from 'preact/hooks'
import type { FleetRow, FleetView } from '../../src/run/fleet-view.ts'
import { VirtualList } from '../shared/virtual-list.tsx'
import { AgentDetail } from './agent-detail.tsx'
import { changesBetween, daysIn } from './days.ts'

const ROW_PX = 34

export function App({ view }: { view: FleetView }) {
  const [words, setWords] = useState('')
  const [standing, setStanding] = useState('')
  const [label, setLabel] = useState('')
  const [chosen, setChosen] = useState<FleetRow>()
  const standings = useMemo(() => counted(view.rows.map((row) => row.standing)), [view])
  const labels = useMemo(() => counted(view.rows.flatMap(labelTexts)), [view])
  const rows = view.rows.filter(
    (row) =>
      (standing === '' || row.standing === standing) &&
      (label === '' || labelTexts(row).includes(label)) &&
      `${row.url} ${row.name} ${row.message}`.toLowerCase().includes(words.toLowerCase()),
  )
  return (
    <>
      <header>
        <h1>Fleet {view.name}</h1>
        <p class="muted">
          {view.rows.length} agents, run of {view.run}, as of {view.madeAt}
        </p>
      </header>
      <Funnel view={view} />
      <Difference view={view} onChoose={setChosen} />
      <div class="filters">
        <input
          type="search"
          aria-label="Find agents"
          placeholder="Find agents"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <Choice label="Standing" all="every standing" options={standings} value={standing} onChange={setStanding} />
        {labels.length > 0 && (
          <Choice label="Label" all="every label" options={labels} value={label} onChange={setLabel} />
        )}
        <span class="muted" role="status">
          {rows.length} shown
        </span>
      </div>
      <div class="columns">
        <Agents rows={rows} chosen={chosen} onChoose={setChosen} />
        {chosen !== undefined && <AgentDetail row={chosen} onClose={() => setChosen(undefined)} />}
      </div>
    </>
  )
}

interface AgentsProps {
  rows: readonly FleetRow[]
  chosen: FleetRow | undefined
  onChoose(row: FleetRow): void
}

function Agents({ rows, chosen, onChoose }: AgentsProps) {
  return (
    <VirtualList
      rows={rows}
      rowPx={ROW_PX}
      keyOf={(row: FleetRow) => row.id}
      chosen={chosen?.id}
      onChoose={onChoose}
      label="Agents"
      empty="No agent fits."
    >
      {(row: FleetRow) => (
        <button
          type="button"
          tabIndex={-1}
          class={`agent ${row.id === chosen?.id ? 'chosen' : ''}`}
          onClick={() => onChoose(row)}
        >
          <span class={toneOf(row)}>
            {SIGNS[toneOf(row)]} {row.standing}
          </span>
          <span>{row.url}</span>
          <span class="muted name">{row.name}</span>
        </button>
      )}
    </VirtualList>
  )
}

function Funnel({ view: { funnel } }: { view: FleetView }) {
  const most = funnel[0]?.agents ?? 0
  return (
    <section aria-label="Funnel" class="funnel">
      {funnel.map(({ stage, agents }) => (
        <div key={stage} class="step">
          <span>{stage}</span>
          <meter min={0} max={Math.max(1, most)} value={agents} aria-label={stage} />
          <b>{agents}</b>
        </div>
      ))}
    </section>
  )
}

function Difference({ view, onChoose }: { view: FleetView; onChoose: (row: FleetRow) => void }) {
  const days = useMemo(() => daysIn(view.rows), [view])
  const [first, setFirst] = useState(days[1] ?? '')
  const [second, setSecond] = useState(days[0] ?? '')
  if (days.length < 2) return null
  const changes = changesBetween(view.rows, first, second)
  return (
    <details class="difference">
      <summary>
        {changes.length} different between {first} and {second}
      </summary>
      <div class="filters">
        <Choice label="First day" options={days.map((day) => [day])} value={first} onChange={setFirst} />
        <Choice label="Second day" options={days.map((day) => [day])} value={second} onChange={setSecond} />
      </div>
      <ul>
        {changes.slice(0, MOST_CHANGES).map(({ row, before, after, isBetter }) => (
          <li key={row.id}>
            <button type="button" onClick={() => onChoose(row)}>
              {row.url}
            </button>{' '}
            {before} → <span class={isBetter ? 'good' : 'bad'}>{after}</span>
          </li>
        ))}
      </ul>
      {changes.length > MOST_CHANGES && <p class="muted">…and {changes.length - MOST_CHANGES} more.</p>}
    </details>
  )
}

const MOST_CHANGES = 500

interface ChoiceProps {
  label: string
  all?: string
  options: readonly (readonly [string, number?])[]
  value: string
  onChange(value: string): void
}

function Choice({ label, all, options, value, onChange }: ChoiceProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {all !== undefined && <option value="">{all}</option>}
      {options.map(([text, count]) => (
        <option key={text} value={text}>
          {count === undefined ? text : `${text} (${count})`}
        </option>
      ))}
    </select>
  )
}

function labelTexts({ labels }: FleetRow): string[] {
  return Object.entries(labels).map(([name, value]) => `${name}=${value}`)
}

/** Each text once, the most frequent first. */
function counted(texts: readonly string[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}

const SIGNS = { bad: '✗', good: '✓', muted: '–' } as const

function toneOf({ standing, stage }: Pick<FleetRow, 'standing' | 'stage'>): keyof typeof SIGNS {
  if (standing === 'non-conformant') return 'bad'
  return stage >= 4 ? 'good' : 'muted'
}
