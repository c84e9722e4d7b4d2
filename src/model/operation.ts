// The twelve operations of A2A under one name each, with their neutral requests and results (1.0 §3.1).

import type { AgentCard } from './card.ts'
import type { StreamEvent } from './event.ts'
import type { JsonObject } from './json.ts'
import type { Message, Task, TaskState } from './task.ts'

/** How calls to a webhook show who they are. */
export interface PushAuthentication {
  /** A scheme registered for HTTP, such as `Bearer`. */
  scheme: string
  /** What follows the scheme in the Authorization header. */
  credentials?: string
}

/** A webhook that is called about a task. */
export interface PushConfig {
  /** The tenant, on servers that have several. */
  tenant?: string
  /** Names the configuration within its task; the server chooses one when absent. */
  id?: string
  /** The task it is about; absent inside a SendMessage, whose task is not known yet. */
  taskId?: string
  /** The webhook, which gets a POST for each event. */
  url: string
  /** Sent along with each call, so that the webhook can tell whose it is. */
  token?: string
  /** How the calls authenticate. */
  authentication?: PushAuthentication
}

/** How a message is to be answered. */
export interface SendConfiguration {
  /** Media types the client can take; any when absent. */
  acceptedOutputModes?: string[]
  /** A webhook for the task that begins. */
  taskPushNotificationConfig?: PushConfig
  /** How many of the last messages the answer shows: 0 for none, all when absent. */
  historyLength?: number
  /**
   * Whether to answer with the task at once instead of when it ends or waits for the client.
   * @default false
   */
  returnImmediately?: boolean
}

/** A message to an agent. */
export interface SendMessageRequest {
  /** The tenant, on servers that have several. */
  tenant?: string
  /** What is said; its `taskId` continues a task. */
  message: Message
  /** How it is to be answered. */
  configuration?: SendConfiguration
  /** Anything else about the request. */
  metadata?: JsonObject
  /**
   * Only the `tasks/send` generation: the client names the task, and the same id creates or continues it.
   * Newer generations let the server name tasks (1.0 §3.4.2).
   */
  clientTaskId?: string
}

/** Which task to show, and how much of its history. */
export interface GetTaskRequest {
  /** The tenant, on servers that have several. */
  tenant?: string
  /** The task. */
  id: string
  /** How many of the last messages to show: 0 for none, all when absent. */
  historyLength?: number
}

/** Which tasks to list. */
export interface ListTasksRequest {
  /** The tenant, on servers that have several. */
  tenant?: string
  /** Only tasks of this conversation. */
  contextId?: string
  /** Only tasks in this state. */
  status?: TaskState
  /**
   * Tasks per page, 1 to 100.
   * @default 50
   */
  pageSize?: number
  /** `nextPageToken` of the page before; the first page when absent. */
  pageToken?: string
  /** How many of the last messages to show with each task. */
  historyLength?: number
  /** Only tasks whose state was set at this moment or later; ISO 8601. */
  statusTimestampAfter?: string
  /**
   * Whether tasks are listed with their artifacts.
   * @default false
   */
  includeArtifacts?: boolean
}

/** One page of tasks. */
export interface ListTasksResult {
  /** The tasks, the one that changed last first. */
  tasks: Task[]
  /** Token of the next page; '' on the last. */
  nextPageToken: string
  /** Tasks per page, as the server understood the request. */
  pageSize: number
  /** How many tasks there are on all pages. */
  totalSize: number
}

/** Which task to stop. */
export interface CancelTaskRequest {
  /** The tenant, on servers that have several. */
  tenant?: string
  /** The task. */
  id: string
  /** Anything else about the request. */
  metadata?: JsonObject
}

/** Which task to follow. */
export interface SubscribeTaskRequest {
  /** The tenant, on servers that have several. */
  tenant?: string
  /** The task; one that has ended is refused with UnsupportedOperation. */
  id: string
}

/** Which webhook of which task. */
export interface PushConfigKey {
  /** The tenant, on servers that have several. */
  tenant?: string
  /** The task it is about. */
  taskId: string
  /** Absent only in generations that knew a single configuration per task. */
  id?: string
}

/** Which webhooks to list. */
export interface ListPushConfigsRequest {
  /** The tenant, on servers that have several. */
  tenant?: string
  /** The task they are about. */
  taskId: string
  /** Configurations per page, at most; the server's choice when absent. */
  pageSize?: number
  /** `nextPageToken` of the page before; the first page when absent. */
  pageToken?: string
}

