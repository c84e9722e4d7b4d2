// What a mutant over gRPC is, and the places at which one goes wrong.

import type { JsonObject } from '../../src/model/json.ts'
import type { BaseName } from './bases.ts'
import { editJson, editStatus, type GrpcMutation, type GrpcReply } from './grpc-proxy.ts'

export interface GrpcMutant {
  name: string
  story: string
  mutation: GrpcMutation
  /** Checks that must fail it. */
  noticedBy: readonly string[]
  /** What it is made of. */
  base: BaseName
  /** Run beside them, because the check only looks at what others provoke. */
  beside?: readonly string[]
}

export function grpcMutant(
  name: string,
  story: string,
  noticedBy: readonly string[],
  mutation: GrpcMutation,
  base: BaseName = 'push',
): GrpcMutant {
  return { name, story, noticedBy, mutation, base, beside: ['send-result', 'send-task-ids'] }
}

export const reply = (edit: (reply: GrpcReply) => void): GrpcMutation => ({ reply: edit })
export const onError = (edit: (reply: GrpcReply, trailers: Record<string, string>) => void): GrpcMutation =>
  reply((each) => {
    if (each.trailers !== undefined && each.trailers['grpc-status'] !== '0') edit(each, each.trailers)
  })
export const infoOf = (edit: (info: JsonObject) => void): GrpcMutation =>
  onError((each) => editStatus(each, ({ details }) => edit((details as JsonObject[])[0] ?? {})))
export const onStream = (edit: (reply: GrpcReply) => void): GrpcMutation =>
  reply((each) => {
    if (each.rpc === 'SendStreamingMessage' && each.messages.length > 0) edit(each)
  })
export const onTask = (edit: (task: JsonObject) => void): GrpcMutation =>
  reply((each) => {
    if (each.rpc === 'SendMessage')
      editJson(each, (sent) => {
        edit((sent.task ?? {}) as JsonObject)
        return sent
      })
  })
export const status = (code: string, from: string): GrpcMutation =>
  onError((_, trailers) => {
    if (trailers['grpc-status'] === from) trailers['grpc-status'] = code
  })
export const unimplemented = (rpc: string): GrpcMutant =>
  grpcMutant(
    `no-${rpc}`,
    `${rpc} is not registered.`,
    ['grpc-methods'],
    reply((each) => {
      if (each.rpc !== rpc) return
      each.messages = []
      each.trailers = { 'grpc-status': '12', 'grpc-message': 'unknown method' }
    }),
  )
export const withoutInfo: (trailers: Record<string, string>) => void = (trailers) => {
  delete trailers['grpc-status-details-bin']
}
