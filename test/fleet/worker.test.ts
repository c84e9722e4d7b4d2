// Workers on real agents: what becomes of each kind, how politely they were asked by the agents' own log, and that nothing
// is lost when one dies.

import { afterEach, expect, test } from 'vitest'
import { standingOf } from '../../src/fleet/fleet-summary.ts'
import { ResultBook } from '../../src/fleet/result-book.ts'
import { parseRecord } from '../../src/run/record-reader.ts'
import { agentsOf, listed, worked } from './fleet.ts'
import { sqliteStore, type TestStore } from './fleet-stores.ts'
import { type HostKind, MockHosts, mannersIn } from './mock-hosts.ts'

const cleanUp: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const clean of cleanUp.splice(0).toReversed()) await clean()
})

async function hostsOf(kinds: readonly HostKind[], agents?: Parameters<typeof MockHosts.start>[1]): Promise<MockHosts> {
  const hosts = await MockHosts.start(kinds, agents)
  cleanUp.push(() => hosts.close())
  return hosts
}

async function stored(): Promise<TestStore> {
  const opened = await sqliteStore()
  cleanUp.push(() => opened.remove())
  return opened
}

test('every kind of agent has one result that says what it is', async () => {
  const kinds: HostKind[] = ['live', 'dead', 'locked', 'throttled', 'busy', 'paid', 'hostile', 'overloaded']
  const hosts = await hostsOf(kinds)
  const { store } = await stored()
  process.env.FLEET_TEST_TOKEN = 'a-secret-nobody-may-see'
  const agents = [
    ...hosts.agents,
    { agent: `${hosts.hosts[0]?.url}/a0`, labels: { twice: 'yes' } },
    { agent: `${hosts.hosts[0]?.url}/none`, credentials: { bearer: `\${FLEET_TEST_MISSING}` } },
    { agent: `${hosts.hosts[0]?.url}/with`, credentials: { bearer: `\${FLEET_TEST_TOKEN}` } },
  ]
  const listing = await listed(store, agents, { settings: { timeoutMs: 30_000, patienceMs: 1_500 } })
  expect(listing).toMatchObject({ listed: kinds.length + 2, duplicates: 1 })
  await worked([store], listing)
  const found = await agentsOf(store)
  const standings = hosts.hosts.map(({ kind, agents: [url = ''] }) => [kind, standingOf(found.get(url) as never)])
  expect(standings).toEqual([
    ['live', 'at least minimal'],
    ['dead', 'dead'],
    ['locked', 'locked'],
    ['throttled', 'throttled'],
    ['busy', 'at least minimal'],
    ['paid', 'payment'],
    ['hostile', 'non-conformant'],
    ['overloaded', 'at least minimal'],
  ])
  expect(found.get(`${hosts.hosts[0]?.url}/none`)?.result).toMatchObject({
    outcome: 'no-credentials',
    message: 'its credentials refer to the environment variable FLEET_TEST_MISSING, which is not set for this worker',
  })
  expect(found.get(hosts.hosts[4]?.agents[0] ?? '')?.result?.attempts).toBe(2)
  // Whoever asks for money is asked once.
  expect(hosts.log.filter(({ host }) => host === 5)).toHaveLength(1)
  const book = new ResultBook(store.db)
  const live = found.get(hosts.agents[0] ?? '')
  const record = parseRecord((await book.record('fleet', live?.id ?? '')) ?? '', 'record')
  expect(record.run.footer.conformanceLevel).toBe('at least minimal')
  const everything = JSON.stringify([
    await store.db.rows('SELECT * FROM agents'),
    await store.db.rows('SELECT * FROM fleets'),
    await Promise.all([...found.values()].map(({ id }) => book.record('fleet', id))),
  ])
  expect(everything).not.toContain('a-secret-nobody-may-see')
  expect(mannersIn(hosts.log).userAgents).toEqual([
    expect.stringMatching(/^a2a-parley\/[\d.]+ \(fleet; \+https:\/\/\S+\)$/),
  ])
}, 60_000)

