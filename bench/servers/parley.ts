// Our server with the agent of the benchmark. Arguments: the store, how it is synced, and `grpc` for the port of gRPC.

import { type Agent, type AgentContext, createServer, textOf } from '../../src/server/index.ts'
import { answerBenchmark, nextTurn, released } from './bench-server.ts'

const PACE_MS = 5

const agent: Agent = async (message, ctx) => {
  const [keyword, argument = ''] = textOf(message).split(' ')
  if (keyword === 'hello') return ctx.message('Echo: hello')
  await ctx.status('TASK_STATE_WORKING')
  if (keyword === 'task') await ctx.artifact({ artifactId: 'result', parts: [{ text: argument }] }, { lastChunk: true })
  else if (keyword === 'large')
    await ctx.artifact({ artifactId: 'result', parts: [{ text: 'x'.repeat(Number(argument)) }] }, { lastChunk: true })
  else if (keyword === 'paced') await speakSlowly(ctx, Number(argument))
  else {
    if (keyword !== 'stream') await released
    const chunks = Number(argument)
    for (let chunk = 1; chunk <= chunks; chunk++) {
      if (keyword === 'hold-turns') await nextTurn()
      const parts = [{ text: `chunk ${chunk}` }]
      await ctx.artifact({ artifactId: 'result', parts }, { append: chunk > 1, lastChunk: chunk === chunks })
    }
  }
  return ctx.complete()
}

/** Chunks that say when they were said, one every few milliseconds. */
async function speakSlowly(ctx: AgentContext, chunks: number): Promise<void> {
  for (let chunk = 1; chunk <= chunks; chunk++) {
    await ctx.sleep(PACE_MS)
    const said = `said at ${performance.timeOrigin + performance.now()};`
    await ctx.artifact({ artifactId: 'result', parts: [{ text: said }] }, { append: chunk > 1 })
  }
}

const server = createServer({
  agents: [
    {
      card: {
        name: 'Benchmark',
        description: 'Does what the first word of a message says.',
        version: '1.0.0',
        capabilities: { streaming: true },
        defaultInputModes: ['text/plain'],
        defaultOutputModes: ['text/plain'],
        skills: [{ id: 'work', name: 'Work', description: 'Works.', tags: ['benchmark'] }],
      },
      agent,
      dialects: ['1.0'],
    },
  ],
  store: process.argv[2] ?? 'memory',
  storeSync: process.argv[3] === 'full' ? 'full' : 'normal',
  grpc: process.argv[4] === 'grpc',
})
const { port } = await server.listen()
answerBenchmark(server.grpc[0]?.port ?? port)
