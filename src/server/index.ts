// `a2a-parley/server`: what users of the library import.

export type { MaybePromise } from '../base/maybe-promise.ts'
export type { Call, EventFeed, LoggedEvent, Service, UnaryOperation } from '../bindings/service.ts'
export type { DialectId, SpecRevision } from '../dialects/dialect.ts'
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
export { A2AError, type A2AErrorKind, type A2AErrorOptions } from '../model/errors.ts'
export type {
  ArtifactUpdateEvent,
  HistoryEvent,
  MetadataEvent,
  StatusUpdateEvent,
  StreamEvent,
  TaskArtifactUpdate,
  TaskEvent,
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
export type { Scope } from '../model/scope.ts'
export type {
  Artifact,
  DataPart,
  Message,
  Part,
  PartCommon,
  RawPart,
  Role,
  Task,
  TaskState,
  TaskStatus,
  TextPart,
  UrlPart,
} from '../model/task.ts'
export { textOf } from '../model/task.ts'
export type { GuardOptions, Resolver } from '../net/guard/guarded-url.ts'
export type { Limits } from '../net/limits.ts'
export type { BodyLimits } from '../net/serve/incoming-body.ts'
export type {
  EventBody,
  Feed,
  Handler,
  HeaderList,
  MessageBody,
  NoReply,
  Piece,
  Reply,
  WholeBody,
} from '../net/serve/reply.ts'
export type { Peer, PeerCertificate, RequestBody, RequestHeaders, ServerRequest } from '../net/serve/request.ts'
export type { ServerTls } from '../net/serve/tls-server.ts'
export type { TraceContext } from '../telemetry/trace-context.ts'
export type { ExtendedCard } from './agent-service.ts'
export type {
  ApiKeyConfig,
  AuthConfig,
  BearerConfig,
  JwtConfig,
  KeyLocation,
  MtlsConfig,
  OidcConfig,
  TokenRules,
} from './auth/auth-config.ts'
export type { AuthRequest } from './auth/credentials.ts'
export type { BackendOptions, StoreSync } from './backend/backend.ts'
export { openStore } from './backend/open.ts'
export type { Unsubscribe, WakeBus } from './bus/wake-bus.ts'
export type { CardSigning } from './card-signing.ts'
export type {
  Agent,
  AgentContext,
  AgentYield,
  ArtifactChunk,
  ArtifactInput,
  Content,
  UpdateDetails,
} from './engine/agent.ts'
export type { Clock } from './engine/clock.ts'
export type { GrpcServing } from './grpc-listeners.ts'
export { jsonLog, type Log, type LogLevel } from './log.ts'
export type { Caller, CardInput, ExtendedCardOptions, MountOptions, ServiceMountOptions } from './mount-options.ts'
export type { DeadLetter, PushAdmin, PushOptions } from './push/push.ts'
export type { SenderDeps } from './push/push-sender.ts'
export { type A2AServer, createServer, type ServerOptions } from './server.ts'
export type {
  Lease,
  Progress,
  PushKey,
  PushRow,
  PushState,
  PushStore,
  PutAnswer,
  PutLimits,
  PutOptions,
  ReadyRow,
  Registration,
  TaskKey,
} from './store/push-store.ts'
export type {
  AppendResult,
  Expiry,
  Forgotten,
  HoldOptions,
  ListQuery,
  Page,
  Seq,
  StoredEvent,
  TaskRecord,
  TaskStore,
} from './store/task-store.ts'
export type { StartOptions } from './store/wait-for-start.ts'
