// Mock hosts in a process of their own, for measurements and crashes: `hosts-process.ts <hosts> <agents> [<of the first host>]`.
// It says which agents there are in one line of JSON, and when its input ends, what their log says.

import { type HostKind, MockHosts, mannersIn } from './mock-hosts.ts'

/** Of twenty hosts: most live, and some of everything a registry lists. */
const MIX: readonly HostKind[] = [
  ...(Array(10).fill('live') as HostKind[]),
  ...(['slow', 'dead', 'dead', 'dead', 'locked', 'locked', 'busy', 'throttled', 'paid', 'hostile'] as const),
]

const [hostCount = 20, agentCount = 100, first = Math.ceil(agentCount / hostCount)] = process.argv.slice(2).map(Number)
const kinds = Array.from({ length: hostCount }, (_, n) => MIX[n % MIX.length] as HostKind)
const others = agentCount - first
const each = Math.floor(others / (hostCount - 1))
const hosts = await MockHosts.start(kinds, (n) =>
  n === 0 ? first : each + (n <= others - each * (hostCount - 1) ? 1 : 0),
)
process.stdout.write(`${JSON.stringify({ agents: hosts.agents })}\n`)
for await (const _ of process.stdin);
const { overlaps, busiestSecond } = mannersIn(hosts.log)
process.stdout.write(`${JSON.stringify({ requests: hosts.log.length, overlaps, busiestSecond })}\n`, () =>
  process.exit(0),
)
