// A free loopback port for a server of @grpc/grpc-js.

import { type Server, ServerCredentials } from '@grpc/grpc-js'

export function bindGrpc(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  )
}
