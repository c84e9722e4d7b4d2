// An agent in a Hono application, on Node; on other runtimes only the last lines differ.

import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { createFetchHandler } from 'a2a-parley/fetch'
import { Hono } from 'hono'
import { greeter } from './greeter.ts'

const agent = createFetchHandler(greeter)

const app = new Hono()
app.all('/agent/*', (c) => agent(c.req.raw, { peer: { address: getConnInfo(c).remote.address } }))
app.get('/', (c) => c.text('an ordinary page\n'))

const web = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 0), hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`Listening on http://127.0.0.1:${port}`),
)
process.once('SIGTERM', () => void agent.close().then(() => web.close()))
