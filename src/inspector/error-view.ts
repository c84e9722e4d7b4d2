// Anything that went wrong, as one sentence and what to do about it. Flags of the command line become words of the page.

import { connectionFailure } from '../discovery/connection-failure.ts'
import { A2AError, ParleyError } from '../model/errors.ts'
import type { Redactor } from '../trace/redact.ts'
import type { ErrorView } from './views.ts'

const TRUST = /--allow-origin (\S+?)[.,]?(?:\s|$)/

export function errorView(error: unknown, redactor: Redactor): ErrorView {
  const known = connectionFailure(error) ?? error
  if (known instanceof A2AError)
    return { code: known.label, message: redactor.text(`The agent answered ${known.label}: ${known.message}`) }
  if (!(known instanceof ParleyError)) {
    const message = known instanceof Error ? known.message : String(known)
    return { code: 'bug', message: redactor.text(message) }
  }
  const origin = TRUST.exec(known.hint ?? '')?.[1]
  return {
    code: known.code,
    message: redactor.text(known.message),
    ...(known.hint === undefined ? {} : { hint: redactor.text(inThePage(known.hint)) }),
    ...(origin === undefined ? {} : { origin }),
  }
}

function inThePage(hint: string): string {
  if (TRUST.test(hint)) return 'If you trust that address, say so below.'
  return /--(bearer|api-key|client-id|client-cert|header)\b|-H '/.test(hint)
    ? 'Choose how to authenticate under Connect.'
    : hint
}
