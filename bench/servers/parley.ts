// Our server with the agent of the benchmark. First argument: the store.

import { type Agent, createServer, textOf } from '../../src/server/index.ts'
import { answerBenchmark, nextTurn, released } from './bench-server.ts'

const agent: Agent = async (message, ctx) => {
  const [keyword, argument = ''] = textOf(message).split(' ')
  if (keyword === 'hello') return ctx.message('Echo: hello')
  await ctx.status('TASK_STATE_WORKING')
  if (keyword === 'task') await ctx.artifact({ artifactId: 'result', parts: [{ text: argument }] }, { lastChunk: true })
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
})
const { port } = await server.listen()
answerBenchmark(port)
