// What a protocol generation has to answer. Each generation is one folder that implements this; nothing outside
// dialects/ asks which version it is talking.

import type { AgentCard } from '../model/card.ts'
import type { A2AError, A2AErrorKind } from '../model/errors.ts'
import type { ArtifactUpdateEvent, StatusUpdateEvent, StreamEvent } from '../model/event.ts'
import type { Issue } from '../model/issue.ts'
import type { JsonObject, JsonValue } from '../model/json.ts'
import type {
  Operation,
  OperationRequest,
  OperationResult,
  PushConfig,
  StreamingOperation,
} from '../model/operation.ts'
import type { Task, TaskState, TaskStatus } from '../model/task.ts'
import type { CardForm } from './card-forms.ts'
import type { DeclaredError } from './errors/error-table.ts'
import type { Expectations } from './expectations.ts'
import type { DIALECTS } from './index.ts'
import type { MessageSchemas } from './message-schemas.ts'

/** One for each row of `DIALECTS`. */
export type DialectId = (typeof DIALECTS)[number]['id']
/** In the order in which our own cards name them. */
export const BINDING_IDS = ['jsonrpc', 'rest', 'grpc'] as const
/** The bindings: how operations travel. */
export type BindingId = (typeof BINDING_IDS)[number]
/** Patch releases of 1.0 that differ on the wire: error numbers and media types (1.0 §5.4, §11.1). */
export const SPEC_REVISIONS = ['1.0.1', '1.0.0'] as const
/** The patch releases of 1.0. */
export type SpecRevision = (typeof SPEC_REVISIONS)[number]
/** By which we serve and judge unless told otherwise. */
export const NEWEST_REVISION: SpecRevision = SPEC_REVISIONS[0]

export type Decoded<T> =
  | { ok: true; value: T }
  | { ok: false; reason: 'not-in-dialect' }
  | { ok: false; reason: 'invalid'; issues: readonly Issue[] }

/** Something the model says and this generation cannot. */
export interface Loss {
  /** JSON pointer to what could not be said. */
  pointer: string
  /** What was lost, in one sentence. */
  message: string
}

export interface Encoded {
  wire: JsonValue
  lost: readonly Loss[]
}

export const NOTHING_LOST: readonly Loss[] = Object.freeze([])

export interface Codec {
  /**
   * `wire` is JSON-RPC params, the REST request folded into one object (path, query and body members), or the ProtoJSON of a
   * gRPC message.
   */
  decodeRequest<O extends Operation>(op: O, wire: JsonValue | undefined): Decoded<OperationRequest<O>>
  encodeRequest<O extends Operation>(op: O, value: OperationRequest<O>): Encoded
  decodeResult<O extends Operation>(op: O, wire: JsonValue | undefined): Decoded<OperationResult<O>>
  encodeResult<O extends Operation>(op: O, value: OperationResult<O>): Encoded
  decodeEvent(wire: JsonValue): Decoded<StreamEvent>
  /** What `decodeEvent` makes of the JSON in a text, for events that can be read without parsing it; else undefined. */
  readEvent?(text: string): StreamEvent | undefined
  encodeEvent(value: StreamEvent): Encoded
  /** True when the model's own JSON is this generation's event JSON, so that stored text goes out unchanged. */
  readonly eventsAreModelJson: boolean
}

/** The observation by which a card was recognised. */
export interface CardClaim {
  /** As a sentence fragment: 'it lists supportedInterfaces'. */
  because: string
  /** False when the card would look the same in another generation. */
  isCertain: boolean
}

export interface CardCodec {
  /** Well-known paths in the order a client should try them. */
  readonly wellKnownPaths: readonly string[]
  /** Where its cards name their interfaces. */
  readonly form: CardForm
  /** Why a raw card is one of this generation, if it is. */
  claim(card: JsonObject): CardClaim | undefined
  /** What every card has. */
  readonly requiredMembers: readonly string[]
  decode(wire: JsonValue): Decoded<AgentCard>
  encode(card: AgentCard): Encoded
  /** Strict schema validation of raw card JSON; empty when valid. */
  issues(wire: JsonValue): readonly Issue[]
  /** The text a signature covers; absent where the generation does not define it. */
  signedText?(wire: JsonObject): string
}

/** An error as it lies on the wire, before and after translation. */
export interface WireError {
  /** JSON-RPC code. */
  code?: number
  /** HTTP status. */
  status?: number
  /** google.rpc.Code of a gRPC call. */
  grpcCode?: number
  message: string
  /** JSON-RPC `data`, REST `details`, or the details of google.rpc.Status as ProtoJSON. */
  data?: JsonValue
}

