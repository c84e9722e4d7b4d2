// The twelve operations of A2A under one name each, with their neutral requests and results (1.0 §3.1).

import type { AgentCard } from './card.ts'
import type { StreamEvent } from './event.ts'
import type { JsonObject } from './json.ts'
import type { Message, Task, TaskState } from './task.ts'

export interface PushAuthentication {
  scheme: string
  credentials?: string
}

export interface PushConfig {
  tenant?: string
  id?: string
  taskId?: string
  url: string
  token?: string
  authentication?: PushAuthentication
}

export interface SendConfiguration {
  acceptedOutputModes?: string[]
  taskPushNotificationConfig?: PushConfig
  historyLength?: number
  returnImmediately?: boolean
}

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

export interface GetTaskRequest {
  tenant?: string
  id: string
  historyLength?: number
}

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

export interface ListTasksResult {
  tasks: Task[]
  nextPageToken: string
  pageSize: number
  totalSize: number
}

export interface CancelTaskRequest {
  tenant?: string
  id: string
  metadata?: JsonObject
}

export interface SubscribeTaskRequest {
  tenant?: string
  id: string
}

export interface PushConfigKey {
  tenant?: string
  taskId: string
  /** Absent only in generations that knew a single configuration per task. */
  id?: string
}

export interface ListPushConfigsRequest {
  tenant?: string
  taskId: string
  pageSize?: number
  pageToken?: string
}

export interface ListPushConfigsResult {
  configs: PushConfig[]
  nextPageToken?: string
}

export type SendMessageResult = { task: Task } | { message: Message }

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

export type Operation = keyof OperationTypes
export type OperationRequest<O extends Operation> = OperationTypes[O]['request']
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
