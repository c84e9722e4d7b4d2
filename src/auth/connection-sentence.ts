// A connection to an authorization server that failed, told with its exit code. Other errors pass.

import { EXIT, ParleyError } from '../model/errors.ts'
import { NetError } from '../net/net-error.ts'

export const REFUSED_ADDRESS = 'If you trust that address, add --allow-origin with its origin.'

export function connectionSentence(error: unknown, who: string, refusedHint: string = REFUSED_ADDRESS): unknown {
  if (!(error instanceof NetError) || error.code === 'aborted') return error
  return new ParleyError('no-token', `${who} of the agent cannot be used: ${error.message}`, {
    exitCode: error.code === 'timeout' ? EXIT.timeout : EXIT.unreachable,
    cause: error,
    ...(error.code === 'refused' ? { hint: refusedHint } : {}),
  })
}
