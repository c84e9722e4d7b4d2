// Faults towards callers: the catalogue of the mock, applied to what the proxy answers. Faults of a rule need a script
// and never fire here.

import { IncomingMessage, type ServerResponse } from 'node:http'
import { FaultBox } from '../mock/faults/fault-box.ts'
import type { Fault } from '../mock/faults/fault-shape.ts'
import { FaultLayer, strikeWhole } from '../mock/wire/fault-layer.ts'
import { intercept, type Wire } from '../mock/wire/intercept.ts'
import { parsePayload } from '../mock/wire/payload.ts'
import { operationAsked } from '../mock/wire/request-record.ts'
import { readBody } from '../net/body.ts'
import { MAX_BODY_BYTES } from '../net/limits.ts'

type Serve = (req: IncomingMessage) => Promise<void>

export class FaultyFront {
  readonly #faults: FaultBox
  readonly #onFault: (name: string) => void

  /** `onFault` is told what is about to happen to a caller. */
  constructor(faults: readonly Fault[], onFault: (name: string) => void) {
    this.#faults = new FaultBox(faults)
    this.#onFault = onFault
  }

  /** `path` is the request's path below the agent. */
  async pass(req: IncomingMessage, res: ServerResponse, path: string, serve: Serve): Promise<void> {
    if (this.#faults.isEmpty) return serve(req)
    const body = await readBody(req, MAX_BODY_BYTES)
    const operation = operationAsked(req.method ?? '', path, () => parsePayload(body.toString('utf8')))
    const fault = this.#faults.onArrival(operation)
    if (fault !== undefined) {
      this.#onFault(fault.action.name)
      let bare: Wire | undefined
      intercept(res, (wire) => {
        bare = wire
        return new FaultLayer(wire, () => fault)
      })
      if (bare !== undefined && strikeWhole(bare, fault, true)) return
    }
    await serve(withBody(req, body))
  }
}

/** The same request, its body ready to be read again. */
function withBody(req: IncomingMessage, body: Buffer): IncomingMessage {
  const copy = new IncomingMessage(req.socket)
  const { method, url, rawHeaders, httpVersion } = req
  const { 'content-encoding': _undone, 'content-length': _was, ...headers } = req.headers
  Object.assign(copy, { method, url, rawHeaders, httpVersion, complete: true })
  copy.headers = { ...headers, 'content-length': String(body.byteLength) }
  if (body.byteLength > 0) copy.push(body)
  copy.push(null)
  return copy
}
