// Every exchange, newest last; one of them whole: what was sent and what came back, on two layers, to be changed and sent
// again.

import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { WireDetail } from '../../src/inspector/views.ts'
import { VirtualList } from '../shared/virtual-list.tsx'
import { get, post } from './api.ts'
import { Exports } from './exports.tsx'
import { dropTarget, FileButton } from './file-button.tsx'
import { incoming, openRecording } from './open-recording.ts'
import { RecordingPage } from './recordings.tsx'
import { agent, attempt, exchange, ownExchange, ownWire, recordings } from './state.ts'
import { ExchangePanel, WIRE_ROW_PX, WireRowButton } from './wire-parts.tsx'

/** The recording that is looked at; empty for what is exchanged now. */
const chosen = signal('')

export function WirePage() {
  const recording = recordings.value.find(({ id }) => id === chosen.value)
  const open = ([file]: readonly File[]) => void openRecording(file, (id) => (chosen.value = id))
  return (
    <div class="wire-whole" {...dropTarget(open)}>
      <div class="judge-bar">
        {recordings.value.length > 0 && <Source />}
        {recording === undefined && agent.value !== undefined && <Exports agent={agent.value} />}
        <FileButton title="Open a recording…" label="A recording" onFiles={open} />
        {recording?.isGiven === true && (
          <button type="button" onClick={() => void attempt(() => post('drop-recording', { recording: recording.id }))}>
            Close the recording
          </button>
        )}
        {incoming.value !== undefined && (
          <progress aria-label={`Reading ${incoming.value.name}`} value={incoming.value.share} max={1} />
        )}
      </div>
      <div class="two-columns wire-page">
        {recording === undefined ? <Now /> : <RecordingPage key={recording.id} recording={recording} />}
      </div>
    </div>
  )
}

function Source() {
  return (
    <select aria-label="Source" value={chosen.value} onChange={(event) => (chosen.value = event.currentTarget.value)}>
      <option value="">what is exchanged now</option>
      {recordings.value.map(({ id, file }) => (
        <option key={id} value={id}>
          {file}
        </option>
      ))}
    </select>
  )
}

function Now() {
  return (
    <>
      <Rows />
      <div class="page-column">
        {ownExchange.value === undefined ? <p class="empty">Choose an exchange.</p> : <Detail id={ownExchange.value} />}
      </div>
    </>
  )
}

export function WireColumn() {
  return (
    <aside class="wire-column" aria-label="Wire">
      <h2 class="label">Wire</h2>
      <Rows />
      {ownExchange.value !== undefined && (
        <div class="wire-detail">
          <Detail id={ownExchange.value} />
        </div>
      )}
    </aside>
  )
}

function Rows() {
  return (
    <VirtualList
      rows={ownWire.value}
      rowPx={WIRE_ROW_PX}
      keyOf={({ id }) => id}
      chosen={exchange.value}
      onChoose={({ id }) => (exchange.value = id)}
      followsEnd
      label="Exchanges"
      empty="Nothing was exchanged yet."
    >
      {(row) => (
        <WireRowButton row={row} isChosen={exchange.value === row.id} onChoose={() => (exchange.value = row.id)} />
      )}
    </VirtualList>
  )
}

function Detail({ id }: { id: string }) {
  const [detail, setDetail] = useState<WireDetail | undefined>(undefined)
  const [isEditing, setEditing] = useState(false)
  const row = ownWire.value.find((each) => each.id === id)
  // While it goes on it is read again each time it has doubled.
  const state = row?.isOpen === true ? Math.ceil(Math.log2(row.frames + 1)) : `over ${row?.durationMs}`
  useEffect(() => {
    let isCurrent = true
    void attempt(() => get<WireDetail>(`wire/${encodeURIComponent(id)}`)).then((found) => {
      if (isCurrent && found !== undefined) setDetail(found)
    })
    return () => {
      isCurrent = false
    }
  }, [id, state])
  useEffect(() => setEditing(false), [id])
  if (detail === undefined || detail.row.id !== id) return <p class="empty">Loading…</p>
  if (isEditing) return <Edit detail={detail} onDone={() => setEditing(false)} />
  return (
    <ExchangePanel detail={detail}>
      <button type="button" onClick={() => setEditing(true)}>
        Edit and resend
      </button>
    </ExchangePanel>
  )
}

function Edit({ detail: { row, editable }, onDone }: { detail: WireDetail; onDone(): void }) {
  const [url, setUrl] = useState(editable.url)
  const [headers, setHeaders] = useState(editable.headers.map(([name, value]) => `${name}: ${value}`).join('\n'))
  const [body, setBody] = useState(pretty(editable.body))
  const resend = () =>
    void attempt(async () => {
      const changed = { exchange: row.id, url, headers: pairsOf(headers), body }
      exchange.value = (await post<{ exchange: string }>('resend', changed)).exchange
      onDone()
    })
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault()
        resend()
      }}
    >
      <label class="field">
        <span>URL</span>
        <input type="text" value={url} onInput={(event) => setUrl(event.currentTarget.value)} />
      </label>
      <Area title="Headers" rows={5} value={headers} onChange={setHeaders} />
      <Area title={editable.isGrpc ? 'Message' : 'Body'} rows={10} value={body} onChange={setBody} />
      <p class="muted small">A value shown as [redacted] is put back where it goes to this agent.</p>
      <p class="actions">
        <button type="submit" class="primary">
          Send
        </button>
        <button type="button" onClick={onDone}>
          Leave it
        </button>
      </p>
    </form>
  )
}

interface AreaProps {
  title: string
  rows: number
  value: string
  onChange(value: string): void
}

function Area({ title, rows, value, onChange }: AreaProps) {
  return (
    <label class="field">
      <span>{title}</span>
      <textarea
        class="code"
        rows={rows}
        spellcheck={false}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  )
}

/** `Name: value` in each line; what has no colon is no header. */
function pairsOf(headers: string): [string, string][] {
  return headers.split('\n').flatMap((line) => {
    const at = line.indexOf(':')
    return at < 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]]
  })
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
