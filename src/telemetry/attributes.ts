// The names under which spans tell what they are about. The convention for A2A is a draft that still changes, so the names stand
// here and nowhere else; those outside `a2a.` are of the OpenTelemetry semantic conventions.

import { OPERATION_NAMES, type Operation } from '../model/operation.ts'

export const ATTRIBUTE = {
  method: 'a2a.method.name',
  taskId: 'a2a.task.id',
  taskState: 'a2a.task.state',
  messageId: 'a2a.message.id',
  tenant: 'a2a.tenant',
  protocolVersion: 'a2a.protocol.version',
  agentName: 'gen_ai.agent.name',
  contextId: 'gen_ai.conversation.id',
  errorType: 'error.type',
  serverAddress: 'server.address',
  serverPort: 'server.port',
} as const

/** Values by the keys of `ATTRIBUTE`; undefined ones are left out. */
export type Facts = { [key in keyof typeof ATTRIBUTE]?: string | number | undefined }

/** Spans are named after the operation as 1.0 names it, whatever the caller speaks. */
export const SPAN_NAME: { readonly [op in Operation]: string } = {
  ...OPERATION_NAMES,
  getCard: 'GetAgentCard',
}

export const PUSH_SPAN_NAME = 'PushNotification'
