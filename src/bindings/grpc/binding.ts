// gRPC over HTTP/2 (1.0 §10). Nothing of HTTP/2 or of the .proto files is loaded before it is used.

import type { Binding } from '../binding.ts'
import { grpcOrigin, parseGrpcAddress, settleSecurity } from './address.ts'
import { GrpcClient } from './client.ts'
import { grpcProbe } from './probe.ts'

export const grpcBinding = {
  id: 'grpc',
  cardName: 'GRPC',
  alsoNamed: [],
  title: 'gRPC',
  registerName: 'grpc',
  unusableUrl: (url) =>
    parseGrpcAddress(url) === undefined ? 'its url is neither host:port nor the URL of a gRPC service' : undefined,
  describeEndpoint(url, tls) {
    const address = parseGrpcAddress(url, tls?.plaintext)
    return address === undefined ? url : grpcOrigin(address)
  },
  async settle(url, tls) {
    const address = parseGrpcAddress(url, tls?.plaintext)
    return address === undefined ? url : grpcOrigin(await settleSecurity(address))
  },
  client: (options) => new GrpcClient(options),
  probe: grpcProbe,
} satisfies Binding
