// gRPC as it is served. Only what servers without it need as well: what answers a call, and the .proto files with it, is
// loaded by whoever listens for gRPC, before the first call can come.

import type { Dialect } from '../../dialects/dialect.ts'
import type { Operation } from '../../model/operation.ts'
import type { RecordedHalf } from '../recorded-call.ts'
import type { ServedBinding } from '../served-binding.ts'

type Loaded = typeof import('./answer-call.ts') & typeof import('./read-call.ts')

let half: Loaded | undefined

export async function loadGrpc(): Promise<void> {
  half ??= { ...(await import('./answer-call.ts')), ...(await import('./read-call.ts')) }
}

function loaded(): Loaded {
  if (half === undefined) throw new Error('A gRPC call came in on a listener without gRPC.')
  return half
}

/** The path names service and method, and so the generation. */
const recorded: RecordedHalf = {
  load: loadGrpc,
  asked({ path, body }, _select, dialects) {
    for (const dialect of dialects) {
      const op = operationsOf(dialect).get(path)
      const codec = dialect.codecs.grpc
      if (op !== undefined && codec !== undefined) return { op, dialect, codec, wire: body }
    }
    return undefined
  },
  unwrap: (payload) => ({ ok: true, payload }),
  errorAtEnd: (trailers) => loaded().errorAtEnd(trailers),
}

export const grpcServing = {
  id: 'grpc',
  cardName: 'GRPC',
  hasOwnPort: true,
  accepts: ({ takesTrailers }) => takesTrailers === true,
  serve: (request, mount, caller) => loaded().serveGrpc(request, mount, caller),
  refuse: (request, mount, dialect, error) => loaded().refuseGrpc(request, mount, dialect, error),
  operationOf: (dialect, { path }) => operationsOf(dialect).get(path),
  recorded,
  inJson: {
    request(path, body, headers) {
      const encoding = headers['grpc-encoding']
      return loaded().requestJson(path, body, typeof encoding === 'string' ? encoding : undefined)
    },
    answer: (path, body) => loaded().answerJson(path, body),
  },
} satisfies ServedBinding

const operations = new Map<Dialect, ReadonlyMap<string, Operation>>()

/** By path. */
export function operationsOf(dialect: Dialect): ReadonlyMap<string, Operation> {
  let found = operations.get(dialect)
  if (found === undefined) {
    const { service = '', rpcs = {} } = dialect.grpc ?? {}
    found = new Map(Object.entries(rpcs).map(([op, name]) => [`/${service}/${name}`, op as Operation]))
    operations.set(dialect, found)
  }
  return found
}
