// Parley's own server with the behaviour of keyword-agent.ts: every version over JSON-RPC and REST, 1.0 and 0.3 over gRPC.

import { createServer, textOf } from '../../src/server/index.ts'
import { type PeerOutput, type PeerPart, type PeerState, playKeyword } from '../keyword-agent.ts'

const STATES = {
  working: 'TASK_STATE_WORKING',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  rejected: 'TASK_STATE_REJECTED',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
} as const satisfies Partial<Record<PeerState, string>>

const server = createServer({
  card: {
    name: 'Keyword agent on Parley',
    description: 'Does what the first word of a message says.',
    version: '1.0.0',
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'keywords', name: 'Keywords', description: 'task, stream, ask, slow, fail', tags: ['test'] }],
  },
  grpc: true,
  allowPrivateWebhooks: true,
  async agent(message, context) {
    // What is said comes in order; the last one tells whether all could be stored.
    let last: Promise<unknown> = Promise.resolve()
    const out: PeerOutput = {
      message: (text) => {
        last = context.message(text)
      },
      task: () => {
        if (context.task === undefined) last = context.status('TASK_STATE_SUBMITTED')
      },
      status: (state, text) => {
        if (state !== 'canceled') last = context.status(STATES[state], text)
      },
      artifact: (artifactId, part, chunk) => {
        last = context.artifact({ artifactId, parts: [partOf(part)] }, chunk)
      },
    }
    const cancelled = new Promise<void>((resolve) => {
      context.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await playKeyword({ text: textOf(message), continues: context.task !== undefined, cancelled }, out)
    if (!context.signal.aborted) await last
  },
})

function partOf(part: PeerPart) {
  if ('text' in part) return { text: part.text }
  if ('data' in part) return { data: part.data as never }
  return { raw: Buffer.from(part.file).toString('base64'), filename: part.name, mediaType: 'text/csv' }
}

await server.listen({ port: Number(process.argv[2]) })
