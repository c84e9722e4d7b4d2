// Server-sent events as faults see them: text that ends with a blank line.

import type { JsonValue } from '../../model/json.ts'
import type { Piece } from '../../net/serve/reply.ts'
import type { FaultAction } from '../faults/catalogue.ts'
import { type FrameForm, sent } from './frame-faults.ts'
import { parsePayload } from './payload.ts'
import { applyPayloadFault, half } from './payload-faults.ts'

export class SseForm implements FrameForm<string> {
  #unfinished = ''

  readonly own: FrameForm<string>['own'] = {
    'sse-no-blank-line': (frame) => sent(frame.slice(0, -1)),
    'sse-crlf': (frame) => sent(frame.replaceAll('\n', '\r\n')),
    'sse-comments': (frame) => sent(`: a comment\n\n:\n${frame.replace('\n', '\n: another\n')}`),
    'sse-multiline-data': (frame) => sent(withData(frame, (data) => spread(data))),
  }

  push(piece: Piece): readonly string[] {
    this.#unfinished += typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8')
    const frames: string[] = []
    for (let end = this.#unfinished.indexOf('\n\n'); end >= 0; end = this.#unfinished.indexOf('\n\n')) {
      frames.push(this.#unfinished.slice(0, end + 2))
      this.#unfinished = this.#unfinished.slice(end + 2)
    }
    return frames
  }

  rest(): string {
    return this.#unfinished
  }

  half(frame: string): string {
    return half(frame)
  }

  payloadOf(frame: string): JsonValue | undefined {
    return parsePayload(dataOf(frame))
  }

  withPayload(frame: string, change: (payload: JsonValue) => JsonValue): string {
    return withData(frame, (data) => {
      const json = parsePayload(data)
      return [json === undefined ? data : JSON.stringify(change(json))]
    })
  }

  spoilt(action: FaultAction, frame: string): string {
    return withData(frame, (data) => [applyPayloadFault(action, data)])
  }
}

function dataOf(frame: string): string {
  const lines = frame.split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => line.slice('data: '.length)).join('\n')
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
