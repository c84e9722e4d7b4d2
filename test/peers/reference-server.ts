// The reference agents on a server in this process; nothing is relayed.

import { referenceAgents } from '../../src/agents/reference.ts'
import { type A2AServer, createServer } from '../../src/server/index.ts'

export async function startReferenceAgents(): Promise<{ server: A2AServer; base: string }> {
  const forward = () => Promise.reject(new Error('nothing is relayed here'))
  const relay = { target: undefined, allowsChosenTargets: false, forward }
  const server = createServer({ agents: referenceAgents({ relay }) })
  return { server, base: (await server.listen()).url }
}
