// An exchange as reports show it: readable, cut to size, with every secret taken out.

import {
  type Exchange,
  type GrpcExchange,
  type HttpExchange,
  headerOf,
  mapExchange,
  type RecordedFrame,
} from '../../trace/exchange.ts'
import { hexText } from '../../trace/grpc-text.ts'
import type { Redactor } from '../../trace/redact.ts'
import type { GrpcTranscript, HttpTranscript, Transcript, TranscriptFrame } from '../../trace/transcript.ts'

/** How much of an exchange is shown. */
export interface TranscriptLimits {
  bodyCharacters: number
  frames: number
  frameCharacters: number
}

/** Enough to see what happened; the raw bytes of everything are in a recording, not in a report. */
const REPORTED: TranscriptLimits = { bodyCharacters: 4_000, frames: 32, frameCharacters: 500 }
/** Far more than is shown, so that no secret is cut in two at the end of what is shown. */
const SPARE = 16

export function transcriptOf(exchange: Exchange, redactor: Redactor, limits: TranscriptLimits = REPORTED): Transcript {
  const shown = redactor.exchange(clipped(exchange, limits))
  const { failure, durationMs, repeated } = shown
  const transcript = shown.protocol === 'grpc' ? grpcTranscript(shown, limits) : httpTranscript(shown, exchange, limits)
  if (failure !== undefined) transcript.failure = failure
  if (durationMs !== undefined) transcript.durationMs = durationMs
  if (repeated !== undefined) transcript.repeated = repeated
  return transcript
}

/** `whole` knows how long the bodies were. */
function httpTranscript(
  { request, response, startedAt }: HttpExchange,
  whole: Exchange,
  limits: TranscriptLimits,
): HttpTranscript {
  const transcript: HttpTranscript = {
    protocol: 'http',
    request: {
      method: request.method,
      url: request.url,
      headers: pairs(request.headers),
      body: readable(request.body, whole.request.body.length, limits.bodyCharacters),
    },
    startedAt,
  }
  if (response !== undefined) {
    const { status, headers, body, incomplete, frames } = response
    const text = readable(body, whole.response?.body.length ?? 0, limits.bodyCharacters)
    transcript.response = { status, headers: pairs(headers), body: text }
    if (incomplete !== undefined) transcript.response.incomplete = incomplete
    if (frames !== undefined) transcript.response.frames = frames.map((frame) => frameOf(frame, limits))
  }
  return transcript
}

function grpcTranscript({ request, response, startedAt }: GrpcExchange, limits: TranscriptLimits): GrpcTranscript {
  const transcript: GrpcTranscript = {
    protocol: 'grpc',
    request: {
      method: `/${request.rpc}`,
      url: request.url,
      headers: pairs(request.headers),
      messages: request.message === undefined ? [] : [{ atMs: 0, data: cut(request.message, limits.bodyCharacters) }],
      bytes: hexText(request.body),
    },
    startedAt,
  }
  if (response !== undefined) {
    const { headers, body, trailers, unknownFields, incomplete, frames = [] } = response
    const status = headerOf(trailers, 'grpc-status') ?? headerOf(headers, 'grpc-status')
    const message = headerOf(trailers, 'grpc-message') ?? headerOf(headers, 'grpc-message')
    transcript.response = {
      ...(status !== undefined && /^\d{1,9}$/.test(status) && { status: Number(status) }),
      ...(message !== undefined && { message }),
      headers: pairs(headers),
      messages: frames.map((frame) => frameOf(frame, limits)),
      trailers: pairs(trailers),
      bytes: hexText(body),
      ...(unknownFields !== undefined && unknownFields.length > 0 && { unknownFields: [...unknownFields] }),
      ...(incomplete !== undefined && { incomplete }),
    }
  }
  return transcript
}

function pairs(headers: readonly (readonly [string, string])[]): [string, string][] {
  return headers.map(([name, value]) => [name, value])
}

function frameOf({ atMs, data }: RecordedFrame, { frameCharacters }: TranscriptLimits): TranscriptFrame {
  return { atMs, data: cut(data, frameCharacters) }
}

/** Redacting megabytes of which a page is shown would be the slowest part of a run against a hostile agent. */
function clipped(exchange: Exchange, limits: TranscriptLimits): Exchange {
  const bytes = limits.bodyCharacters * SPARE
  return mapExchange(exchange, {
    request: (request) => ({ ...request, body: request.body.subarray(0, bytes) }),
    response: (response) => ({
      ...response,
      ...(response.frames === undefined ? {} : { frames: clippedFrames(response.frames, limits) }),
      body: response.body.subarray(0, bytes),
    }),
  })
}

/** The first ones; of their data, as of bodies, more than is shown. */
function clippedFrames(frames: readonly RecordedFrame[], limits: TranscriptLimits): RecordedFrame[] {
  return frames
    .slice(0, limits.frames)
    .map((frame) => ({ ...frame, data: frame.data.slice(0, limits.frameCharacters * SPARE) }))
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`
}

function readable(body: Uint8Array, length: number, characters: number): string {
  const text = new TextDecoder().decode(body)
  if (text.length <= characters && body.length >= length) return text
  return `${text.slice(0, characters)}… (${length} bytes in all)`
}
