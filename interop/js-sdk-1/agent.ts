// An A2A 1.0 agent built with the JavaScript SDK 1.3. JSON-RPC at /jsonrpc, REST at /rest, the behaviour of
// keyword-agent.ts. `legacy` adds the SDK's own 0.3 compatibility layer to both. Started by tests, and by
// `node agent.ts PORT`; `node agent.ts PORT grpc` has the card there and speaks gRPC at a port of its own.

import { type AgentCard, type Message, type Part, Role, type Task, TaskState } from '@a2a-js/sdk'
import {
  AgentEvent,
  type AgentExecutor,
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
} from '@a2a-js/sdk/server'
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import { A2AService, UserBuilder as GrpcUserBuilder, grpcService } from '@a2a-js/sdk/server/grpc'
import { Server } from '@grpc/grpc-js'
import express from 'express'
import { bindGrpc } from '../../test/peers/bind-grpc.ts'
import { type ListeningPeer, listen } from '../../test/peers/listen.ts'
import { Cancellations, type PeerOutput, type PeerPart, type PeerState, playKeyword } from '../keyword-agent.ts'

const STATES: Record<PeerState, TaskState> = {
  working: TaskState.TASK_STATE_WORKING,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
  rejected: TaskState.TASK_STATE_REJECTED,
  'input-required': TaskState.TASK_STATE_INPUT_REQUIRED,
}

export interface Sdk1Options {
  /** Serve 0.3 next to 1.0 and declare it in the card. */
  legacy?: boolean
  port?: number
}

export async function startSdk1Server(options: Sdk1Options = {}): Promise<ListeningPeer> {
  const legacyCompat = { enabled: options.legacy === true }
  const cancellations = new Cancellations()
  const peer = await listen((url) => {
    const requestHandler = handlerOf(cardOf(jsonInterfaces(url, legacyCompat.enabled)), cancellations)
    const userBuilder = UserBuilder.noAuthentication
    const app = express()
    app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }))
    app.use('/jsonrpc', jsonRpcHandler({ requestHandler, userBuilder, legacyCompat }))
    app.use('/rest', restHandler({ requestHandler, userBuilder, legacyCompat }))
    return app
  }, options.port)
  return {
    ...peer,
    close: async () => {
      cancellations.cancelAll()
      await peer.close()
    },
  }
}

async function startSdk1GrpcServer(port: number): Promise<void> {
  const server = new Server()
  const address = `127.0.0.1:${await bindGrpc(server)}`
  const card = cardOf([{ url: address, protocolBinding: 'GRPC', tenant: '', protocolVersion: '1.0' }])
  const requestHandler = handlerOf(card, new Cancellations())
  server.addService(A2AService, grpcService({ requestHandler, userBuilder: GrpcUserBuilder.noAuthentication }))
  const app = express()
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }))
  await listen(() => app, port)
}

function handlerOf(card: AgentCard, cancellations: Cancellations): DefaultRequestHandler {
  const pushStore = new InMemoryPushNotificationStore()
  return new DefaultRequestHandler(
    card,
    new InMemoryTaskStore(),
    executorOf(cancellations),
    undefined,
    pushStore,
    new DefaultPushNotificationSender(pushStore),
    { ...card, description: 'for those who signed in' },
  )
}

function executorOf(cancellations: Cancellations): AgentExecutor {
  const contexts = new Map<string, string>()
  return {
    async execute(request, bus) {
      const { taskId, contextId, userMessage } = request
      contexts.set(taskId, contextId)
      const status = (state: TaskState, text?: string): Task['status'] => ({
        state,
        timestamp: new Date().toISOString(),
        message: text === undefined ? undefined : messageOf(text, taskId, contextId),
      })
      const out: PeerOutput = {
        message: (text) => bus.publish(AgentEvent.message(messageOf(text, '', contextId))),
        task: () => {
          const begun = { id: taskId, contextId, status: status(TaskState.TASK_STATE_SUBMITTED) }
          const created = { ...begun, artifacts: [], history: [userMessage], metadata: undefined }
          bus.publish(AgentEvent.task(request.task ?? created))
        },
        status: (state, text) =>
          bus.publish(
            AgentEvent.statusUpdate({ taskId, contextId, status: status(STATES[state], text), metadata: undefined }),
          ),
        artifact: (artifactId, part, chunk) =>
          bus.publish(
            AgentEvent.artifactUpdate({
              taskId,
              contextId,
              artifact: {
                artifactId,
                name: '',
                description: '',
                parts: [partOf(part)],
                metadata: undefined,
                extensions: [],
              },
              ...chunk,
              metadata: undefined,
            }),
          ),
      }
      const text = userMessage.parts.map((part) => (part.content?.$case === 'text' ? part.content.value : '')).join('')
      const turn = { text, continues: request.task !== undefined, cancelled: cancellations.of(taskId) }
      await playKeyword(turn, out)
      cancellations.end(taskId)
    },
    async cancelTask(taskId, bus) {
      if (cancellations.cancel(taskId)) return
      const status = { state: STATES.canceled, timestamp: new Date().toISOString(), message: undefined }
      const contextId = contexts.get(taskId) ?? ''
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }))
    },
  }
}

function partOf(part: PeerPart): Part {
  const plain = { metadata: undefined, filename: '', mediaType: '' }
  if ('text' in part) return { ...plain, content: { $case: 'text', value: part.text } }
  if ('data' in part) return { ...plain, content: { $case: 'data', value: part.data } }
  const content = { $case: 'raw' as const, value: Buffer.from(part.file) }
  return { ...plain, content, filename: part.name, mediaType: 'text/csv' }
}

function messageOf(text: string, taskId: string, contextId: string): Message {
  return {
    messageId: crypto.randomUUID(),
    role: Role.ROLE_AGENT,
    parts: [partOf({ text })],
    taskId,
    contextId,
    extensions: [],
    metadata: undefined,
    referenceTaskIds: [],
  }
}

function jsonInterfaces(url: string, legacy: boolean): AgentCard['supportedInterfaces'] {
  return (legacy ? ['1.0', '0.3'] : ['1.0']).flatMap((protocolVersion) => [
    { url: `${url}/jsonrpc`, protocolBinding: 'JSONRPC', tenant: '', protocolVersion },
    { url: `${url}/rest`, protocolBinding: 'HTTP+JSON', tenant: '', protocolVersion },
  ])
}

function cardOf(supportedInterfaces: AgentCard['supportedInterfaces']): AgentCard {
  return {
    name: 'SDK 1.3 peer',
    description: 'Does what the first word of a message says.',
    supportedInterfaces,
    provider: { organization: 'Parley tests', url: 'https://example.com' },
    version: '1.0.0',
    capabilities: { streaming: true, pushNotifications: true, extensions: [], extendedAgentCard: true },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [
      {
        id: 'keywords',
        name: 'Keywords',
        description: 'task, stream, ask, slow, fail; anything else is echoed.',
        tags: ['test'],
        examples: ['stream 3'],
        inputModes: [],
        outputModes: [],
        securityRequirements: [],
      },
    ],
    documentationUrl: '',
    signatures: [],
  }
}

if (import.meta.main) {
  const [, , port, kind] = process.argv
  if (kind === 'grpc') await startSdk1GrpcServer(Number(port))
  else await startSdk1Server({ port: Number(port) })
}
