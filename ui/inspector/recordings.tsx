// Recordings that were named when the inspector was started, also while a proxy writes them: their rows as they come, one
// exchange whole when it is opened.

import { useEffect, useState } from 'preact/hooks'
import type { RecordingView, WireDetail, WireRow } from '../../src/inspector/views.ts'
import { VirtualList } from '../shared/virtual-list.tsx'
import { get } from './api.ts'
import { attempt } from './state.ts'
import { ExchangePanel, WIRE_ROW_PX, WireRowButton } from './wire-parts.tsx'

const POLL_MS = 1000

export function RecordingPage({ recording }: { recording: RecordingView }) {
  const [rows, setRows] = useState<WireRow[]>([])
  const [detail, setDetail] = useState<WireDetail | undefined>(undefined)
  useEffect(() => {
    let known: WireRow[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    let isCurrent = true
    const ask = async () => {
      const more = await attempt(() =>
        get<{ rows: WireRow[]; total: number }>(`recording/${recording.id}/${known.length}`),
      )
      if (!isCurrent || more === undefined) return
      if (more.rows.length > 0) {
        known = [...known, ...more.rows]
        setRows(known)
      }
      timer = setTimeout(() => void ask(), known.length < more.total ? 0 : POLL_MS)
    }
    void ask()
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [recording.id])
  const open = (id: string) =>
    void attempt(async () => setDetail(await get<WireDetail>(`recorded/${recording.id}/${id}`)))
  return (
    <>
      <VirtualList
        rows={rows}
        rowPx={WIRE_ROW_PX}
        keyOf={({ id }) => id}
        chosen={detail?.row.id}
        onChoose={({ id }) => open(id)}
        followsEnd
        label={`Exchanges of ${recording.file}`}
        empty="The recording has no exchange yet."
      >
        {(row) => <WireRowButton row={row} isChosen={detail?.row.id === row.id} onChoose={() => open(row.id)} />}
      </VirtualList>
      <div class="page-column">
        {recording.problem !== undefined && <p class="bad">{recording.problem}</p>}
        {detail === undefined ? <p class="empty">Choose an exchange.</p> : <ExchangePanel detail={detail} />}
      </div>
    </>
  )
}
