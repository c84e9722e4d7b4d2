// JSON-RPC of the `tasks/send` generation to and from the model. The client names the task, which the model carries as
// clientTaskId; `sessionId` is the context.

import type { JsonObject } from '../../model/json.ts'
import type { SendMessageRequest } from '../../model/operation.ts'
import type { Codec } from '../dialect.ts'
import type { Losses } from '../losses.ts'
import { type Translation, type Translations, tableCodec, tenantDropper } from '../table-codec.ts'
import { decodeCard, encodeCard } from './card.ts'
import {
  decodeEvent,
  decodeMessage,
  decodeTask,
  encodeEvent,
  encodeMessage,
  encodeTask,
  taskFromReply,
} from './objects.ts'
import { decodePushConfig, decodeTaskPushConfig, encodePushConfig, encodeTaskPushConfig } from './push.ts'
import { REQUESTS, RESULTS } from './schema/operations.ts'
import { schemas } from './schema/schemas.ts'
import type { WireCard, WireEvent, WireSendParams, WireTask, WireTaskPushConfig } from './wire.ts'

interface WireTaskKey {
  id: string
  historyLength?: number
  metadata?: JsonObject
}

const withoutTenant = tenantDropper('0.1')

const send: Translation<'sendMessage', WireSendParams, WireTask> = {
  decodeRequest: decodeSend,
  encodeRequest: encodeSend,
  decodeResult: (wire) => ({ task: decodeTask(wire) }),
  encodeResult: (value, lost) =>
    'task' in value ? encodeTask(value.task, '/task', lost) : taskFromReply(value.message, lost),
}

const stream: Translation<'streamMessage', WireSendParams, WireEvent> = {
  decodeRequest: decodeSend,
  encodeRequest: encodeSend,
  decodeResult: decodeEvent,
  encodeResult: encodeEvent,
}

const get: Translation<'getTask', WireTaskKey, WireTask> = {
  decodeRequest: (wire) => wire,
  encodeRequest: withoutTenant,
  decodeResult: decodeTask,
  encodeResult: (value, lost) => encodeTask(value, '', lost),
}

const cancel: Translation<'cancelTask', WireTaskKey, WireTask> = { ...get, encodeRequest: withoutTenant }

const subscribe: Translation<'subscribeTask', WireTaskKey, WireEvent> = {
  decodeRequest: (wire) => wire,
  encodeRequest: withoutTenant,
  decodeResult: decodeEvent,
  encodeResult: encodeEvent,
}

const createPush: Translation<'createPushConfig', WireTaskPushConfig, WireTaskPushConfig> = {
  decodeRequest: decodeTaskPushConfig,
  encodeRequest: encodeTaskPushConfig,
  decodeResult: decodeTaskPushConfig,
  encodeResult: encodeTaskPushConfig,
}

const getPush: Translation<'getPushConfig', WireTaskKey, WireTaskPushConfig> = {
  decodeRequest: ({ id, ...rest }) => ({ ...rest, taskId: id }),
  encodeRequest(value, lost) {
    const { taskId, id: _, ...rest } = value
    return withoutTenant({ ...rest, id: taskId }, lost)
  },
  decodeResult: decodeTaskPushConfig,
  encodeResult: encodeTaskPushConfig,
}

const card: Translation<'getCard', object | null, WireCard> = {
  decodeRequest: () => ({}),
  encodeRequest: (value, lost) => withoutTenant(value, lost),
  decodeResult: decodeCard,
  encodeResult: encodeCard,
}

const TRANSLATIONS = {
  sendMessage: send,
  streamMessage: stream,
  getTask: get,
  cancelTask: cancel,
  subscribeTask: subscribe,
  createPushConfig: createPush,
  getPushConfig: getPush,
  getCard: card,
} as Translations

export const jsonRpcCodec: Codec = tableCodec({
  version: '0.1',
  schemas,
  requests: REQUESTS,
  results: RESULTS,
  translations: TRANSLATIONS,
  event: 'StreamEvent',
  decodeEvent: (wire) => decodeEvent(wire as WireEvent),
  encodeEvent,
})

function decodeSend(wire: WireSendParams): SendMessageRequest {
  const { id, sessionId, message, pushNotification, historyLength, ...rest } = wire
  const request: SendMessageRequest = {
    ...rest,
    clientTaskId: id,
    message: decodeMessage(message, crypto.randomUUID()),
  }
  if (sessionId !== undefined) request.message.contextId = sessionId
  if (pushNotification !== undefined || historyLength !== undefined) {
    request.configuration = {
      ...(historyLength === undefined ? {} : { historyLength }),
      ...(pushNotification && { taskPushNotificationConfig: decodePushConfig(pushNotification) }),
    }
  }
  return request
}

function encodeSend(value: SendMessageRequest, lost: Losses): WireSendParams {
  const { clientTaskId, message, configuration, ...rest } = value
  const { historyLength, taskPushNotificationConfig } = configuration ?? {}
  if (configuration !== undefined) {
    const at = '/configuration'
    lost.check(configuration, 'acceptedOutputModes', at, '0.1 cannot say which output modes are welcome')
    lost.check(configuration, 'returnImmediately', at, '0.1 leaves waiting to the server')
  }
  const wire: WireSendParams = {
    ...withoutTenant(rest, lost),
    // The client names the task: a continued one, or a new name.
    id: clientTaskId ?? message.taskId ?? crypto.randomUUID(),
    message: encodeMessage(message, '/message', lost),
  }
  if (message.contextId !== undefined) wire.sessionId = message.contextId
  if (historyLength !== undefined) wire.historyLength = historyLength
  if (taskPushNotificationConfig !== undefined) wire.pushNotification = encodePushConfig(taskPushNotificationConfig)
  return wire
}
