// Every exchange, newest last; one of them whole: what was sent and what came back, on two layers, to be changed and sent
// again.

import { useEffect, useState } from 'preact/hooks'
import type { WireDetail, WireRow } from '../../src/inspector/views.ts'
import { Copy } from '../shared/copy.tsx'
import { VirtualList } from '../shared/virtual-list.tsx'
import { Exchange } from '../shared/wire.tsx'
import { get, post } from './api.ts'
import { ProtocolLayer } from './protocol-layer.tsx'
import { attempt, exchange, ownWire } from './state.ts'

const ROW_PX = 36

export function WirePage() {
  return (
    <div class="two-columns wire-page">
      <Rows />
      <div class="page-column">
        {exchange.value === undefined ? <p class="empty">Choose an exchange.</p> : <Detail id={exchange.value} />}
      </div>
    </div>
  )
}

export function WireColumn() {
  return (
    <aside class="wire-column" aria-label="Wire">
      <h2 class="label">Wire</h2>
      <Rows />
      {exchange.value !== undefined && (
        <div class="wire-detail">
          <Detail id={exchange.value} />
        </div>
      )}
    </aside>
  )
}

function Rows() {
  return (
    <VirtualList
      rows={ownWire.value}
      rowPx={ROW_PX}
      keyOf={({ id }) => id}
      chosen={exchange.value}
      followsEnd
      label="Exchanges"
      empty="Nothing was exchanged yet."
    >
      {(row) => <Row row={row} />}
    </VirtualList>
  )
}

function Row({ row }: { row: WireRow }) {
  const { id, kind, label, status, frames, durationMs, isBad, isOpen } = row
  const isChosen = exchange.value === id
  return (
    <button
      type="button"
      class={isChosen ? 'wire-row open' : 'wire-row'}
      aria-current={isChosen}
      onClick={() => (exchange.value = id)}
    >
      <span class="muted">{kind}</span>
      <span class="what">{label}</span>
      <span class={isBad ? 'bad' : 'muted'}>
        {isBad && '✗ '}
        {frames > 0 ? `${frames.toLocaleString('en')} ev.` : (status ?? '')}
      </span>
      <span class="time">
        {isOpen ? 'open' : durationMs === undefined ? '' : `${durationMs.toLocaleString('en')} ms`}
      </span>
    </button>
  )
}

function Detail({ id }: { id: string }) {
  const [detail, setDetail] = useState<WireDetail | undefined>(undefined)
  const [layer, setLayer] = useState<'protocol' | 'transport'>('protocol')
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
  return (
    <article class="wire-one" aria-label={`Exchange ${detail.row.label}`}>
      <div class="layers" role="tablist" aria-label="Layer">
        {(['protocol', 'transport'] as const).map((name) => (
          <button key={name} type="button" role="tab" aria-selected={layer === name} onClick={() => setLayer(name)}>
            {name === 'protocol' ? 'Protocol' : detail.row.protocol === 'grpc' ? 'gRPC' : 'HTTP'}
          </button>
        ))}
      </div>
      {layer === 'protocol' ? (
        <ProtocolLayer transcript={detail.transcript} />
      ) : (
        <Exchange exchange={detail.transcript} pointer={undefined} />
      )}
      {isEditing ? (
        <Edit detail={detail} onDone={() => setEditing(false)} />
      ) : (
        <p class="actions">
          <button type="button" onClick={() => setEditing(true)}>
            Edit and resend
          </button>
          {detail.commands.map(({ name, text }) => (
            <Copy key={name} label={`Copy ${name}`} text={() => text} />
          ))}
        </p>
      )}
    </article>
  )
}

function Edit({ detail: { row, editable }, onDone }: { detail: WireDetail; onDone(): void }) {
  const [url, setUrl] = useState(editable.url)
  const [headers, setHeaders] = useState(editable.headers.map(([name, value]) => `${name}: ${value}`).join('\n'))
  const [body, setBody] = useState(pretty(editable.body))
  const resend = () =>
    void attempt(async () => {
      const pairs = headers
        .split('\n')
        .flatMap((line) =>
          line.includes(':')
            ? [[line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim()]]
            : [],
        )
      const sent = await post<{ exchange: string }>('resend', { exchange: row.id, url, headers: pairs, body })
      exchange.value = sent.exchange
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
      <label class="field">
        <span>Headers</span>
        <textarea
          class="code"
          rows={5}
          spellcheck={false}
          value={headers}
          onInput={(event) => setHeaders(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        <span>{editable.isGrpc ? 'Message' : 'Body'}</span>
        <textarea
          class="code"
          rows={10}
          spellcheck={false}
          value={body}
          onInput={(event) => setBody(event.currentTarget.value)}
        />
      </label>
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

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
