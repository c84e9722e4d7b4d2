// An agent in an Express application.

import { createServer } from 'a2a-parley/server'
import express from 'express'
import { greeter } from './greeter.ts'

const agents = createServer(greeter)
await agents.ready()

const app = express()
// Before any body parser: an agent reads its requests itself.
app.use((req, res, next) => (agents.serves(req.path) ? agents.requestListener(req, res) : next()))
app.use(express.json())
app.get('/', (_req, res) => void res.send('an ordinary page\n'))

const web = app.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const address = web.address()
  console.log(`Listening on http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})
process.once('SIGTERM', () => void agents.close().then(() => web.close()))
