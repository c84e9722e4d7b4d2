// The official JavaScript SDK, doing the same work. Arguments: the store, and `grpc` for its gRPC server instead of Express.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AgentCard, type Part, Role, TaskState } from '@a2a-js/sdk'
import { AgentEvent, type AgentExecutor, DefaultRequestHandler } from '@a2a-js/sdk/server'
import { agentCardHandler, jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import { A2AService, UserBuilder as GrpcUserBuilder, grpcService } from '@a2a-js/sdk/server/grpc'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import express from 'express'
import { answerBenchmark, nextTurn, released } from './bench-server.ts'
import { sdkStore } from './sdk-store.ts'

const executor: AgentExecutor = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const status = (state: TaskState) => ({ state, timestamp: new Date().toISOString(), message: undefined })
    const publishStatus = (state: TaskState) =>
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(state), metadata: undefined }))
    const publishChunk = (text: string, append: boolean, lastChunk: boolean) => {
      const details = { name: '', description: '', metadata: undefined, extensions: [] }
      const artifact = { artifactId: 'result', parts: [partOf(text)], ...details }
      bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, append, lastChunk, metadata: undefined }))
    }
    const [content] = userMessage.parts
    const [keyword, argument = ''] = content?.content?.$case === 'text' ? content.content.value.split(' ') : []
    if (keyword === 'hello') {
      const details = { taskId: '', extensions: [], metadata: undefined, referenceTaskIds: [] }
      const messageId = crypto.randomUUID()
      bus.publish(
        AgentEvent.message({
          ...{ messageId, role: Role.ROLE_AGENT, parts: [partOf('Echo: hello')], contextId, ...details },
        }),
      )
      return
    }
    const task = { id: taskId, contextId, status: status(TaskState.TASK_STATE_SUBMITTED) }
    bus.publish(AgentEvent.task({ ...task, artifacts: [], history: [userMessage], metadata: undefined }))
    publishStatus(TaskState.TASK_STATE_WORKING)
    if (keyword === 'task') publishChunk(argument, false, true)
    else if (keyword === 'large') publishChunk('x'.repeat(Number(argument)), false, true)
    else {
      if (keyword !== 'stream') await released
      const chunks = Number(argument)
      for (let chunk = 1; chunk <= chunks; chunk++) {
        if (keyword === 'hold-turns') await nextTurn()
        publishChunk(`chunk ${chunk}`, chunk > 1, chunk === chunks)
      }
    }
    publishStatus(TaskState.TASK_STATE_COMPLETED)
  },
  async cancelTask() {},
}

function partOf(text: string): Part {
  return { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }
}

const card: AgentCard = {
  name: 'Benchmark',
  description: 'Does what the first word of a message says.',
  supportedInterfaces: ['JSONRPC', 'GRPC'].map((protocolBinding) => ({
    url: 'http://127.0.0.1/',
    protocolBinding,
    tenant: '',
    protocolVersion: '1.0',
  })),
  provider: undefined,
  version: '1.0.0',
  capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  documentationUrl: '',
  signatures: [],
}

const requestHandler = new DefaultRequestHandler(card, await sdkStore(process.argv[2] ?? 'memory'), executor)
if (process.argv[3] === 'grpc') serveGrpc()
else {
  const app = express()
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }))
  app.use('/', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }))
  const server = createServer(app)
  server.listen(0, '127.0.0.1', () => answerBenchmark((server.address() as AddressInfo).port))
}

function serveGrpc(): void {
  const server = new Server()
  server.addService(A2AService, grpcService({ requestHandler, userBuilder: GrpcUserBuilder.noAuthentication }))
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
    if (error !== null) throw error
    answerBenchmark(port)
  })
}
