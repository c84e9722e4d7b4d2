// The client half of the JSON-RPC binding (1.0 §9): one POST per call, streams as SSE of JSON-RPC responses. An
// answer counts only when it carries the id of the request.

import type { A2AError } from '../../model/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation, OperationRequest, StreamingOperation } from '../../model/operation.ts'
import type { HttpResponse } from '../../net/http-response.ts'
import type { RecordedFrame } from '../../trace/exchange.ts'
import {
  type CallOptions,
  httpError,
  InvalidPeerResponse,
  isEventStream,
  jsonIn,
  notA2A,
  type UnaryOperation,
  unsupportedHere,
} from '../endpoint-client.ts'
import { type HttpCall, HttpEndpointClient } from '../http-endpoint-client.ts'

interface JsonRpcCall extends HttpCall {
  id: number
  /** How an answer with a result begins. */
  head: string
}

export class JsonRpcClient extends HttpEndpointClient<JsonRpcCall> {
  readonly binding = 'jsonrpc'
  #lastId = 0

  protected plan(
    op: UnaryOperation | StreamingOperation,
    request: OperationRequest<Operation>,
    options: CallOptions,
  ): JsonRpcCall {
    const method = this.dialect.methods[op]
    if (method === undefined) throw unsupportedHere(op, this.dialect, this.binding)
    const params = this.codec(op).encodeRequest(op, request).wire
    const id = ++this.#lastId
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    const sent = { method: 'POST', url: this.url, body, accept: 'application/json', contentType: 'application/json' }
    return { op, id, head: `{"jsonrpc":"2.0","id":${id},"result":`, http: this.http(op, sent, options) }
  }

  /** The result of a JSON-RPC response; throws its error, or says why it is none. */
  protected resultIn(response: HttpResponse, text: string, { id }: JsonRpcCall): JsonValue | undefined {
    const body = jsonIn(text)
    // An error of a gateway in front of the agent is JSON now and then, but no JSON-RPC.
    const isForeign = response.status >= 400 && isJsonObject(body) && !('jsonrpc' in body) && !('id' in body)
    if (!isJsonObject(body) || isForeign || !('result' in body || isJsonObject(body.error))) {
      if (response.status >= 400) throw httpError(response, this.url, this.options)
      throw notA2A(response, this.url, text, 'a JSON-RPC response')
    }
    // A server that could not read the id of a request has to answer with null (JSON-RPC 2.0 §5).
    const isAnonymousError = body.id === null && isJsonObject(body.error)
    if (body.id !== id && !isAnonymousError) {
      throw new InvalidPeerResponse(
        `${this.url} answered request ${id} with the id ${JSON.stringify(body.id) ?? 'missing'}.`,
        response.exchange,
        [],
        `${this.url} answered request ${id} with another id.`,
      )
    }
    if (isJsonObject(body.error)) throw this.#rpcError(body.error, response.status)
    return body.result
  }

  protected eventIn(response: HttpResponse, frame: RecordedFrame, call: JsonRpcCall): JsonValue {
    return this.resultIn(response, frame.data, call) ?? null
  }

  /** Between the head and the end of an envelope as most write it; what lies between has to prove to be one value. */
  protected eventTextIn(_response: HttpResponse, { data }: RecordedFrame, { head }: JsonRpcCall): string | undefined {
    return data.startsWith(head) && data.endsWith('}') ? data.slice(head.length, -1) : undefined
  }

  protected isStream(response: HttpResponse): boolean {
    return isEventStream(response)
  }

  /** Errors before the first event come as plain JSON; a bare result does not belong here (1.0 §9.4.2). */
  protected refusalIn(response: HttpResponse, text: string, call: JsonRpcCall): Error {
    this.resultIn(response, text, call)
    return new InvalidPeerResponse(`${this.url} answered ${call.op} with one result, not a stream.`, response.exchange)
  }

  #rpcError(error: JsonObject, status: number): A2AError {
    return this.dialect.errors(this.options.revision).decode({
      ...(typeof error.code === 'number' ? { code: error.code } : {}),
      ...(status >= 400 ? { status } : {}),
      message: typeof error.message === 'string' ? error.message : 'The agent gave no message.',
      ...(error.data === undefined ? {} : { data: error.data }),
    })
  }
}
