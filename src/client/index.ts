// The public surface of `a2a-parley/client`. Adding a name here makes it API.

export type { TokenSource } from '../auth/session-tokens.ts'
export {
  type ClientCredentials,
  clientCredentials,
  type TokenFunction,
  type TokenProvider,
} from '../auth/token-provider.ts'
export { type CallOptions, InvalidPeerResponse, type StreamItem } from '../bindings/endpoint-client.ts'
export type { BindingId, DialectId } from '../dialects/dialect.ts'
export type { Attempt, Discovery } from '../discovery/discover.ts'
export type { AgentCard } from '../model/card.ts'
export { A2AError, type A2AErrorKind, ParleyError } from '../model/errors.ts'
export type { StreamEvent } from '../model/event.ts'
export type {
  CancelTaskRequest,
  GetTaskRequest,
  ListPushConfigsRequest,
  ListPushConfigsResult,
  ListTasksRequest,
  ListTasksResult,
  PushConfig,
  PushConfigKey,
  SendMessageRequest,
  SendMessageResult,
  SubscribeTaskRequest,
} from '../model/operation.ts'
export { isInterrupted, isTerminal } from '../model/state-machine.ts'
export { type Artifact, type Message, type Part, type Task, type TaskState, textOf } from '../model/task.ts'
export type { FetchFunction, TlsOptions } from '../net/http-request.ts'
export { NetError } from '../net/net-error.ts'
export type { Exchange } from '../trace/exchange.ts'
export { A2AClient, type ClientOptions, type StreamOptions } from './a2a-client.ts'
export type {
  CallInterceptor,
  ClientOperation,
  EventStream,
  Interceptor,
  OutgoingCall,
  StreamInterceptor,
} from './interceptors.ts'
export type { WaitOptions } from './wait-for-task.ts'
