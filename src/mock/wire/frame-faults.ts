// The faults that strike a stream: one function per fault, from one event as the server wrote it to what is sent in its
// place. What an event looks like (a server-sent event, a message of gRPC) is a form of its own.

import type { JsonValue } from '../../model/json.ts'
import type { Piece } from '../../net/serve/reply.ts'
import type { FaultAction, FaultName } from '../faults/catalogue.ts'
import { isTerminalPayload, stateIn, withState } from './payload.ts'

export interface FrameOutcome {
  readonly send: readonly Piece[]
  /** What becomes of the connection: lost, ended in good order, or silent. */
  readonly ending?: 'cut' | 'end' | 'silence'
}

export interface FramePlace<F extends Piece> {
  /** Whether this is the very event the fault is placed at, not a later one. */
  readonly isHere: boolean
  /** What the fault keeps from event to event of one stream. */
  readonly memory: { held: F | undefined; isMarked: boolean }
}

/** How events lie on the wire. */
export interface FrameForm<F extends Piece> {
  /** The events that are complete with this piece. */
  push(piece: Piece): readonly F[]
  /** What came after the last complete one. */
  rest(): Piece
  half(frame: F): F
  payloadOf(frame: F): JsonValue | undefined
  /** The same event with another payload; unchanged when that cannot be said. */
  withPayload(frame: F, change: (payload: JsonValue) => JsonValue): F
  /** The event with a fault in what it says. */
  spoilt(action: FaultAction, frame: F): F
  /** Faults that only this form can have, or has in its own way. */
  readonly own: { readonly [name in FaultName]?: (frame: F, place: FramePlace<F>) => FrameOutcome }
}

type FrameFault = <F extends Piece>(frame: F, place: FramePlace<F>, form: FrameForm<F>) => FrameOutcome

export const sent = (...frames: readonly Piece[]): FrameOutcome => ({ send: frames })

const FRAME_FAULTS: { readonly [name in FaultName]?: FrameFault } = {
  'reset-after-event': () => ({ send: [], ending: 'cut' }),
  'reset-mid-frame': (frame, _place, form) => ({ send: [form.half(frame)], ending: 'cut' }),
  'truncated-body': (frame, _place, form) => ({ send: [form.half(frame)], ending: 'end' }),
  hang: () => ({ send: [], ending: 'silence' }),
  'sse-split-utf8': (frame) => sent(...Array.from(Buffer.from(frame as string), (byte) => Uint8Array.of(byte))),
  'sse-duplicate-event': (frame, { isHere }) => (isHere ? sent(frame, frame) : sent(frame)),
  'sse-reorder-events': (frame, { isHere, memory }) => {
    const { held } = memory
    memory.held = isHere ? frame : undefined
    return isHere ? sent() : held === undefined ? sent(frame) : sent(frame, held)
  },
  'sse-drop-event': (frame, { isHere }) => (isHere ? sent() : sent(frame)),
  'no-terminal-event': (frame, _place, form) => (isTerminalPayload(form.payloadOf(frame)) ? sent() : sent(frame)),
  'event-after-terminal': (frame, _place, form) =>
    isTerminalPayload(form.payloadOf(frame)) ? sent(frame, inState(form, frame, 'working')) : sent(frame),
  'illegal-transition': (frame, { memory }, form) => {
    const payload = form.payloadOf(frame)
    if (memory.isMarked || stateIn(payload) === undefined || isTerminalPayload(payload)) return sent(frame)
    memory.isMarked = true
    return sent(inState(form, frame, 'completed'), frame)
  },
}

export function applyFrameFault<F extends Piece>(
  action: FaultAction,
  frame: F,
  place: FramePlace<F>,
  form: FrameForm<F>,
): FrameOutcome {
  const own = form.own[action.name]
  if (own !== undefined) return own(frame, place)
  const fault = FRAME_FAULTS[action.name]
  return fault === undefined ? sent(form.spoilt(action, frame)) : fault(frame, place, form)
}

function inState<F extends Piece>(form: FrameForm<F>, frame: F, state: string): F {
  return form.withPayload(frame, (payload) => withState(payload, state))
}
