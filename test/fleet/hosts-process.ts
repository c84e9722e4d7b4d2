// Mock hosts in a process of their own, for measurements and crashes: `hosts-process.ts <hosts> <agents>`. It says which agents
// there are in one line of JSON, and when its input ends, what their log says.

import { type HostKind, MockHosts, mannersIn } from './mock-hosts.ts'

/** Of twenty hosts: most live, and some of everything a registry lists. */
const MIX: readonly HostKind[] = [
  ...(Array(10).fill('live') as HostKind[]),
  ...(['slow', 'dead', 'dead', 'dead', 'locked', 'locked', 'busy', 'throttled', 'paid', 'hostile'] as const),
]

const [hostCount = 20, agentCount = 100] = process.argv.slice(2).map(Number)
const kinds = Array.from({ length: hostCount }, (_, n) => MIX[n % MIX.length] as HostKind)
const each = Math.floor(agentCount / hostCount)
const hosts = await MockHosts.start(kinds, (n) => each + (n < agentCount - each * hostCount ? 1 : 0))
process.stdout.write(`${JSON.stringify({ agents: hosts.agents })}\n`)
for await (const _ of process.stdin);
const { overlaps, busiestSecond } = mannersIn(hosts.log)
process.stdout.write(`${JSON.stringify({ requests: hosts.log.length, overlaps, busiestSecond })}\n`, () =>
  process.exit(0),
)
