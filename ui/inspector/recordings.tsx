// Recordings, also while a proxy writes them or a file of the user arrives: their rows as they come, one exchange whole when
// it is opened.

import { useRef, useState } from 'preact/hooks'
import type { RecordingView, WireDetail, WireRow } from '../../src/inspector/views.ts'
import { VirtualList } from '../shared/virtual-list.tsx'
import { get } from './api.ts'
import { attempt } from './state.ts'
import { POLL_MS, usePoll } from './use-poll.ts'
import { ExchangePanel, WIRE_ROW_PX, WireRowButton } from './wire-parts.tsx'

interface Rows {
  rows: WireRow[]
  total: number
  problem?: string
}

export function RecordingPage({ recording }: { recording: RecordingView }) {
  const [rows, setRows] = useState<WireRow[]>([])
  const [detail, setDetail] = useState<WireDetail | undefined>(undefined)
  const [problem, setProblem] = useState(recording.problem)
  const known = useRef<WireRow[]>([])
  usePoll(recording.id, async (isCurrent) => {
    const more = await get<Rows>(`recording/${recording.id}/${known.current.length}`)
    setProblem(more.problem)
    if (isCurrent() && more.rows.length > 0) {
      known.current = [...known.current, ...more.rows]
      setRows(known.current)
    }
    return known.current.length < more.total ? 0 : POLL_MS
  })
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
        {problem !== undefined && <p class="bad">{problem}</p>}
        {detail === undefined ? <p class="empty">Choose an exchange.</p> : <ExchangePanel detail={detail} />}
      </div>
    </>
  )
}