export interface ErrorCodec {
  /** What the generation has beyond the kinds of the model, by name. */
  readonly declared: Readonly<Record<string, DeclaredError>>
  /** The `error` member of a JSON-RPC response. */
  encodeJsonRpc(error: A2AError): JsonObject
  /** HTTP status and whole body of a REST error. */
  encodeRest(error: A2AError): { status: number; body: JsonObject }
  /** google.rpc.Status: its details are ProtoJSON of Any, each with its '@type'. */
  encodeGrpc(error: A2AError): { code: number; message: string; details: readonly JsonObject[] }
  /** The HTTP status JSON-RPC uses for errors the transport itself expresses (401, 503 …); 200 otherwise. */
  jsonRpcHttpStatus(kind: A2AErrorKind): number
  /** Classified by ErrorInfo.reason first, code second, HTTP or gRPC status last. */
  decode(error: WireError): A2AError
}

export interface Route {
  method: 'GET' | 'POST' | 'DELETE'
  /** Template below the mount: `/tasks/{id}:cancel`. */
  path: string
  op: Operation
}

/** What a webhook was told, read from the raw body. */
export interface Delivery {
  /** task, message, status or artifact. */
  kind: string
  /** The object that names the task. */
  subject: JsonObject
  /** What is wrong with the body by the strict schema. */
  issues: readonly Issue[]
}

/** How a generation is called over gRPC. */
export interface GrpcService {
  /** With its package: `lf.a2a.v1.A2AService`. */
  readonly service: string
  readonly rpcs: Readonly<Partial<Record<Operation, string>>>
  /** One rpc hands out both cards: strangers may be given the public one where others are given the extended one. */
  readonly hasOneCardRpc?: boolean
}

/** How a generation registers webhooks and what it tells them (1.0 §4.3). */
export interface PushRules {
  /** The id of a configuration that came without one. */
  configId(taskId: string): string
  /** Whether a URL of plain http is an error with a number of its own. */
  readonly requiresHttps: boolean
  /** Pauses between attempts where the generation fixes them; after the last one the configuration is removed. */
  readonly retryPausesMs: readonly number[] | undefined
  /** Whether the configuration asks for events of this kind. */
  wants(config: PushConfig, event: StatusUpdateEvent | ArtifactUpdateEvent): boolean
  /** Whether bodies speak of the whole task, as it was right after the event. */
  readonly sendsWholeTask: boolean
  /** `task` is there when `sendsWholeTask`. */
  encodeBody(event: StatusUpdateEvent | ArtifactUpdateEvent, task: Task | undefined): JsonValue
  /** The body of a delivery, if it has the shape this generation gives it. */
  readBody(body: JsonObject): Delivery | undefined
  /** Value of the Authorization header. */
  authorization(config: PushConfig): string | undefined
}

export interface Dialect<Id extends string = DialectId> {
  readonly id: Id
  /** The versions it answers for, as Major.Minor, its own first. */
  readonly versions: readonly string[]
  /** Whether a server speaks it unless told otherwise. */
  readonly isServedByDefault: boolean
  /** Value of the A2A-Version header, or undefined where the generation has none. */
  readonly versionHeader: string | undefined
  /** How a card of this generation spells its version: '1.0', '0.3.0'. */
  readonly cardVersion: string
  /** Names of the extension headers, request and response: written all, read any. */
  readonly extensionHeaders: readonly string[]
  has(op: Operation): boolean
  /** JSON-RPC method names. */
  readonly methods: Readonly<Partial<Record<Operation, string>>>
  /** REST routes in matching order; empty when the generation has no REST binding. */
  readonly routes: readonly Route[]
  /** Undefined when the generation has no gRPC binding. */
  readonly grpc: GrpcService | undefined
  /** One per binding; undefined where the generation does not have it. */
  readonly codecs: Readonly<Record<BindingId, Codec | undefined>>
  /** Strict schemas of what lies on the wire. */
  readonly messages: MessageSchemas
  readonly card: CardCodec
  readonly push: PushRules
  /** What the judge asks of an agent that speaks it. */
  readonly expects: Expectations
  errors(revision?: SpecRevision): ErrorCodec
  /** Media type of REST bodies. */
  mediaType(revision?: SpecRevision): string
  /** SSE `event:` field of a stream frame, where the generation names its frames. */
  eventName(event: StreamEvent): string | undefined
  /** Whether a stream begins with the Task (1.0 §3.1.2) or goes straight to the updates. */
  readonly streamsBeginWithTask: boolean
  /** Whether an agent may answer with a message alone; where not, its reply ends a task. */
  readonly hasDirectReplies: boolean
  /** Where `history` may hold the statuses a task went through: puts them there. */
  readonly withStatusHistory?: (task: Task, statuses: readonly TaskStatus[]) => Task
  /** Whether a stream of this operation ends once the task is in this state. */
  endsStream(op: StreamingOperation, state: TaskState): boolean
  /** What an absent `configuration.returnImmediately` means: 1.0 waits (§3.2.2). */
  readonly waitsByDefault: boolean
  /** Whether the state machine of this generation allows the step. */
  mayFollow(from: TaskState, to: TaskState): boolean
}
