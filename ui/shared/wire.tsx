// The exchanges behind a result: what was sent and what came back, JSON laid out, the place in question marked, and the
// frames of a stream on a time line with their gaps.

import type { GrpcTranscript, Transcript, TranscriptFrame } from '../../src/trace/transcript.ts'
import { Body } from './json.tsx'

export function Wire({ exchanges, pointer }: { exchanges: readonly Transcript[]; pointer: string | undefined }) {
  return (
    <section aria-label="Wire">
      <h3>Wire</h3>
      {exchanges.map((exchange, at) => (
        <Exchange key={at} exchange={exchange} pointer={at === exchanges.length - 1 ? pointer : undefined} />
      ))}
    </section>
  )
}

export function Exchange({ exchange, pointer }: { exchange: Transcript; pointer: string | undefined }) {
  const { request, response, failure, repeated } = exchange
  const sent =
    exchange.protocol === 'http' ? exchange.request.body : exchange.request.messages.map(({ data }) => data).join('\n')
  const first =
    exchange.protocol === 'http' ? `${request.method} ${request.url}` : `gRPC ${request.url} ${request.method}`
  return (
    <div class="exchange">
      <Message first={first} headers={request.headers} body={sent} />
      {exchange.protocol === 'grpc' && <Bytes hex={exchange.request.bytes} />}
      {repeated !== undefined && <p class="muted">Sent twice: {repeated}</p>}
      {response !== undefined && <Answer exchange={exchange} pointer={pointer} />}
      {failure !== undefined && <p class="bad">{failure}</p>}
    </div>
  )
}

function Answer({ exchange, pointer }: { exchange: Transcript; pointer: string | undefined }) {
  const { response } = exchange
  if (response === undefined) return null
  const frames = exchange.protocol === 'http' ? exchange.response?.frames : exchange.response?.messages
  const body =
    exchange.protocol === 'http' ? (exchange.response?.body ?? '') : (frames ?? []).map(({ data }) => data).join('\n')
  const name = exchange.protocol === 'http' ? 'HTTP' : 'gRPC status'
  return (
    <>
      <Message
        first={`${name} ${response.status ?? 'missing'}`}
        headers={response.headers}
        body={body}
        pointer={pointer}
      />
      {exchange.protocol === 'grpc' && <GrpcEnd response={exchange.response} />}
      {response.incomplete !== undefined && <p class="muted">{response.incomplete}</p>}
      {frames !== undefined && frames.length > 1 && <Frames frames={frames} />}
    </>
  )
}

/** What only gRPC has: trailers, fields the schema does not know, and messages as bytes. */
function GrpcEnd({ response }: { response: GrpcTranscript['response'] }) {
  if (response === undefined) return null
  const { trailers, unknownFields = [], bytes } = response
  return (
    <>
      {trailers.length > 0 && <pre>{trailers.map(([name, value]) => `${name}: ${value}`).join('\n')}</pre>}
      {unknownFields.length > 0 && <p class="muted">Unknown fields: {unknownFields.join(', ')}</p>}
      <Bytes hex={bytes} />
    </>
  )
}

function Bytes({ hex }: { hex: string | undefined }) {
  if (hex === undefined || hex === '') return null
  return (
    <details>
      <summary>Bytes</summary>
      <pre>{hex}</pre>
    </details>
  )
}

interface MessageProps {
  first: string
  headers: readonly (readonly [string, string])[]
  body: string
  pointer?: string | undefined
}

function Message({ first, headers, body, pointer }: MessageProps) {
  return (
    <div class="message">
      <details>
        <summary>
          <code>{first}</code>{' '}
          <span class="muted">{headers.length === 1 ? '1 header' : `${headers.length} headers`}</span>
        </summary>
        <pre>{headers.map(([name, value]) => `${name}: ${value}`).join('\n')}</pre>
      </details>
      {body !== '' && <Body text={body} pointer={pointer} />}
    </div>
  )
}

const LONG_GAP_MS = 1_000
const WIDTH = 480

/** Gaps are drawn to scale, long ones broken off and labelled. */
export function Frames({ frames }: { frames: readonly TranscriptFrame[] }) {
  const gaps = frames.map(({ atMs }, at) => Math.max(0, atMs - (frames[at - 1]?.atMs ?? 0)))
  const widths = gaps.map((gap) => Math.min(gap, LONG_GAP_MS))
  const total = widths.reduce((sum, width) => sum + width, 0) || 1
  let x = 0
  const bars = frames.map(({ atMs, data }, at) => {
    x += ((widths[at] ?? 0) / total) * WIDTH
    return { x, atMs, data, gap: gaps[at] ?? 0 }
  })
  return (
    <figure class="frames">
      <svg
        viewBox={`0 0 ${WIDTH + 8} 34`}
        role="img"
        aria-label={`${frames.length} frames in ${frames.at(-1)?.atMs ?? 0} ms`}
      >
        <line x1="0" y1="30" x2={WIDTH + 8} y2="30" />
        {bars.map(({ x: left, data }, at) => (
          <rect
            key={at}
            x={left}
            y={26 - Math.min(22, data.length / 20)}
            width="4"
            height={4 + Math.min(22, data.length / 20)}
          />
        ))}
      </svg>
      <figcaption>
        {bars
          .map(({ atMs, gap }) => (gap > LONG_GAP_MS ? `gap ${(gap / 1000).toFixed(1)} s · ${atMs} ms` : `${atMs} ms`))
          .join(' · ')}
      </figcaption>
    </figure>
  )
}
