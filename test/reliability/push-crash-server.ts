// The process that is killed: an agent with push notifications on the store given, whose leases are short. Prints its
// URL when it is ready. Arguments: store, lease in milliseconds.

import { PUSH_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import { createServer } from '../../src/server/server.ts'

const [store = '', leaseMs] = process.argv.slice(2)
const card = { ...PUSH_CARD, capabilities: { streaming: true, pushNotifications: true } }
const server = createServer({
  agents: [{ card, agent: specAgent }],
  store,
  allowPrivateNetworks: true,
  push: { leaseMs: Number(leaseMs) },
})
const { url } = await server.listen()
process.stdout.write(`${url}\n`)
