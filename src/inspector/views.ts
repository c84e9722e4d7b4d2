// What the page of the inspector sees: the state it is sent when it opens, and the changes after that. Nothing here holds a
// credential; whatever was exchanged is redacted before it becomes one of these.

import type { BindingId, DialectId } from '../dialects/dialect.ts'
import type { Attempt } from '../discovery/discover.ts'
import type { Intent } from '../grade/intent.ts'
import type { StreamEvent } from '../model/event.ts'
import type { Issue } from '../model/issue.ts'
import type { JsonObject } from '../model/json.ts'
import type { Message, Part } from '../model/task.ts'
import type { Transcript } from '../trace/transcript.ts'

/** An error as a person reads it. */
export interface ErrorView {
  code: string
  message: string
  hint?: string
  /** The origin the user may trust, where that is all that is missing. */
  origin?: string
}

export interface CardFinding {
  severity: 'error' | 'warning' | 'note'
  pointer: string
  message: string
}

export interface InterfaceView {
  url: string
  binding: string
  /** Undefined for bindings Parley does not speak. */
  bindingId?: BindingId
  declared?: string
  /** What it was seen to speak; undefined when it was not asked. */
  speaks?: readonly DialectId[]
  unreachable?: string
  tenant?: string
}

export interface SignatureView {
  verified: boolean
  /** In one sentence: by which key, or why not. */
  text: string
}

/** What the card asks of whoever calls, in the order to offer it. */
export interface SchemeView {
  name: string
  kind: 'bearer' | 'apiKey' | 'basic' | 'oauth2' | 'openId' | 'certificate' | 'http'
  detail: string
  flows?: readonly string[]
  isRequired: boolean
}

export interface CardView {
  source: string
  raw: JsonObject
  name: string
  description: string
  version: string
  readings: readonly string[]
  interfaces: readonly InterfaceView[]
  findings: readonly CardFinding[]
  schemes: readonly SchemeView[]
  signatures: readonly SignatureView[]
  extended?: JsonObject
}

export interface LoginView {
  kind: 'open' | 'device'
  /** Where to go. */
  url: string
  /** What to type there. */
  code?: string
}

export interface AgentView {
  id: string
  target: string
  name: string
  status: 'connecting' | 'login' | 'open' | 'failed'
  attempts: readonly Attempt[]
  error?: ErrorView
  login?: LoginView
  /** "bearer from $INVOICE_TOKEN"; never the value. */
  auth: string
  endpoint?: { url: string; binding: BindingId; version: DialectId }
  /** What may be chosen for one message. */
  ways: readonly { binding: BindingId; version: DialectId; isDeclared: boolean }[]
  streams: boolean
  card?: CardView
}

export interface WireRow {
  id: string
  agent: string
  at: string
  protocol: 'http' | 'grpc'
  /** GET, POST, gRPC, stream. */
  kind: string
  /** The operation, or the path. */
  label: string
  status?: string
  isBad: boolean
  isOpen: boolean
  frames: number
  durationMs?: number
}

/** One exchange whole, for whoever opens it. */
export interface WireDetail {
  row: WireRow
  transcript: Transcript
  commands: { name: string; text: string }[]
  /** What can be changed before it is sent again. */
  editable: { method: string; url: string; headers: [string, string][]; body: string; isGrpc: boolean }
}

export interface TurnOptions {
  stream: boolean
  binding?: BindingId
  version?: DialectId
  returnImmediately?: boolean
  historyLength?: number
  extensions?: string[]
  acceptedOutputModes?: string[]
  metadata?: JsonObject
}

/** One message of the user and what came of it. */
export interface TurnView {
  id: string
  agent: string
  at: string
  /** Undefined for a subscription to a task. */
  sent?: Message
  subscribed?: string
  options: TurnOptions
  /** `1.0 jsonrpc`, once it is known. */
  spoken?: string
  events: StreamEvent[]
  /** How many came; more than are kept, where an agent says very much. */
  count: number
  isOpen: boolean
  error?: ErrorView
}

export interface DeliveryView {
  number: number
  at: string
  agent: string
  generation?: string
  kind?: string
  taskId?: string
  state?: string
  token: string
  answered: number
  issues: readonly Issue[]
  body: string
}

export interface RunView {
  id: string
  agent: string
  title: string
  isRunning: boolean
  total?: number
  done: number
  failed: number
  /** Scenarios wait for a client, `total` of them, until the run is stopped. */
  isClient?: boolean
  error?: ErrorView
}

/** An agent of ours with one habit, which waits for a client. */
export interface ScenarioView {
  id: string
  area: string
  about: string
  version: DialectId
  binding: BindingId
  /** What the client is pointed at. */
  url: string
  /** What the user of the client wants: `{ do: 'stream', text: … }`. */
  intent: Intent
  /** How many requests of the client came. */
  calls: number
}

export interface GradeChoices {
  areas: string[]
  ways: { version: DialectId; binding: BindingId }[]
}

export interface MockView {
  id: string
  url: string
  name: string
  isOwn: boolean
}

export interface RecordingView {
  id: string
  file: string
  /** Given by the page, not named when the inspector was started. */
  isGiven?: boolean
  /** What is wrong with it, as far as it was read. */
  problem?: string
}

export interface SavedAgent {
  name: string
  target: string
  auth: AuthForm
}

/** How to authenticate, as the page asks for it. Secrets are values for this session, or `$NAME` of an environment variable. */
export interface AuthForm {
  kind: 'none' | 'bearer' | 'apiKey' | 'basic' | 'header' | 'oauth' | 'certificate'
  secret?: string
  /** Basic: the user. Header: its name. */
  name?: string
  clientId?: string
  clientSecret?: string
  scope?: string
  flow?: 'client-credentials' | 'authorization-code' | 'device-code'
  issuer?: string
  cert?: string
  key?: string
  ca?: string
}

export interface MessageForm {
  parts: Part[]
  taskId?: string
  contextId?: string
  options: TurnOptions
}

export interface StateView {
  version: string
  agents: AgentView[]
  wire: WireRow[]
  turns: TurnView[]
  deliveries: DeliveryView[]
  runs: RunView[]
  mocks: MockView[]
  recordings: RecordingView[]
  saved: SavedAgent[]
  /** Whether there is a fleet to show. */
  hasFleet: boolean
}

export type Change =
  | { kind: 'state'; state: StateView }
  | { kind: 'agent'; agent: AgentView }
  | { kind: 'agent-closed'; id: string }
  | { kind: 'wire'; row: WireRow }
  | { kind: 'turn'; turn: TurnView }
  | { kind: 'events'; turn: string; events: StreamEvent[]; count: number }
  | { kind: 'delivery'; delivery: DeliveryView }
  | { kind: 'run'; run: RunView }
  | { kind: 'run-lines'; run: string; lines: JsonObject[] }
  | { kind: 'mock'; mock: MockView }
  | { kind: 'mock-closed'; id: string }
  | { kind: 'recordings'; recordings: RecordingView[] }
  | { kind: 'saved'; saved: SavedAgent[] }
