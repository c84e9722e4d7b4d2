// The client of the JavaScript SDK 0.3.14, driven by `parley grade --harness ndjson`: JSON-RPC, REST and gRPC of 0.3.

import { randomUUID } from 'node:crypto'
import { credentials as channelCredentials } from '@grpc/grpc-js'
import type {
  Artifact,
  Message,
  MessageSendParams,
  Part,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatusUpdateEvent,
} from 'a2a-js-sdk-0-3'
import {
  type Client,
  ClientFactory,
  createAuthenticatingFetchWithRetry,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  type RequestOptions,
  RestTransportFactory,
  ServiceParameters,
  withA2AExtensions,
} from 'a2a-js-sdk-0-3/client'
import { GrpcTransportFactory } from 'a2a-js-sdk-0-3/client/grpc'
import {
  type HarnessRequest,
  type HeardAnswer,
  type HeardArtifact,
  type HeardEvent,
  type HeardPart,
  type HeardTask,
  type SdkClient,
  serveHarness,
  textIn,
  Unsupported,
  type Utterance,
} from '../client-harness.ts'

serveHarness(async ({ url, transport, intent }: HarnessRequest): Promise<SdkClient> => {
  const { credentials, extensions } = intent
  // The SDK hands the choice of scheme to the author.
  if (credentials?.apiKey !== undefined) throw new Unsupported()
  const how = credentials?.bearer === undefined ? {} : { fetchImpl: withToken(credentials.bearer) }
  const factory = new ClientFactory({
    transports: [
      new JsonRpcTransportFactory(how),
      new RestTransportFactory(how),
      new GrpcTransportFactory({ grpcChannelCredentials: channelCredentials.createInsecure() }),
    ],
  })
  // Not getAgentCard of the client, which asks for the extended card and fails where that needs credentials.
  const card = await new DefaultAgentCardResolver().resolve(url)
  const client = await factory.createFromAgentCard(card)
  const serviceParameters = ServiceParameters.create(
    ...(extensions === undefined ? [] : [withA2AExtensions(...extensions)]),
    // Over gRPC nothing stands between the SDK and the connection; its metadata is where a token goes.
    ...(transport === 'grpc' && credentials?.bearer !== undefined ? [withBearer(credentials.bearer)] : []),
  )
  const options: RequestOptions = { serviceParameters }
  const { streaming = false, pushNotifications = false } = card.capabilities
  return { card: { name: card.name, streaming, pushNotifications }, ...operationsOf(client, options) }
})

function withBearer(token: string) {
  return (parameters: ServiceParameters) => {
    parameters.authorization = `Bearer ${token}`
  }
}

function withToken(token: string): typeof fetch {
  return createAuthenticatingFetchWithRetry(fetch, {
    headers: async () => ({ Authorization: `Bearer ${token}` }),
    shouldRetryWithHeaders: async () => undefined,
  })
}

function operationsOf(client: Client, options: RequestOptions): Omit<SdkClient, 'card'> {
  return {
    send: async (said) => answerOf(await client.sendMessage(paramsOf(said), options)),
    stream: (said) => heard(client.sendMessageStream(paramsOf(said), options)),
    subscribe: (id) => heard(client.resubscribeTask({ id }, options)),
    get: async (id) => taskOf(await client.getTask({ id }, options)),
    cancel: async (id) => taskOf(await client.cancelTask({ id }, options)),
    push: async (taskId, webhook) => {
      await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig: webhook }, options)
    },
  }
}

function paramsOf({ text = '', parts = [{ text }], ...ids }: Utterance): MessageSendParams {
  const { taskId, contextId, referenceTaskIds } = ids
  const message: Message = {
    kind: 'message',
    messageId: randomUUID(),
    role: 'user',
    parts: parts.map((part): Part => {
      if ('text' in part) return { kind: 'text', text: part.text }
      if ('data' in part) return { kind: 'data', data: part.data as { [key: string]: unknown } }
      const file = { name: part.filename ?? '', mimeType: part.mediaType ?? '' }
      return { kind: 'file', file: 'url' in part ? { ...file, uri: part.url } : { ...file, bytes: part.raw } }
    }),
    ...(taskId !== undefined && { taskId }),
    ...(contextId !== undefined && { contextId }),
    ...(referenceTaskIds !== undefined && { referenceTaskIds }),
  }
  return { message }
}

function answerOf(result: Message | Task): HeardAnswer {
  return result.kind === 'message' ? messageOf(result) : { task: taskOf(result) }
}

function messageOf({ parts, contextId }: Message): HeardAnswer {
  return { message: { text: textIn(parts.map(partOf)), contextId } }
}

function taskOf({ id, contextId, status, artifacts = [] }: Task): HeardTask {
  return { id, contextId, ...statusOf(status), artifacts: artifacts.map(artifactOf) }
}

function statusOf({ state, message }: Task['status']): Pick<HeardTask, 'state' | 'text'> {
  return { state, text: textIn((message?.parts ?? []).map(partOf)) }
}

function artifactOf({ artifactId, parts }: Artifact): HeardArtifact {
  return { id: artifactId, parts: parts.map(partOf) }
}

function partOf(part: Part): HeardPart {
  if (part.kind === 'text') return { text: part.text }
  if (part.kind === 'data') return { data: part.data }
  const { file } = part
  if ('uri' in file) return { url: file.uri }
  return { bytes: Buffer.from(file.bytes, 'base64'), mediaType: file.mimeType ?? '' }
}

async function* heard(
  stream: AsyncIterable<Message | Task | TaskStatusUpdateEvent | TaskArtifactUpdateEvent>,
): AsyncGenerator<HeardEvent> {
  for await (const event of stream) {
    if (event.kind === 'task' || event.kind === 'message') yield answerOf(event)
    else if (event.kind === 'status-update') {
      const { taskId, contextId, status } = event
      yield { status: { taskId, contextId, ...statusOf(status) } }
    } else {
      const { taskId, contextId, artifact, append = false } = event
      yield { artifact: { taskId, contextId, artifact: artifactOf(artifact), append } }
    }
  }
}
