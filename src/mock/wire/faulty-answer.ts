// What a fault makes of an answer, in whichever binding: those with trailers have faults of their own, and nothing of them
// is loaded before one is needed.

import type { NoReply, Reply } from '../../net/serve/reply.ts'
import type { ServerRequest } from '../../net/serve/request.ts'
import type { Fault } from '../faults/fault-shape.ts'
import { applyResponseFault, replacementFor } from './response-fault.ts'

/** What is answered without asking anybody; undefined when the fault needs something to spoil. */
export async function faultyStart(
  { takesTrailers }: ServerRequest,
  fault: Fault,
): Promise<Reply | NoReply | undefined> {
  const replacement = replacementFor(fault, true)
  if (replacement !== undefined || takesTrailers !== true) return replacement
  const { grpcReplacement } = await import('./grpc-fault.ts')
  return grpcReplacement(fault)
}

/** `path` is that of the request below the agent. */
export async function faultyAnswer(
  { takesTrailers }: ServerRequest,
  reply: Reply | NoReply,
  fault: Fault,
  path: string,
): Promise<Reply | NoReply> {
  if (takesTrailers !== true) return applyResponseFault(reply, fault)
  const { applyGrpcFault } = await import('./grpc-fault.ts')
  return applyGrpcFault(reply, fault, path)
}
