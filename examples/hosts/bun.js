// An agent on Bun: `bun examples/hosts/bun.js`.

import { createFetchHandler } from 'a2a-parley/fetch'
import { greeter } from './greeter.ts'

const agent = createFetchHandler(greeter)
const web = Bun.serve({
  port: Number(process.env.PORT ?? 0),
  hostname: '127.0.0.1',
  idleTimeout: 60, // Longer than the pause between two comments in a silent stream.
  fetch: (request, server) => agent(request, { peer: server.requestIP(request) ?? undefined }),
})
console.log(`Listening on http://127.0.0.1:${web.port}`)
process.once('SIGTERM', () => void agent.close().then(() => web.stop(true)))
