// The client of the JavaScript SDK 1.3, driven by `parley grade --harness ndjson`: JSON-RPC, REST and gRPC of 1.0, and of 0.3 with
// the SDK's own compatibility layer.

import { randomUUID } from 'node:crypto'
import { type Artifact, type Message, type Part, Role, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk'
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
} from '@a2a-js/sdk/client'
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc'
import { credentials as channelCredentials } from '@grpc/grpc-js'
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

const PLAIN = { metadata: undefined, filename: '', mediaType: '' }

serveHarness(async ({ url, transport, intent }: HarnessRequest): Promise<SdkClient> => {
  const { credentials, extensions } = intent
  // The SDK hands the choice of scheme to the author; a key would be put where the author reads that it belongs.
  if (credentials?.apiKey !== undefined) throw new Unsupported()
  const legacyCompat = { enabled: true }
  const how = { legacyCompat, ...(credentials?.bearer !== undefined && { fetchImpl: withToken(credentials.bearer) }) }
  const cardResolver = new DefaultAgentCardResolver({ legacyCompat })
  const factory = new ClientFactory({
    transports: [
      new JsonRpcTransportFactory(how),
      new RestTransportFactory(how),
      new GrpcTransportFactory({ legacyCompat, grpcChannelCredentials: channelCredentials.createInsecure() }),
    ],
    cardResolver,
  })
  // Not getAgentCard of the client, which asks for the extended card and fails where that needs credentials.
  const card = await cardResolver.resolve(url)
  const client = await factory.createFromAgentCard(card)
  const serviceParameters = ServiceParameters.create(
    ...(extensions === undefined ? [] : [withA2AExtensions(...extensions)]),
    // Over gRPC nothing stands between the SDK and the connection; its metadata is where a token goes.
    ...(transport === 'grpc' && credentials?.bearer !== undefined ? [withBearer(credentials.bearer)] : []),
  )
  const options: RequestOptions = { serviceParameters }
  const { streaming = false, pushNotifications = false } = card.capabilities ?? {}
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
  const tenant = ''
  return {
    send: async (said) => answerOf(await client.sendMessage(requestOf(said), options)),
    stream: (said) => heard(client.sendMessageStream(requestOf(said), options)),
    subscribe: (id) => heard(client.resubscribeTask({ tenant, id }, options)),
    get: async (id) => taskOf(await client.getTask({ tenant, id }, options)),
    cancel: async (id) => taskOf(await client.cancelTask({ tenant, id, metadata: undefined }, options)),
    list: async (pageToken) => {
      const unfiltered = { contextId: '', status: TaskState.TASK_STATE_UNSPECIFIED, statusTimestampAfter: undefined }
      const { tasks, nextPageToken } = await client.listTasks({ tenant, pageToken, ...unfiltered }, options)
      return { tasks: tasks.length, nextPageToken }
    },
    push: async (taskId, { url, token }) => {
      const config = { tenant, id: randomUUID(), taskId, url, token, authentication: undefined }
      await client.createTaskPushNotificationConfig(config, options)
    },
  }
}

function requestOf({ text = '', parts = [{ text }], taskId, contextId, referenceTaskIds }: Utterance) {
  const message: Message = {
    messageId: randomUUID(),
    role: Role.ROLE_USER,
    parts: parts.map((part): Part => {
      if ('text' in part) return { ...PLAIN, content: { $case: 'text', value: part.text } }
      if ('data' in part) return { ...PLAIN, content: { $case: 'data', value: part.data } }
      const names = { ...PLAIN, mediaType: part.mediaType ?? '', filename: part.filename ?? '' }
      if ('url' in part) return { ...names, content: { $case: 'url', value: part.url } }
      return { ...names, content: { $case: 'raw', value: Buffer.from(part.raw, 'base64') } }
    }),
    taskId: taskId ?? '',
    contextId: contextId ?? '',
    referenceTaskIds: referenceTaskIds ?? [],
    extensions: [],
    metadata: undefined,
  }
  return { tenant: '', message, configuration: undefined, metadata: undefined }
}

function answerOf(result: Message | Task): HeardAnswer {
  return 'messageId' in result ? messageOf(result) : { task: taskOf(result) }
}

function messageOf({ parts, contextId }: Message): HeardAnswer {
  return { message: { text: textIn(parts.map(partOf)), contextId: contextId || undefined } }
}

function taskOf({ id, contextId, status, artifacts }: Task): HeardTask {
  return { id, contextId: contextId || undefined, ...statusOf(status), artifacts: artifacts.map(artifactOf) }
}

function statusOf(status: Task['status']): Pick<HeardTask, 'state' | 'text'> {
  const state = TaskState[status?.state ?? TaskState.TASK_STATE_UNSPECIFIED] ?? 'UNRECOGNIZED'
  return { state, text: textIn((status?.message?.parts ?? []).map(partOf)) }
}

function artifactOf({ artifactId, parts }: Artifact): HeardArtifact {
  return { id: artifactId, parts: parts.map(partOf) }
}

function partOf({ content, mediaType }: Part): HeardPart {
  if (content?.$case === 'raw') return { bytes: content.value, mediaType }
  if (content?.$case === 'data') return { data: content.value }
  return content?.$case === 'url' ? { url: content.value } : { text: content?.value ?? '' }
}

async function* heard(stream: AsyncIterable<StreamResponse>): AsyncGenerator<HeardEvent> {
  for await (const { payload } of stream) {
    if (payload?.$case === 'task') yield { task: taskOf(payload.value) }
    else if (payload?.$case === 'message') yield messageOf(payload.value)
    else if (payload?.$case === 'statusUpdate') {
      const { taskId, contextId, status } = payload.value
      yield { status: { taskId, contextId, ...statusOf(status) } }
    } else if (payload?.value.artifact !== undefined) {
      const { taskId, contextId, artifact, append } = payload.value
      yield { artifact: { taskId, contextId, artifact: artifactOf(artifact), append } }
    }
  }
}
