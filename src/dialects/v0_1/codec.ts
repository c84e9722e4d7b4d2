// JSON-RPC of the `tasks/send` generation to and from the model. The client names the task, which the model carries as
// clientTaskId; `sessionId` is the context.

import { A2AError } from '../../model/errors.ts'
import type { JsonObject, JsonValue } from '../../model/json.ts'
import type { Operation, OperationRequest, OperationResult, SendMessageRequest } from '../../model/operation.ts'
import type { Codec, Decoded } from '../dialect.ts'
import { encoded, type Losses } from '../losses.ts'
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
import type { SchemaName } from './schema/definitions.ts'
import { REQUESTS, RESULTS } from './schema/operations.ts'
import { schemas } from './schema/schemas.ts'
import type { WireCard, WireEvent, WireSendParams, WireTask, WireTaskPushConfig } from './wire.ts'

/** The validated wire value of an operation, translated; one entry per operation this generation has. */
interface Translation<O extends Operation, WireRequest, WireResult> {
  decodeRequest(wire: WireRequest): OperationRequest<O>
  encodeRequest(value: OperationRequest<O>, lost: Losses): unknown
  decodeResult(wire: WireResult): OperationResult<O>
  encodeResult(value: OperationResult<O>, lost: Losses): unknown
}

interface WireTaskKey {
  id: string
  historyLength?: number
  metadata?: JsonObject
}

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

// The table erases what each entry says about its wire types; validation has just established them.
const TRANSLATIONS: Readonly<Partial<Record<Operation, Translation<Operation, unknown, unknown>>>> = {
  sendMessage: send,
  streamMessage: stream,
  getTask: get,
  cancelTask: cancel,
  subscribeTask: subscribe,
  createPushConfig: createPush,
  getPushConfig: getPush,
  getCard: card,
} as Readonly<Partial<Record<Operation, Translation<Operation, unknown, unknown>>>>

export const jsonRpcCodec: Codec = {
  eventsAreModelJson: false,
  decodeRequest<O extends Operation>(op: O, wire: JsonValue | undefined): Decoded<OperationRequest<O>> {
    const name = REQUESTS[op]
    const translation = TRANSLATIONS[op]
    if (name === undefined || translation === undefined) return { ok: false, reason: 'not-in-dialect' }
    const given = wire ?? {}
    if (!schemas.isValid(name, given)) return { ok: false, reason: 'invalid', issues: schemas.validate(name, given) }
    return { ok: true, value: translation.decodeRequest(given) as OperationRequest<O> }
  },
  encodeRequest: (op, value) => encoded((lost) => translationOf(op).encodeRequest(value, lost)),
  decodeResult<O extends Operation>(op: O, wire: JsonValue | undefined): Decoded<OperationResult<O>> {
    const name = RESULTS[op]
    const translation = TRANSLATIONS[op]
    if (name === undefined || translation === undefined) return { ok: false, reason: 'not-in-dialect' }
    return decodeAnswer(name, wire ?? null, (read) => translation.decodeResult(read) as OperationResult<O>)
  },
  encodeResult: (op, value) => encoded((lost) => translationOf(op).encodeResult(value, lost)),
  decodeEvent: (wire) => decodeAnswer('StreamEvent', wire, (read) => decodeEvent(read as WireEvent)),
  encodeEvent: (value) => encoded((lost) => encodeEvent(value, lost)),
}

/** Answers are read as written, else with what a peer forgot filled in. */
export function decodeAnswer<T>(name: SchemaName, wire: JsonValue, translate: (read: unknown) => T): Decoded<T> {
  if (schemas.isValid(name, wire)) return { ok: true, value: translate(wire) }
  const read = schemas.readTolerantly(name, wire)
  if (read !== undefined) return { ok: true, value: translate(read) }
  return { ok: false, reason: 'invalid', issues: schemas.validate(name, wire) }
}

function translationOf(op: Operation): Translation<Operation, unknown, unknown> {
  const translation = TRANSLATIONS[op]
  if (translation === undefined) throw new A2AError('UnsupportedOperation', `A2A 0.1 has no ${op}`)
  return translation
}

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

function withoutTenant<T extends { tenant?: string }>(value: T, lost: Losses): Omit<T, 'tenant'> {
  const { tenant, ...rest } = value
  if (tenant !== undefined && tenant !== '') lost.add('/tenant', '0.1 knows no tenants')
  return rest
}
