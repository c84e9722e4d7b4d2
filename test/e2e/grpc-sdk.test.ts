// gRPC with the official JavaScript SDK at the other end: its client talks to our server, our client and the judge to its.

import { type AgentCard, type Part, Role, type SendMessageRequest, TaskState } from '@a2a-js/sdk'
import { ClientFactory } from '@a2a-js/sdk/client'
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc'
import { AgentEvent, type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server'
import { A2AService, grpcService, UserBuilder } from '@a2a-js/sdk/server/grpc'
import { credentials, Server } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SPEC_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import { type A2AServer, createServer } from '../../src/server/index.ts'
import { bindGrpc } from '../peers/bind-grpc.ts'

function partOf(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: '' }
}

describe('the client of the SDK and our server', () => {
  let server: A2AServer
  let url = ''

  beforeAll(async () => {
    server = createServer({ card: SPEC_CARD, agent: specAgent, grpc: true, dialects: ['1.0'] })
    ;({ url } = await server.listen())
  })

  afterAll(() => server.close({ graceMs: 0 }))

  async function connect() {
    const factory = new GrpcTransportFactory({ grpcChannelCredentials: credentials.createInsecure() })
    const client = await new ClientFactory({ transports: [factory] }).createFromUrl(url)
    expect(client.transport.protocolName).toBe('GRPC')
    return client
  }

  function say(text: string): SendMessageRequest {
    const details = { contextId: '', taskId: '', metadata: undefined, extensions: [], referenceTaskIds: [] }
    const message = { messageId: crypto.randomUUID(), role: Role.ROLE_USER, parts: [partOf(text)], ...details }
    return { tenant: '', message, configuration: undefined, metadata: undefined }
  }

  test('a task runs to completion and can be read again', async () => {
    const client = await connect()
    const sent = await client.sendMessage(say('task-lifecycle one'))
    if (!('status' in sent)) throw new Error('expected a task')
    expect(sent.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(sent.artifacts).toMatchObject([{ parts: [partOf('[task-lifecycle] Processed: task-lifecycle one')] }])
    expect(await client.getTask({ id: sent.id, tenant: '', historyLength: undefined })).toEqual(sent)
  })

  test('a stream arrives in its order', async () => {
    const kinds: string[] = []
    for await (const event of (await connect()).sendMessageStream(say('streaming please')))
      kinds.push(event.payload?.$case ?? '')
    expect(kinds[0]).toBe('task')
    expect(kinds.filter((kind) => kind === 'artifactUpdate')).toHaveLength(4)
    expect(kinds.at(-1)).toBe('statusUpdate')
  })

  test('an unknown task is the error it knows', async () => {
    const client = await connect()
    await expect(client.getTask({ id: 'nobody', tenant: '', historyLength: undefined })).rejects.toThrow(/not.found/i)
  })
})

describe('our client and the server of the SDK', () => {
  const server = new Server()
  let port = 0

  const executor: AgentExecutor = {
    async execute({ taskId, contextId, userMessage }, bus) {
      const status = (state: TaskState) => ({ state, timestamp: new Date().toISOString(), message: undefined })
      const task = { id: taskId, contextId, status: status(TaskState.TASK_STATE_SUBMITTED) }
      bus.publish(AgentEvent.task({ ...task, artifacts: [], history: [userMessage], metadata: undefined }))
      const details = { name: 'n', description: '', metadata: undefined, extensions: [] }
      const artifact = { artifactId: 'a', parts: [partOf('done')], ...details }
      bus.publish(
        AgentEvent.artifactUpdate({ taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined }),
      )
      const end = status(TaskState.TASK_STATE_COMPLETED)
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: end, metadata: undefined }))
    },
    async cancelTask() {},
  }

  const card = (address: string): AgentCard =>
    ({
      ...{ name: 'SDK', description: 'On the SDK.', version: '1.0.0', provider: undefined, signatures: [] },
      supportedInterfaces: [{ url: address, protocolBinding: 'GRPC', tenant: '', protocolVersion: '1.0' }],
      capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
      ...{ securitySchemes: {}, securityRequirements: [], documentationUrl: undefined, iconUrl: undefined },
      ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
      skills: [
        {
          id: 's',
          name: 'S',
          description: 'D',
          tags: ['t'],
          examples: [],
          inputModes: [],
          outputModes: [],
          securityRequirements: [],
        },
      ],
    }) satisfies AgentCard

  beforeAll(async () => {
    const requestHandler = new DefaultRequestHandler(card('127.0.0.1:1'), new InMemoryTaskStore(), executor)
    server.addService(A2AService, grpcService({ requestHandler, userBuilder: UserBuilder.noAuthentication }))
    port = await bindGrpc(server)
  })

  afterAll(() => server.forceShutdown())

  test('a task is sent, streamed and read', async () => {
    const plain = JSON.parse(JSON.stringify(card(`127.0.0.1:${port}`))) as { [name: string]: never }
    using client = A2AClient.fromCard(plain, { transports: ['grpc'] })
    const message = { messageId: 'm1', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] }
    const sent = await client.sendMessage({ message })
    if (!('task' in sent)) throw new Error('expected a task')
    expect(sent.task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ name: 'n' }] })
    expect((await client.getTask({ id: sent.task.id })).artifacts).toEqual(sent.task.artifacts)
    const kinds: string[] = []
    for await (const { event } of client.streamMessage({ message: { ...message, messageId: 'm2' } }))
      kinds.push(Object.keys(event)[0] ?? '')
    expect(kinds).toEqual(['task', 'artifactUpdate', 'statusUpdate'])
    await expect(client.getTask({ id: 'nobody' })).rejects.toMatchObject({ kind: 'TaskNotFound' })
  })
})
