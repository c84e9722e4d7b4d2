// A connection that failed, told to the person at the keyboard: which exit code, and what to do.

import { EXIT, ParleyError } from '../model/errors.ts'
import { NetError, type NetErrorCode } from '../net/net-error.ts'

const TELL: { [code in Exclude<NetErrorCode, 'aborted'>]: { code: string; exitCode: number; hint?: string } } = {
  unreachable: {
    code: 'agent-unreachable',
    exitCode: EXIT.unreachable,
    hint: 'Is the agent running, and is this its host and port?',
  },
  timeout: { code: 'timeout', exitCode: EXIT.timeout, hint: 'Give it longer with --timeout 2m.' },
  reset: { code: 'connection-lost', exitCode: EXIT.unreachable },
  tls: {
    code: 'tls-failed',
    exitCode: EXIT.unreachable,
    hint: 'Name its certificate authority with --ca-cert, or accept any certificate with --insecure.',
  },
  'too-large': { code: 'answer-too-large', exitCode: EXIT.failed },
  protocol: { code: 'not-http', exitCode: EXIT.unreachable },
}

export class ConnectionFailure extends ParleyError {
  /** In a word: 'ECONNREFUSED', 'timeout'. */
  readonly reason: string

  constructor(error: NetError, told: { code: string; exitCode: number; hint?: string }) {
    super(told.code, error.message, { ...told, cause: error })
    const { cause } = error
    const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
    this.reason = typeof code === 'string' ? code : error.code
  }
}

/** Undefined for errors that are not about the connection, among them the caller's own abort. */
export function connectionFailure(error: unknown): ConnectionFailure | undefined {
  if (!(error instanceof NetError) || error.code === 'aborted') return undefined
  return new ConnectionFailure(error, TELL[error.code])
}
