// The public surface of `a2a-parley/client`. Adding a name here makes it API.

export type { TokenSource } from '../auth/session-tokens.ts'
export {
  type ClientCredentials,
  clientCredentials,
  type TokenFunction,
  type TokenProvider,
} from '../auth/token-provider.ts'
export type { MaybePromise } from '../base/maybe-promise.ts'
export {
  type CallOptions,
  InvalidPeerResponse,
  type StreamItem,
  type UnaryOperation,
} from '../bindings/endpoint-client.ts'
export type { CardInterface } from '../dialects/card-forms.ts'
export type { BindingId, CardClaim, DialectId, SpecRevision } from '../dialects/dialect.ts'
export type { InterfacePreference } from '../discovery/choose-interface.ts'
export type { CredentialOptions } from '../discovery/credentials.ts'
export type { Attempt, Discovery } from '../discovery/discover.ts'
export type { DeclaredInterface, Reading } from '../discovery/recognise.ts'
export type {
  AgentCapabilities,
  AgentCard,
  AgentCardSignature,
  AgentExtension,
  AgentInterface,
  AgentSkill,
  OAuthFlow,
  OAuthFlowName,
  SecurityRequirement,
  SecurityScheme,
} from '../model/card.ts'
export { A2AError, type A2AErrorKind, type A2AErrorOptions, ParleyError } from '../model/errors.ts'
export type {
  ArtifactUpdateEvent,
  StatusUpdateEvent,
  StreamEvent,
  TaskArtifactUpdate,
  TaskStatusUpdate,
} from '../model/event.ts'
export type { Issue } from '../model/issue.ts'
export type { JsonObject, JsonValue } from '../model/json.ts'
export type {
  CancelTaskRequest,
  CardRequest,
  GetTaskRequest,
  ListPushConfigsRequest,
  ListPushConfigsResult,
  ListTasksRequest,
  ListTasksResult,
  Operation,
  OperationRequest,
  OperationResult,
  OperationShape,
  OperationTypes,
  PushAuthentication,
  PushConfig,
  PushConfigKey,
  SendConfiguration,
  SendMessageRequest,
  SendMessageResult,
  StreamingOperation,
  SubscribeTaskRequest,
} from '../model/operation.ts'
export { isInterrupted, isTerminal } from '../model/state-machine.ts'
export {
  type Artifact,
  type DataPart,
  type Message,
  type Part,
  type PartCommon,
  type RawPart,
  type Role,
  type Task,
  type TaskState,
  type TaskStatus,
  type TextPart,
  textOf,
  type UrlPart,
} from '../model/task.ts'
export type { Reach } from '../net/guard/reach.ts'
export type { FetchFunction, HeaderPairs, TlsOptions } from '../net/http-request.ts'
export { NetError, type NetErrorCode } from '../net/net-error.ts'
export type { TraceContext } from '../telemetry/trace-context.ts'
export type {
  Exchange,
  Exchanged,
  GrpcExchange,
  HttpExchange,
  RecordedFrame,
  RecordedGrpcRequest,
  RecordedGrpcResponse,
  RecordedRequest,
  RecordedResponse,
} from '../trace/exchange.ts'
export { A2AClient, type ClientOptions, type StreamOptions } from './a2a-client.ts'
export type { ReachPreference } from './agent-reach.ts'
export type {
  CallInterceptor,
  CallInterceptors,
  ClientOperation,
  EventStream,
  Interceptor,
  OutgoingCall,
  StreamInterceptor,
  StreamInterceptors,
} from './interceptors.ts'
export type { ResumeOptions } from './resume.ts'
export type { WaitOptions } from './wait-for-task.ts'
