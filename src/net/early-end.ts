// Ending an HTTP request from our side, and remembering why: node:http reports every such end as a reset.

import type { ClientRequest } from 'node:http'
import type { NetError } from './net-error.ts'

export class EarlyEnd {
  /** Why we ended it; undefined when we did not. */
  reason: NetError | undefined
  readonly #req: ClientRequest

  constructor(req: ClientRequest) {
    this.#req = req
  }

  /** The first reason counts. */
  force(reason: NetError): void {
    this.reason ??= reason
    this.#req.destroy(reason)
  }
}
