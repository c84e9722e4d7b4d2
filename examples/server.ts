// A complete A2A agent: counts the words it is given, streams its progress, asks when there is nothing to count.
// Run it with Node 22.18 or newer: node examples/server.ts   (after `npm ci`)

import { createServer, textOf } from 'a2a-parley/server'

const server = createServer({
  card: {
    name: 'Word Counter',
    description: 'Counts the words of a message.',
    version: '1.0.0',
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [
      { id: 'count', name: 'Count words', description: 'Counts words.', tags: ['text'], examples: ['one two three'] },
    ],
  },
  async agent(message, context) {
    const words = textOf(message).split(/\s+/).filter(Boolean)
    if (words.length === 0) return context.requireInput('Which words shall I count?')
    await context.status('TASK_STATE_WORKING', 'Counting')
    for (const word of new Set(words)) {
      context.signal.throwIfAborted() // canceled meanwhile
      const count = words.filter((other) => other === word).length
      await context.artifact({ name: word, parts: [{ data: { word, count } }] })
    }
    return context.complete(`${words.length} words`)
  },
})

const { url } = await server.listen({ port: Number(process.env.PORT ?? 0) })
console.log(`Listening on ${url}`)
process.once('SIGTERM', () => void server.close())
process.once('SIGINT', () => void server.close())
