// JSON-RPC of 0.3: `kind` shapes to and from the model.

import type { JsonObject } from '../../model/json.ts'
import type { OperationRequest, SendMessageRequest } from '../../model/operation.ts'
import type { Codec } from '../dialect.ts'
import type { Losses } from '../losses.ts'
import { type Translation, type Translations, tableCodec, tenantDropper } from '../table-codec.ts'
import { decodeCard, encodeCard } from './card.ts'
import { fromProtoJson } from './from-proto-json.ts'
import { decodeEvent, decodeMessage, decodeTask, encodeEvent, encodeMessage, encodeTask } from './objects.ts'
import { decodePushConfig, decodeTaskPushConfig, encodePushConfig, encodeTaskPushConfig } from './push.ts'
import { REQUESTS, RESULTS } from './schema/operations.ts'
import { schemas } from './schema/schemas.ts'
import type { WireCard, WireEvent, WireMessage, WireSendParams, WireTask, WireTaskPushConfig } from './wire.ts'

interface WireTaskKey {
  id: string
  metadata?: JsonObject
}
interface WirePushKey extends WireTaskKey {
  pushNotificationConfigId?: string
}

const withoutTenant = tenantDropper('0.3')

const send: Translation<'sendMessage', WireSendParams, WireTask | WireMessage> = {
  decodeRequest: decodeSend,
  encodeRequest: (value, lost) => encodeSend(value, lost, true),
  decodeResult: (wire) => (wire.kind === 'task' ? { task: decodeTask(wire) } : { message: decodeMessage(wire) }),
  encodeResult: (value, lost) => encodeEvent(value, lost),
}

const stream: Translation<'streamMessage', WireSendParams, WireEvent> = {
  decodeRequest: decodeSend,
  encodeRequest: (value, lost) => encodeSend(value, lost, false),
  decodeResult: decodeEvent,
  encodeResult: encodeEvent,
}

const get: Translation<'getTask', WireTaskKey & { historyLength?: number }, WireTask> = {
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
  encodeRequest: (value, lost) => encodeTaskPushConfig(value, '', lost),
  decodeResult: decodeTaskPushConfig,
  encodeResult: (value, lost) => encodeTaskPushConfig(value, '', lost),
}

const getPush: Translation<'getPushConfig', WirePushKey, WireTaskPushConfig> = {
  decodeRequest: decodePushKey,
  encodeRequest: encodePushKey,
  decodeResult: decodeTaskPushConfig,
  encodeResult: (value, lost) => encodeTaskPushConfig(value, '', lost),
}

const listPush: Translation<'listPushConfigs', WireTaskKey, WireTaskPushConfig[]> = {
  decodeRequest: ({ id, ...rest }) => ({ ...rest, taskId: id }),
  encodeRequest(value, lost) {
    const { taskId, pageSize: _, pageToken: __, ...rest } = value
    lost.check(value, 'pageSize', '', '0.3 returns all configurations at once')
    lost.check(value, 'pageToken', '', '0.3 returns all configurations at once')
    return withoutTenant({ ...rest, id: taskId }, lost)
  },
  decodeResult: (wire) => ({ configs: wire.map(decodeTaskPushConfig) }),
  encodeResult: (value, lost) => value.configs.map((config, i) => encodeTaskPushConfig(config, `/configs/${i}`, lost)),
}

const deletePush: Translation<'deletePushConfig', WirePushKey, unknown> = {
  decodeRequest: decodePushKey,
  encodeRequest: encodePushKey,
  decodeResult: () => null,
  encodeResult: () => null,
}

const card: Translation<'getExtendedCard', object | null, WireCard> = {
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
  listPushConfigs: listPush,
  deletePushConfig: deletePush,
  getCard: card,
  getExtendedCard: card,
} as Translations

export const jsonRpcCodec: Codec = tableCodec({
  version: '0.3',
  schemas,
  requests: REQUESTS,
  results: RESULTS,
  translations: TRANSLATIONS,
  event: 'StreamEvent',
  decodeEvent: (wire) => decodeEvent(wire as WireEvent),
  encodeEvent,
  respelled: fromProtoJson,
})

function decodeSend(wire: WireSendParams): SendMessageRequest {
  const { message, configuration, ...rest } = wire
  const request: SendMessageRequest = { ...rest, message: decodeMessage(message) }
  delete request.clientTaskId
  if (configuration === undefined) return request
  const { blocking, pushNotificationConfig, ...kept } = configuration
  request.configuration = { ...kept }
  // The polarity turned with 1.0 (§3.2.2); an absent `blocking` stays absent.
  if (blocking !== undefined) request.configuration.returnImmediately = !blocking
  if (pushNotificationConfig !== undefined) {
    request.configuration.taskPushNotificationConfig = decodePushConfig(pushNotificationConfig)
  }
  return request
}

/**
 * 1.0 waits unless told otherwise, 0.3 leaves an absent `blocking` to the server, so a plain send says what it means.
 */
function encodeSend(value: SendMessageRequest, lost: Losses, saysBlocking: boolean): WireSendParams {
  const { clientTaskId: _, message, configuration, ...rest } = value
  const wire: WireSendParams = {
    ...withoutTenant(rest, lost),
    message: encodeMessage(message, '/message', lost),
  }
  const { returnImmediately, taskPushNotificationConfig, ...kept } = configuration ?? {}
  if (configuration === undefined && !saysBlocking) return wire
  wire.configuration = kept
  if (saysBlocking || returnImmediately !== undefined) wire.configuration.blocking = returnImmediately !== true
  if (taskPushNotificationConfig !== undefined) {
    wire.configuration.pushNotificationConfig = encodePushConfig(
      taskPushNotificationConfig,
      '/configuration/taskPushNotificationConfig',
      lost,
    )
  }
  return wire
}

function decodePushKey(wire: WirePushKey): OperationRequest<'getPushConfig'> {
  const { id, pushNotificationConfigId, ...rest } = wire
  return { ...rest, taskId: id, ...(pushNotificationConfigId === undefined ? {} : { id: pushNotificationConfigId }) }
}

function encodePushKey(value: OperationRequest<'getPushConfig'>, lost: Losses): WirePushKey {
  const { taskId, id, ...rest } = value
  return withoutTenant({ ...rest, id: taskId, ...(id === undefined ? {} : { pushNotificationConfigId: id }) }, lost)
}
