// A request that cannot be read, before anybody asked what it means. Bindings turn it into the error body of their
// protocol; the status is already right.

export type HttpFaultReason =
  /** 413: over the limit, as sent or once decompressed. */
  | 'too-large'
  /** 415: a Content-Encoding we do not undo. */
  | 'unsupported-encoding'
  /** 400: the body is not what its Content-Encoding says. */
  | 'bad-encoding'
  /** 400: the peer left before the end; an answer will not reach it. */
  | 'aborted'

const STATUS: { [reason in HttpFaultReason]: number } = {
  'too-large': 413,
  'unsupported-encoding': 415,
  'bad-encoding': 400,
  aborted: 400,
}

export class HttpFault extends Error {
  override readonly name = 'HttpFault'
  readonly reason: HttpFaultReason
  readonly status: number

  constructor(reason: HttpFaultReason, message: string) {
    super(message)
    this.reason = reason
    this.status = STATUS[reason]
  }
}
