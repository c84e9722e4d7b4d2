// A connection that failed, as told to the person at the keyboard: which exit code, and what to do.

import { defined } from '../base/defined.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { CERTIFICATE_ALERT, NetError, type NetErrorCode, UNKNOWN_AUTHORITY } from '../net/net-error.ts'

const TELL: { [code in Exclude<NetErrorCode, 'aborted'>]: { code: string; exitCode: number; hint?: string } } = {
  unreachable: {
    code: 'agent-unreachable',
    exitCode: EXIT.unreachable,
    hint: 'Is the agent running, and is this its host and port?',
  },
  timeout: { code: 'timeout', exitCode: EXIT.timeout, hint: 'Give it longer with --timeout 2m.' },
  reset: { code: 'connection-lost', exitCode: EXIT.unreachable },
  tls: { code: 'tls-failed', exitCode: EXIT.unreachable },
  refused: {
    code: 'address-refused',
    exitCode: EXIT.unreachable,
    hint: 'If you trust that address, add --allow-origin with its origin.',
  },
  'too-large': { code: 'answer-too-large', exitCode: EXIT.failed },
  protocol: { code: 'not-http', exitCode: EXIT.unreachable },
}

export class ConnectionFailure extends ParleyError {
  /** In a word: 'ECONNREFUSED', 'timeout'. */
  readonly reason: string

  constructor(error: NetError, as: { code: string; exitCode: number; hint?: string }) {
    const reason = reasonOf(error)
    const hint = as.hint ?? hintFor(error, reason)
    super(as.code, error.message, { ...as, ...defined({ hint }), cause: error })
    this.reason = reason
  }
}

function reasonOf({ cause, code: kind }: NetError): string {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? code : kind
}

/** What helps depends on what TLS found; without TLS, a server that speaks it just hangs up. */
function hintFor({ code, exchange }: NetError, reason: string): string | undefined {
  if (code === 'reset' && exchange?.response === undefined)
    return exchange?.request.url.startsWith('https:')
      ? 'If the agent wants a client certificate, show one with --client-cert FILE and --client-key FILE.'
      : 'If the agent speaks TLS, write https:// before its address.'
  if (code !== 'tls') return undefined
  if (UNKNOWN_AUTHORITY.test(reason))
    return 'Name its authority with --ca-cert FILE, or accept any certificate with --insecure.'
  if (/^(?:CERT_|ERR_TLS_CERT_)/.test(reason)) return 'To accept any certificate nevertheless, add --insecure.'
  if (CERTIFICATE_ALERT.test(reason)) return 'Show one it accepts with --client-cert FILE and --client-key FILE.'
  return undefined
}

/** Undefined for errors that are not about the connection, among them the caller's own abort. */
export function connectionFailure(error: unknown): ConnectionFailure | undefined {
  if (!(error instanceof NetError) || error.code === 'aborted') return undefined
  return new ConnectionFailure(error, TELL[error.code])
}
