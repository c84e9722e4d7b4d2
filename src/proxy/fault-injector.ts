// Faults towards callers: the catalogue of the mock, applied to what the proxy answers. Faults of a rule need a script
// and never fire here.

import type { MaybePromise } from '../base/maybe-promise.ts'
import { FaultBox } from '../mock/faults/fault-box.ts'
import type { Fault } from '../mock/faults/fault-shape.ts'
import { faultyAnswer, faultyStart } from '../mock/wire/faulty-answer.ts'
import { parsePayload } from '../mock/wire/payload.ts'
import { operationOrCard } from '../mock/wire/request-record.ts'
import { DEFAULT_LIMITS, MAX_BODY_BYTES } from '../net/limits.ts'
import { readBody } from '../net/serve/read-body.ts'
import type { Handler, NoReply, Reply } from '../net/serve/reply.ts'
import { derivedRequest, knownBody, type ServerRequest } from '../net/serve/request.ts'

export class FaultInjector {
  readonly #faults: FaultBox
  readonly #onFault: (name: string) => void

  /** `onFault` is told what is about to happen to a caller. */
  constructor(faults: readonly Fault[], onFault: (name: string) => void) {
    this.#faults = new FaultBox(faults)
    this.#onFault = onFault
  }

  /** `path` is the request's path below the agent, `answer` what the proxy would say. */
  answer(request: ServerRequest, path: string, answer: Handler): MaybePromise<Reply | NoReply> {
    return this.#faults.isEmpty ? answer(request) : this.#inject(request, path, answer)
  }

  async #inject(request: ServerRequest, path: string, answer: Handler): Promise<Reply | NoReply> {
    const body = knownBody(await bytesOf(request))
    const text = await textOf(derivedRequest(request, { body }))
    const { method } = request
    const fault = this.#faults.onArrival(operationOrCard({ method, path, json: () => parsePayload(text) }))
    if (fault === undefined) return answer(derivedRequest(request, { body }))
    this.#onFault(fault.action.name)
    const replacement = await faultyStart(request, fault)
    return replacement ?? faultyAnswer(request, await answer(derivedRequest(request, { body })), fault, path)
  }
}

/** What cannot be read is for whoever answers to refuse. */
async function bytesOf({ body }: ServerRequest): Promise<Buffer | Error> {
  try {
    return await body.read({ ...DEFAULT_LIMITS, bodyBytes: MAX_BODY_BYTES })
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

async function textOf(request: ServerRequest): Promise<string> {
  try {
    return (await readBody(request, MAX_BODY_BYTES)).toString('utf8')
  } catch {
    return ''
  }
}
