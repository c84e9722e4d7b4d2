// The judge's hold on gRPC calls: whole answers as exchanges, streams as frames. The trailers that end a stream with an
// error are its last frame, so that whoever reads the stream meets the error where it came.

import { GrpcCall } from '../../bindings/grpc/call.ts'
import { errorJson } from '../../bindings/grpc/probe.ts'
import { GRPC } from '../../bindings/grpc/status.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { NetError, type NetErrorCode } from '../../net/net-error.ts'
import type { Exchange, RecordedFrame } from '../../trace/exchange.ts'
import type { OutgoingRequest } from './outgoing.ts'
import type { FrameSource } from './raw-stream.ts'

interface Timing {
  timeoutMs: number
  signal: AbortSignal
}

function callOf(http: HttpClient, request: OutgoingRequest, { timeoutMs, signal }: Timing): Promise<GrpcCall> {
  const { url, headers, body = new Uint8Array(), grpcMessage: message, withoutCertificate, isRead } = request
  return GrpcCall.open(http, {
    ...{ url: new URL(url), headers, body, message, timeoutMs, signal, withoutCertificate },
    isStream: request.isStream === true,
    freshConnection: isRead !== true,
  })
}

export async function sendGrpc(
  http: HttpClient,
  request: OutgoingRequest,
  timing: Timing,
): Promise<{ exchange: Exchange; fault?: NetErrorCode }> {
  const call = await callOf(http, request, timing)
  try {
    while ((await call.next()) !== undefined);
    return { exchange: call.exchange }
  } catch (error) {
    if (!(error instanceof NetError)) throw error
    return { exchange: call.exchange, fault: error.code }
  }
}

/** A call that ends with an error before its first message opened no stream. */
export async function openGrpc(
  http: HttpClient,
  request: OutgoingRequest,
  timing: Timing,
  onFault: (exchange: Exchange, fault: NetErrorCode) => void,
): Promise<FrameSource | { exchange: Exchange }> {
  const call = await callOf(http, request, timing)
  const { exchange } = call
  const take = async (): Promise<RecordedFrame | undefined> => {
    try {
      return (await call.next())?.frame
    } catch (error) {
      if (!(error instanceof NetError)) throw error
      onFault(exchange, error.code)
      return undefined
    }
  }
  let first = await take()
  if (first === undefined && (call.outcome === undefined || call.outcome.code !== GRPC.ok)) return { exchange }
  let hasToldEnd = false
  const next = async (): Promise<IteratorResult<RecordedFrame, void>> => {
    const frame = first ?? (await take())
    first = undefined
    if (frame !== undefined) return { done: false, value: frame }
    const { outcome } = call
    if (hasToldEnd || outcome === undefined || outcome.code === GRPC.ok) return { done: true, value: undefined }
    hasToldEnd = true
    const atMs = exchange.durationMs ?? 0
    return { done: false, value: { atMs, event: 'trailers', id: undefined, data: JSON.stringify(errorJson(outcome)) } }
  }
  return { exchange, next, close: () => call.close() }
}
