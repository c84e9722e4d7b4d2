// A request as a command that sends the same thing: curl for HTTP, grpcurl for gRPC.

import { type CurlOptions, toCurl } from './curl.ts'
import { isGrpcRequest, type RecordedRequest } from './exchange.ts'
import { toGrpcurl } from './grpcurl.ts'

export function reproduce(request: RecordedRequest, options: CurlOptions = {}): string {
  return isGrpcRequest(request) ? toGrpcurl(request, options) : toCurl(request, options)
}
