// An agent inside a node:http server that has other things to do as well.

import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'a2a-parley/server'

const agents = createServer({
  path: '/agent',
  card: {
    name: 'Greeter',
    description: 'Says hello.',
    version: '1.0.0',
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'greet', name: 'Greet', description: 'Says hello.', tags: ['example'] }],
  },
  agent: () => 'Hello!',
})
await agents.ready()

const web = createHttpServer((req, res) => {
  const { pathname } = new URL(req.url ?? '/', 'http://localhost')
  if (agents.serves(pathname)) void agents.requestListener(req, res)
  else res.end('an ordinary page\n')
})

web.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const address = web.address()
  console.log(`Listening on http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})
process.once('SIGTERM', () => void agents.close().then(() => web.close()))
