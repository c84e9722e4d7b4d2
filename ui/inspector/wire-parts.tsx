// One row of the wire, and one exchange whole on two layers; for what happens now and for what was recorded.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { WireDetail, WireRow } from '../../src/inspector/views.ts'
import { Copy } from '../shared/copy.tsx'
import { Exchange } from '../shared/wire.tsx'
import { ProtocolLayer } from './protocol-layer.tsx'

export const WIRE_ROW_PX = 36

interface RowProps {
  row: WireRow
  isChosen: boolean
  onChoose(): void
}

export function WireRowButton({ row, isChosen, onChoose }: RowProps) {
  const { kind, label, status, frames, durationMs, isBad, isOpen } = row
  return (
    <button
      type="button"
      tabIndex={-1}
      class={isChosen ? 'wire-row open' : 'wire-row'}
      aria-current={isChosen}
      onClick={onChoose}
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

/** `children` stand beside the commands to copy. */
export function ExchangePanel({ detail, children }: { detail: WireDetail; children?: ComponentChildren }) {
  const [layer, setLayer] = useState<'protocol' | 'transport'>('protocol')
  return (
    <article class="wire-one" aria-label={`Exchange ${detail.row.label}`}>
      <h2>{detail.row.label}</h2>
      <p class="muted small address">
        {detail.transcript.request.method} {detail.transcript.request.url}
      </p>
      <div class="layers" role="tablist" aria-label="Layer">
        {(['protocol', 'transport'] as const).map((name) => (
          <button key={name} type="button" role="tab" aria-selected={layer === name} onClick={() => setLayer(name)}>
            {name === 'protocol' ? 'Protocol' : detail.row.protocol === 'grpc' ? 'gRPC' : 'HTTP'}
          </button>
        ))}
      </div>
      <p class="actions">
        {children}
        {detail.commands.map(({ name, text }) => (
          <Copy key={name} label={`Copy ${name}`} text={() => text} />
        ))}
      </p>
      {layer === 'protocol' ? (
        <ProtocolLayer transcript={detail.transcript} />
      ) : (
        <Exchange exchange={detail.transcript} pointer={undefined} />
      )}
    </article>
  )
}
