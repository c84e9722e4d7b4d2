// `a2a-parley/proxy`: a proxy inside a program. Everything exported here is public API.

export type {
  ArtifactInput,
  ArtifactKey,
  ArtifactMetadata,
  ArtifactOwner,
  ArtifactStore,
  StoredArtifact,
  VersionChoice,
} from '../artifacts/artifact-store.ts'
export type { BindingId, DialectId, Loss } from '../dialects/dialect.ts'
export type { JsonObject, JsonValue } from '../model/json.ts'
export type { Operation } from '../model/operation.ts'
export type { Limits } from '../net/limits.ts'
export type { ServerTls } from '../net/serve/tls-server.ts'
export type {
  ApiKeyConfig,
  AuthConfig,
  BearerConfig,
  JwtConfig,
  KeyLocation,
  MtlsConfig,
  OidcConfig,
  TokenRules,
} from '../server/auth/auth-config.ts'
export type { StoreSync } from '../server/backend/backend.ts'
export type { Log, LogLevel } from '../server/log.ts'
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
export type { IfRecorded } from '../trace/record.ts'
export type { DownstreamOptions } from './downstream.ts'
export type { DownstreamAuth, OAuth2Client } from './downstream-credentials.ts'
export type { AgentOptions } from './proxied-agent.ts'
export { type A2AProxy, type AgentReadiness, createProxy, type ProxyOptions } from './proxy.ts'
export type { CardOverrides } from './proxy-card.ts'
export { loadProxyConfig, type ProxyConfig } from './proxy-config.ts'
export type { TranslationLoss } from './proxy-deps.ts'
export { type StartedProxy, type StartOptions, startProxy } from './start-proxy.ts'
