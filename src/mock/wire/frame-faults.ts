// The faults that strike a stream: one function per fault, from one event as the server wrote it to what is sent in
// its place.

import type { JsonValue } from '../../model/json.ts'
import type { FaultAction, FaultName } from '../faults/catalogue.ts'
import { isTerminalPayload, parsePayload, stateIn, withState } from './payload.ts'
import { applyPayloadFault, half } from './payload-faults.ts'

export interface FrameOutcome {
  readonly send: readonly (string | Uint8Array)[]
  /** What becomes of the connection: lost, ended in good order, or silent. */
  readonly ending?: 'cut' | 'end' | 'silence'
}

export interface FramePlace {
  /** Whether this is the very event the fault is placed at, not a later one. */
  readonly isHere: boolean
  /** What the fault keeps from event to event of one stream. */
  readonly memory: { held: string; isMarked: boolean }
}

type FrameFault = (frame: string, place: FramePlace) => FrameOutcome

const sent = (...frames: readonly (string | Uint8Array)[]): FrameOutcome => ({ send: frames })

const FRAME_FAULTS: { readonly [name in FaultName]?: FrameFault } = {
  'reset-after-event': () => ({ send: [], ending: 'cut' }),
  'reset-mid-frame': (frame) => ({ send: [half(frame)], ending: 'cut' }),
  'truncated-body': (frame) => ({ send: [half(frame)], ending: 'end' }),
  hang: () => ({ send: [], ending: 'silence' }),
  'sse-no-blank-line': (frame) => sent(frame.slice(0, -1)),
  'sse-split-utf8': (frame) => sent(...Array.from(Buffer.from(frame), (byte) => Uint8Array.of(byte))),
  'sse-crlf': (frame) => sent(frame.replaceAll('\n', '\r\n')),
  'sse-comments': (frame) => sent(`: a comment\n\n:\n${frame.replace('\n', '\n: another\n')}`),
  'sse-multiline-data': (frame) => sent(withData(frame, (data) => spread(data))),
  'sse-duplicate-event': (frame, { isHere }) => (isHere ? sent(frame, frame) : sent(frame)),
  'sse-reorder-events': (frame, { isHere, memory }) => {
    const held = memory.held
    memory.held = isHere ? frame : ''
    return isHere ? sent() : sent(frame, held)
  },
  'sse-drop-event': (frame, { isHere }) => (isHere ? sent() : sent(frame)),
  'no-terminal-event': (frame) => (isTerminalPayload(payloadOf(frame)) ? sent() : sent(frame)),
  'event-after-terminal': (frame) =>
    isTerminalPayload(payloadOf(frame)) ? sent(frame, inState(frame, 'working')) : sent(frame),
  'illegal-transition': (frame, { memory }) => {
    const payload = payloadOf(frame)
    if (memory.isMarked || stateIn(payload) === undefined || isTerminalPayload(payload)) return sent(frame)
    memory.isMarked = true
    return sent(inState(frame, 'completed'), frame)
  },
}

export function applyFrameFault(action: FaultAction, frame: string, place: FramePlace): FrameOutcome {
  const fault = FRAME_FAULTS[action.name]
  return fault === undefined ? sent(withData(frame, (data) => [applyPayloadFault(action, data)])) : fault(frame, place)
}

function inState(frame: string, state: string): string {
  return withData(frame, (data) => {
    const json = parsePayload(data)
    return [json === undefined ? data : JSON.stringify(withState(json, state))]
  })
}

function dataOf(frame: string): string {
  const lines = frame.split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => line.slice('data: '.length)).join('\n')
}

function payloadOf(frame: string): JsonValue | undefined {
  return parsePayload(dataOf(frame))
}

/** The frame with its data replaced, one line each. */
function withData(frame: string, change: (data: string) => readonly string[]): string {
  const others = frame.split('\n').filter((line) => line !== '' && !line.startsWith('data: '))
  const lines = change(dataOf(frame)).map((line) => `data: ${line}`)
  return `${[...others, ...lines].join('\n')}\n\n`
}

function spread(data: string): readonly string[] {
  const json = parsePayload(data)
  return json === undefined ? [data] : JSON.stringify(json, null, 1).split('\n')
}