/** One page of webhooks. */
export interface ListPushConfigsResult {
  /** The configurations of this page. */
  configs: PushConfig[]
  /** Token of the next page; absent or '' on the last. */
  nextPageToken?: string
}

/** A message, or the task it became. */
export type SendMessageResult =
  | {
      /** The task the message began or continued. */
      task: Task
    }
  | {
      /** The reply of an agent that made no task. */
      message: Message
    }

/** What an operation takes and gives. */
export interface OperationShape<Request, Result> {
  /** What is sent. */
  request: Request
  /** What comes back; of a stream, one event. */
  result: Result
}

/** A request about the agent itself. */
export interface CardRequest {
  /** The tenant, on servers that have several. */
  tenant?: string
}

/** Every operation with its request and its result. */
export interface OperationTypes {
  /** SendMessage: says something, answers once. */
  sendMessage: OperationShape<SendMessageRequest, SendMessageResult>
  /** SendStreamingMessage: says something, answers with events. */
  streamMessage: OperationShape<SendMessageRequest, StreamEvent>
  /** GetTask: a task as it is now. */
  getTask: OperationShape<GetTaskRequest, Task>
  /** ListTasks: the caller's tasks, page by page. */
  listTasks: OperationShape<ListTasksRequest, ListTasksResult>
  /** CancelTask: asks the agent to stop; answers the canceled task. */
  cancelTask: OperationShape<CancelTaskRequest, Task>
  /** SubscribeToTask: the task, then its events until it ends. */
  subscribeTask: OperationShape<SubscribeTaskRequest, StreamEvent>
  /** CreateTaskPushNotificationConfig: registers a webhook. */
  createPushConfig: OperationShape<PushConfig, PushConfig>
  /** GetTaskPushNotificationConfig: one webhook. */
  getPushConfig: OperationShape<PushConfigKey, PushConfig>
  /** ListTaskPushNotificationConfigs: the webhooks of a task. */
  listPushConfigs: OperationShape<ListPushConfigsRequest, ListPushConfigsResult>
  /** DeleteTaskPushNotificationConfig: removes a webhook; deleting twice is no error. */
  deletePushConfig: OperationShape<PushConfigKey, null>
  /** The public card, from its well-known address. */
  getCard: OperationShape<CardRequest, AgentCard>
  /** GetExtendedAgentCard: the card for callers who have authenticated. */
  getExtendedCard: OperationShape<CardRequest, AgentCard>
}

/** What 1.0 calls them, on every binding that has names; the public card has none there. */
export const OPERATION_NAMES = {
  sendMessage: 'SendMessage',
  streamMessage: 'SendStreamingMessage',
  getTask: 'GetTask',
  listTasks: 'ListTasks',
  cancelTask: 'CancelTask',
  subscribeTask: 'SubscribeToTask',
  createPushConfig: 'CreateTaskPushNotificationConfig',
  getPushConfig: 'GetTaskPushNotificationConfig',
  listPushConfigs: 'ListTaskPushNotificationConfigs',
  deletePushConfig: 'DeleteTaskPushNotificationConfig',
  getExtendedCard: 'GetExtendedAgentCard',
} as const satisfies { [op in Exclude<Operation, 'getCard'>]: string }

/** The names of the operations of A2A. */
export type Operation = keyof OperationTypes
/** The request of an operation. */
export type OperationRequest<O extends Operation> = OperationTypes[O]['request']
/** The result of an operation; of a stream, one event. */
export type OperationResult<O extends Operation> = OperationTypes[O]['result']

export const OPERATIONS: readonly Operation[] = [
  'sendMessage',
  'streamMessage',
  'getTask',
  'listTasks',
  'cancelTask',
  'subscribeTask',
  'createPushConfig',
  'getPushConfig',
  'listPushConfigs',
  'deletePushConfig',
  'getCard',
  'getExtendedCard',
]

const READS: ReadonlySet<Operation> = new Set([
  'getTask',
  'listTasks',
  'subscribeTask',
  'getPushConfig',
  'listPushConfigs',
  'getCard',
  'getExtendedCard',
])

/** Asking twice changes nothing: neither the agent, nor what the second answer says. */
export function isRead(operation: Operation): boolean {
  return READS.has(operation)
}

/** Operations answered by a stream of events instead of one result. */
export type StreamingOperation = 'streamMessage' | 'subscribeTask'

export function isStreaming(operation: Operation): operation is StreamingOperation {
  return operation === 'streamMessage' || operation === 'subscribeTask'
}
