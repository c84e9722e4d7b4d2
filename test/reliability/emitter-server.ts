// A server with the emitter agent as a process of its own, so that its memory and its end can be observed. Arguments:
// the store, and server options as JSON.

import { createServer } from '../../src/server/server.ts'
import { EMITTER_CARD, emitterAgent } from './emitter-agent.ts'

const [store = 'memory', options = '{}'] = process.argv.slice(2)
const server = createServer({ agents: [{ card: EMITTER_CARD, agent: emitterAgent }], store, ...JSON.parse(options) })
const { url } = await server.listen()
process.once('SIGTERM', () => void server.close())
// Memory is compared before and after; what nobody holds any more must not count.
process.on('SIGUSR2', () => (globalThis as { gc?: () => void }).gc?.())
process.stdout.write(`${url}\n`)
