// An A2A 0.3 agent built with the JavaScript SDK 0.3.14. JSON-RPC at /jsonrpc, REST at /rest, the behaviour of
// keyword-agent.ts. Started by tests, and by `node agent.ts PORT`; `node agent.ts PORT grpc` has the card there and speaks
// gRPC at a port of its own.

import { Server } from '@grpc/grpc-js'
import type { AgentCard, Message, Part, TaskStatus } from 'a2a-js-sdk-0-3'
import {
  type AgentExecutor,
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
} from 'a2a-js-sdk-0-3/server'
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from 'a2a-js-sdk-0-3/server/express'
import { A2AService, UserBuilder as GrpcUserBuilder, grpcService } from 'a2a-js-sdk-0-3/server/grpc'
import express from 'express'
import { bindGrpc } from '../../test/peers/bind-grpc.ts'
import { type ListeningPeer, listen } from '../../test/peers/listen.ts'
import { Cancellations, type PeerOutput, type PeerPart, playKeyword } from '../keyword-agent.ts'

export async function startSdk03Server(port?: number): Promise<ListeningPeer> {
  const cancellations = new Cancellations()
  const peer = await listen((url) => {
    const card = cardOf([
      { url: `${url}/jsonrpc`, transport: 'JSONRPC' },
      { url: `${url}/rest`, transport: 'HTTP+JSON' },
    ])
    const requestHandler = handlerOf(card, cancellations)
    const userBuilder = UserBuilder.noAuthentication
    const app = express()
    app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }))
    app.use('/jsonrpc', jsonRpcHandler({ requestHandler, userBuilder }))
    app.use('/rest', restHandler({ requestHandler, userBuilder }))
    return app
  }, port)
  return {
    ...peer,
    close: async () => {
      cancellations.cancelAll()
      await peer.close()
    },
  }
}

async function startSdk03GrpcServer(port: number): Promise<void> {
  const server = new Server()
  const card = cardOf([{ url: `127.0.0.1:${await bindGrpc(server)}`, transport: 'GRPC' }])
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

const FINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'rejected', 'input-required'])

function executorOf(cancellations: Cancellations): AgentExecutor {
  const contexts = new Map<string, string>()
  return {
    async execute(request, bus) {
      const { taskId, contextId, userMessage } = request
      contexts.set(taskId, contextId)
      const status = (state: TaskStatus['state'], text?: string): TaskStatus => ({
        state,
        timestamp: new Date().toISOString(),
        ...(text === undefined ? {} : { message: messageOf(text, contextId, taskId) }),
      })
      const out: PeerOutput = {
        message: (text) => bus.publish(messageOf(text, contextId)),
        task: () =>
          bus.publish(
            request.task ?? {
              kind: 'task',
              id: taskId,
              contextId,
              status: status('submitted'),
              history: [userMessage],
            },
          ),
        status: (state, text) =>
          bus.publish({
            kind: 'status-update',
            taskId,
            contextId,
            status: status(state, text),
            final: FINAL.has(state),
          }),
        artifact: (artifactId, part, chunk) =>
          bus.publish({
            kind: 'artifact-update',
            taskId,
            contextId,
            artifact: { artifactId, parts: [partOf(part)] },
            ...chunk,
          }),
      }
      const text = userMessage.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
      const turn = { text, continues: request.task !== undefined, cancelled: cancellations.of(taskId) }
      await playKeyword(turn, out)
      cancellations.end(taskId)
      bus.finished()
    },
    async cancelTask(taskId, bus) {
      if (cancellations.cancel(taskId)) return
      const status = { state: 'canceled' as const, timestamp: new Date().toISOString() }
      bus.publish({ kind: 'status-update', taskId, contextId: contexts.get(taskId) ?? '', status, final: true })
      bus.finished()
    },
  }
}

function partOf(part: PeerPart): Part {
  if ('text' in part) return { kind: 'text', text: part.text }
  if ('data' in part) return { kind: 'data', data: part.data }
  const bytes = Buffer.from(part.file).toString('base64')
  return { kind: 'file', file: { bytes, name: part.name, mimeType: 'text/csv' } }
}

function messageOf(text: string, contextId: string, taskId?: string): Message {
  return {
    kind: 'message',
    messageId: crypto.randomUUID(),
    role: 'agent',
    parts: [{ kind: 'text', text }],
    contextId,
    ...(taskId === undefined ? {} : { taskId }),
  }
}

function cardOf(interfaces: { url: string; transport: string }[]): AgentCard {
  const [preferred] = interfaces
  return {
    name: 'SDK 0.3 peer',
    description: 'Does what the first word of a message says.',
    protocolVersion: '0.3.0',
    version: '1.0.0',
    url: preferred?.url ?? '',
    preferredTransport: preferred?.transport ?? '',
    additionalInterfaces: interfaces,
    provider: { organization: 'Parley tests', url: 'https://example.com' },
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    supportsAuthenticatedExtendedCard: true,
    skills: [
      {
        id: 'keywords',
        name: 'Keywords',
        description: 'task, stream, ask, slow, fail; anything else is echoed.',
        tags: ['test'],
        examples: ['stream 3'],
      },
    ],
  }
}

if (import.meta.main) {
  const [, , port, kind] = process.argv
  if (kind === 'grpc') await startSdk03GrpcServer(Number(port))
  else await startSdk03Server(Number(port))
}
