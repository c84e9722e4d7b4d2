// The twelve operations of A2A under one name each, with their neutral requests and results (1.0 §3.1).

import type { AgentCard } from './card.ts'
import type { StreamEvent } from './event.ts'
import type { JsonObject } from './json.ts'
import type { Message, Task, TaskState } from './task.ts'

/** How calls to a webhook show who they are. */
export interface PushAuthentication {
  scheme: string
  credentials?: string
}

/** A webhook that is called about a task. */
export interface PushConfig {
  tenant?: string
  id?: string
  taskId?: string
  url: string
  token?: string
  authentication?: PushAuthentication
}

/** How a message is to be answered. */
export interface SendConfiguration {
  acceptedOutputModes?: string[]
  taskPushNotificationConfig?: PushConfig
  historyLength?: number
  returnImmediately?: boolean
}

/** A message to an agent. */
export interface SendMessageRequest {
  tenant?: string
  message: Message
  configuration?: SendConfiguration
  metadata?: JsonObject
  /**
   * Only the `tasks/send` generation: the client names the task, and the same id creates or continues it.
   * Newer generations let the server name tasks (1.0 §3.4.2).
   */
  clientTaskId?: string
}

/** Which task to show, and how much of its history. */
export interface GetTaskRequest {
  tenant?: string
  id: string
  historyLength?: number
}

/** Which tasks to list. */
export interface ListTasksRequest {
  tenant?: string
  contextId?: string
  status?: TaskState
  pageSize?: number
  pageToken?: string
  historyLength?: number
  statusTimestampAfter?: string
  includeArtifacts?: boolean
}

/** One page of tasks. */
export interface ListTasksResult {
  tasks: Task[]
  nextPageToken: string
  pageSize: number
  totalSize: number
}

/** Which task to stop. */
export interface CancelTaskRequest {
  tenant?: string
  id: string
  metadata?: JsonObject
}

/** Which task to follow. */
export interface SubscribeTaskRequest {
  tenant?: string
  id: string
}

/** Which webhook of which task. */
export interface PushConfigKey {
  tenant?: string
  taskId: string
  /** Absent only in generations that knew a single configuration per task. */
  id?: string
}

/** Which webhooks to list. */
export interface ListPushConfigsRequest {
  tenant?: string
  taskId: string
  pageSize?: number
  pageToken?: string
}

/** One page of webhooks. */
export interface ListPushConfigsResult {
  configs: PushConfig[]
  nextPageToken?: string
}

/** A message, or the task it became. */
export type SendMessageResult = { task: Task } | { message: Message }

/** Every operation with its request and its result. */
export interface OperationTypes {
  sendMessage: { request: SendMessageRequest; result: SendMessageResult }
  streamMessage: { request: SendMessageRequest; result: StreamEvent }
  getTask: { request: GetTaskRequest; result: Task }
  listTasks: { request: ListTasksRequest; result: ListTasksResult }
  cancelTask: { request: CancelTaskRequest; result: Task }
  subscribeTask: { request: SubscribeTaskRequest; result: StreamEvent }
  createPushConfig: { request: PushConfig; result: PushConfig }
  getPushConfig: { request: PushConfigKey; result: PushConfig }
  listPushConfigs: { request: ListPushConfigsRequest; result: ListPushConfigsResult }
  deletePushConfig: { request: PushConfigKey; result: null }
  getCard: { request: { tenant?: string }; result: AgentCard }
  getExtendedCard: { request: { tenant?: string }; result: AgentCard }
}

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
