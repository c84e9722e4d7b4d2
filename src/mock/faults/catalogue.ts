// Every fault the mock and the proxy can make, by name, with its parameters. Data only: when one fires is decided in
// schedule.ts, what it does to an answer in ../wire.

import { durationMs, type Infer, integer, nonEmptyText, optional, record, text } from '../../yaml/shape.ts'

const none = record({})

export const FAULTS = {
  'reset-before-headers': { summary: 'Cuts the connection before any byte of the answer.', params: none },
  'reset-after-event': { summary: 'Cuts the connection after a number of stream events.', params: none },
  'reset-mid-frame': { summary: 'Cuts the connection in the middle of a stream event.', params: none },
  hang: { summary: 'Keeps the connection open and says nothing more.', params: none },
  'slow-drip': {
    summary: 'Sends the answer a few bytes at a time.',
    params: record(
      { bytes: optional(integer(1, 65_536)), interval: optional(durationMs) },
      { bytes: 'So many at a time.', interval: 'The pause between them.' },
    ),
  },
  'http-status': {
    summary: 'Answers with an HTTP status, a body and, if asked, Retry-After.',
    params: record(
      {
        status: integer(100, 599),
        body: optional(text),
        contentType: optional(nonEmptyText),
        retryAfter: optional(integer(0)),
      },
      {
        status: 'The HTTP status.',
        body: 'The body; a short text unless given.',
        contentType: 'The media type of the body.',
        retryAfter: 'Seconds of Retry-After.',
      },
    ),
  },
  'wrong-content-type': {
    summary: 'Labels the answer with another media type.',
    params: record({ contentType: optional(nonEmptyText) }, { contentType: 'The media type in Content-Type.' }),
  },
  'truncated-body': {
    summary: 'Announces the whole body and sends only its beginning.',
    params: record({ bytes: optional(integer(0)) }, { bytes: 'So many are sent.' }),
  },
  'sse-no-blank-line': { summary: 'Leaves out the blank line that ends a stream event.', params: none },
  'sse-split-utf8': { summary: 'Sends stream events one byte per write, splitting characters.', params: none },
  'sse-crlf': { summary: 'Ends the lines of stream events with CR LF, which is legal.', params: none },
  'sse-comments': { summary: 'Puts comment lines between stream events, which is legal.', params: none },
  'sse-multiline-data': {
    summary: 'Spreads the data of a stream event over several data lines, which is legal.',
    params: none,
  },
  'sse-duplicate-event': { summary: 'Sends a stream event twice.', params: none },
  'sse-reorder-events': { summary: 'Swaps a stream event with the one after it.', params: none },
  'sse-drop-event': { summary: 'Leaves a stream event out.', params: none },
  'no-terminal-event': { summary: 'Ends the stream without the event that finishes the task.', params: none },
  'event-after-terminal': { summary: 'Sends one more event after the task has finished.', params: none },
  'jsonrpc-invalid-json': { summary: 'Answers with text that is not JSON.', params: none },
  'jsonrpc-wrong-id': { summary: 'Answers under another request id.', params: none },
  'jsonrpc-result-and-error': { summary: 'Answers with a result and an error at once.', params: none },
  'wrong-task-id': { summary: 'Names another task than the one asked about.', params: none },
  'wrong-context-id': { summary: 'Names another context than the one asked about.', params: none },
  'illegal-transition': { summary: 'Reports a finished task as working again.', params: none },
  'unknown-state': {
    summary: 'Reports an unknown task state.',
    params: record({ state: optional(nonEmptyText) }, { state: 'The state that is reported.' }),
  },
  'unknown-part': { summary: 'Sends a part of an unknown kind.', params: none },
  'bad-base64': { summary: 'Sends file bytes that are not base64.', params: none },
  'grpc-status': {
    summary: 'Ends a call of gRPC with this status; other bindings do not have it.',
    params: record(
      { code: integer(0, 99), message: optional(text) },
      { code: 'The number of the status: 14 is UNAVAILABLE.', message: 'The text beside it.' },
    ),
  },
  'grpc-no-trailers': { summary: 'Ends a call of gRPC without its status.', params: none },
  'grpc-oversized-message': {
    summary: 'Announces a gRPC message larger than any client accepts.',
    params: none,
  },
  'lying-card': {
    summary: 'Serves a card with wrong capabilities and a URL that does not work.',
    params: none,
  },
} as const

/** The faults a mock can make. */
export type FaultName = keyof typeof FAULTS
export type FaultAction = { [N in FaultName]: { name: N; with: Infer<(typeof FAULTS)[N]['params']> } }[FaultName]

export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[]
