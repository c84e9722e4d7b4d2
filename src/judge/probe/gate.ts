// An agent whose card demands credentials and that was given none may refuse what it likes: that says nothing about it.

import { BINDINGS } from '../../bindings/registry.ts'
import type { Call, CallWatcher } from './calls.ts'
import { NotMeasured } from './check-failure.ts'

export const NO_CREDENTIALS = 'it needs credentials that were not given'
export const WANTED_CREDENTIALS = 'credentials the agent accepts: --bearer, --api-key, -H, or --client-cert'

export class Gate implements CallWatcher {
  /** Set when the card demands credentials and there are none. */
  isShut = false

  ended({ label, request, exchange }: Call): void {
    if (exchange === undefined) return
    // Of an exchange that is no gRPC it is that of HTTP.
    const status = BINDINGS.grpc.probe.statusOf(exchange)
    // With other credentials a check may well want to be refused.
    const isOurs = request.withoutCertificate !== true
    if (!this.isShut || !isOurs || (status !== 401 && status !== 403)) return
    throw new NotMeasured(
      `${label} is refused without credentials (${BINDINGS.grpc.probe.statusText(exchange)})`,
      WANTED_CREDENTIALS,
      undefined,
      NO_CREDENTIALS,
    )
  }
}
