// A call of gRPC as evidence: the bytes that passed, and the messages that are in them.

import { answerJson, requestJson } from '../bindings/grpc/read-call.ts'
import { type GrpcExchange, type HttpExchange, headerOf } from '../trace/exchange.ts'

type Pairs = readonly (readonly [string, string])[]

/** Whether a request is a call of gRPC, by what it says of its body. */
export function isGrpcType(contentType: string | undefined): boolean {
  return contentType?.startsWith('application/grpc') === true
}

/** The message that was sent, as text; '' when the bytes are none of this path. */
export function grpcRequestText(path: string, body: Buffer, encoding: string | undefined): string {
  const json = requestJson(path, body, encoding)
  return json === undefined ? '' : JSON.stringify(json)
}

/** What passed as HTTP, told as a call; the end of a call without a body stands in its headers. */
export function grpcExchange({ protocol: _http, ...http }: HttpExchange, trailers: Pairs): GrpcExchange {
  const { request, response, ...rest } = http
  const { pathname } = new URL(request.url)
  const body = Buffer.from(request.body)
  const message = grpcRequestText(pathname, body, headerOf(request.headers, 'grpc-encoding'))
  const call: GrpcExchange = {
    ...rest,
    protocol: 'grpc',
    request: {
      ...request,
      headers: request.headers.filter(([name]) => !name.startsWith(':')),
      rpc: pathname.slice(1),
      message: message === '' ? undefined : message,
    },
  }
  if (response === undefined) return call
  const encoding = headerOf(response.headers, 'grpc-encoding')
  const frames = answerJson(pathname, Buffer.from(response.body), encoding).map(({ json }) => ({
    ...{ atMs: 0, event: undefined, id: undefined },
    data: JSON.stringify(json),
  }))
  call.response = { ...response, frames, trailers: trailers.length === 0 ? endIn(response.headers) : trailers }
  return call
}

function endIn(headers: Pairs): Pairs {
  return headers.filter(([name]) => name.startsWith('grpc-status') || name === 'grpc-message')
}
