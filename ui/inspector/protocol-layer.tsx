// An exchange as the protocol sees it: the message that was sent, and the answer or the frames of a stream, on their time
// line and one below the other.

import { useState } from 'preact/hooks'
import type { Transcript, TranscriptFrame } from '../../src/trace/transcript.ts'
import { Body } from '../shared/json.tsx'
import { answerBodyOf, framesOf, sentOf } from '../shared/transcript-parts.ts'
import { VirtualList } from '../shared/virtual-list.tsx'
import { Frames } from '../shared/wire.tsx'

const ROW_PX = 28
/** Bars of more frames than this would be thinner than a pixel. */
const MAX_BARS = 200

export function ProtocolLayer({ transcript }: { transcript: Transcript }) {
  const sent = sentOf(transcript)
  const frames = framesOf(transcript)
  return (
    <>
      {sent !== '' && (
        <section aria-label="Sent">
          <h3>Sent</h3>
          <div class="message">
            <Body text={sent} />
          </div>
        </section>
      )}
      <section aria-label="Answer">
        <h3>Answer</h3>
        {frames.length > 0 ? <Stream frames={frames} /> : <Whole transcript={transcript} />}
        {transcript.failure !== undefined && <p class="bad">{transcript.failure}</p>}
      </section>
    </>
  )
}

function Whole({ transcript }: { transcript: Transcript }) {
  const body = answerBodyOf(transcript)
  if (transcript.response === undefined) return <p class="muted">No answer yet.</p>
  if (body === '') return <p class="muted">An empty answer.</p>
  return (
    <div class="message">
      <Body text={body} />
    </div>
  )
}

function Stream({ frames }: { frames: readonly TranscriptFrame[] }) {
  const [at, setAt] = useState(frames.length - 1)
  const chosen = frames[Math.min(at, frames.length - 1)]
  const rows = frames.map((frame, number) => ({ ...frame, number }))
  return (
    <>
      {frames.length > 1 && frames.length <= MAX_BARS && <Frames frames={frames} />}
      <div class="frame-list">
        <VirtualList
          rows={rows}
          rowPx={ROW_PX}
          keyOf={({ number }) => String(number)}
          chosen={String(at)}
          onChoose={({ number }) => setAt(number)}
          label="Frames"
          empty="No frames."
        >
          {({ number, atMs, data }) => (
            <button
              type="button"
              tabIndex={-1}
              class={number === at ? 'frame-row open' : 'frame-row'}
              aria-current={number === at}
              onClick={() => setAt(number)}
            >
              <span class="time">{atMs} ms</span>
              <code>{data.slice(0, 200)}</code>
            </button>
          )}
        </VirtualList>
      </div>
      {chosen !== undefined && (
        <div class="message">
          <Body text={chosen.data} />
        </div>
      )}
    </>
  )
}