test('two workers ask one agent of a host at a time, no faster than its rate, and a large host starves nobody', async () => {
  const hosts = await hostsOf(['live', 'live', 'live'], (host) => (host === 0 ? 6 : 1))
  const opened = await stored()
  const other = await opened.again()
  const listing = await listed(opened.store, hosts.agents, { settings: { hostRate: 200 } })
  const order: string[] = []
  const onResult = ({ origin }: { origin: string }) => void order.push(origin)
  await worked([opened.store, other], listing, { slots: 2, onResult })
  const { overlaps, busiestSecond } = mannersIn(hosts.log)
  expect(overlaps).toBe(0)
  expect(busiestSecond).toBeLessThanOrEqual(202)
  const small = hosts.hosts.slice(1).map(({ url }) => order.indexOf(url))
  expect(Math.max(...small)).toBeLessThan(4)
  expect(order).toHaveLength(8)
})

test('a host where the cards of others lead is asked by one worker at a time, in turn with its own agents', async () => {
  const hosts = await hostsOf(['live', 'leading', 'leading', 'leading'], (host) => (host === 0 ? 6 : 1))
  const opened = await stored()
  const other = await opened.again()
  // Three of the first host's agents are listed by its own address, and three by the hosts that lead there.
  const listing = await listed(opened.store, hosts.agents.toSpliced(3, 3))
  await worked([opened.store, other], listing)
  const found = [...(await agentsOf(opened.store)).values()]
  expect(found.map((agent) => standingOf(agent))).toEqual(found.map(() => 'at least minimal'))
  expect(found.map(({ result }) => result?.attempts)).toEqual(found.map(() => 1))
  // Whoever came stayed until he was through: nobody else was asked in between.
  const asked = hosts.log.filter(({ host }) => host === 0).map(({ agent }) => agent)
  const turns = asked.filter((agent, at) => agent !== asked[at - 1])
  expect(turns.toSorted()).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5'])
})

test('what a host where the card leads asks for is noted for that host, not for the one of the card', async () => {
  const hosts = await hostsOf(['throttled', 'leading'])
  const { store } = await stored()
  const listing = await listed(store, hosts.agents.slice(1), { settings: { patienceMs: 500 } })
  await worked([store], listing)
  const [agent] = [...(await agentsOf(store)).values()]
  const elsewhere = hosts.hosts[0]?.url
  expect(agent?.result).toMatchObject({
    outcome: 'throttled',
    message: `${elsewhere} answers HTTP 429, Retry-After: 1`,
  })
  expect(await store.db.rows('SELECT origin FROM hosts')).toEqual([{ origin: elsewhere }])
})

test('an agent that hangs costs one slot for its deadline, not the worker', async () => {
  const hosts = await hostsOf(['hanging', 'live', 'live'])
  const { store } = await stored()
  const order: string[] = []
  const listing = await listed(store, hosts.agents, { settings: { deadlineMs: 6_000, timeoutMs: 60_000 } })
  await worked([store], listing, { slots: 2, onResult: ({ url }, { outcome }) => void order.push(`${outcome} ${url}`) })
  expect(order.at(-1)).toBe(`timeout ${hosts.agents[0]}`)
  expect(order).toHaveLength(3)
})

test('whoever opted out, or is not public, is not called', async () => {
  const hosts = await hostsOf(['live', 'live'])
  const { store } = await stored()
  const [first, second] = hosts.agents
  const listing = await listed(store, [first], { settings: { allowsPrivate: false } })
  await worked([store], listing)
  const next = await listed(store, [second], { name: 'other', settings: { optOut: ['127.0.0.1'] } })
  await worked([store], next)
  expect((await agentsOf(store)).get(first ?? '')?.result).toMatchObject({
    outcome: 'refused',
    message: '127.0.0.1 is not a public address (loopback)',
  })
  expect((await agentsOf(store, 'other')).get(second ?? '')?.state).toBe('opted-out')
  expect(hosts.log).toEqual([])
})

test('what a worker was stopped in the middle of is judged by the next, as another attempt', async () => {
  const hosts = await hostsOf(['live'])
  const { store } = await stored()
  const listing = await listed(store, hosts.agents)
  const stop = new AbortController()
  const begun = setInterval(() => hosts.log.length > 0 && stop.abort(), 5)
  await worked([store], listing, { signal: stop.signal })
  clearInterval(begun)
  await worked([store], listing)
  const [agent] = [...(await agentsOf(store)).values()]
  expect(agent?.result).toMatchObject({ outcome: 'judged', attempts: 2 })
})
