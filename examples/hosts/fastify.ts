// An agent in a Fastify application.

import { createServer } from 'a2a-parley/server'
import fastify from 'fastify'
import { greeter } from './greeter.ts'

const agents = createServer(greeter)
await agents.ready()

const app = fastify()
// This hook runs before Fastify reads the body: an agent reads its requests itself.
app.addHook('onRequest', async (request, reply) => {
  if (agents.serves(request.url.split('?')[0] ?? '')) await agents.requestListener(request.raw, reply.hijack().raw)
})
app.get('/', async () => 'an ordinary page\n')

console.log(`Listening on ${await app.listen({ port: Number(process.env.PORT ?? 0), host: '127.0.0.1' })}`)
process.once('SIGTERM', () => void agents.close().then(() => app.close()))
