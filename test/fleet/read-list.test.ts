// Lists: what may stand in them, what is wrong with them by line, and that their length does not matter.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type AgentList, type Listed, openList } from '../../src/fleet/read-list.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-lists-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function* bytes(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text)
}

async function opened(name: string, text: string): Promise<AgentList> {
  if (name === '-') return openList('-', () => bytes(text))
  const path = join(folder, name)
  writeFileSync(path, text)
  return openList(path, () => bytes())
}

async function all(list: AgentList): Promise<Listed[]> {
  const found: Listed[] = []
  for await (const one of list.entries) found.push(one)
  return found
}

const urlsOf = (listed: readonly Listed[]) => listed.flatMap((one) => ('entry' in one ? [one.entry.url] : []))
const problemsOf = (listed: readonly Listed[]) =>
  listed.flatMap((one) => ('problem' in one ? [[one.line, one.problem]] : []))

test('agents.yaml: what holds for all, what one agent wants, and what is wrong with its line', async () => {
  const list = await opened(
    'agents.yaml',
    `name: mine
every: 1d
optOut: [example.org]
agents:
  - localhost:9999/spec/
  - agent: https://b.example/x
    labels: {team: pay, tier: 1}
    profile: full
    only: get-task-unknown
    every: 2h
    credentials: {bearer: '\${TOKEN}'}
  - agent: https://c.example
    profile: qick
  - agent: https://d.example
    credentials: {bearer: s3cr3t-itself}
  - 7
  - agent: ftp://e.example
  - agent: https://f.example
    lables: {}
`,
  )
  expect({ name: list.name, head: list.head, isForeign: list.isForeign }).toEqual({
    name: 'mine',
    head: { name: 'mine', everyMs: 86_400_000, optOut: ['example.org'] },
    isForeign: false,
  })
  const listed = await all(list)
  expect(urlsOf(listed)).toEqual(['http://localhost:9999/spec', 'https://b.example/x'])
  expect(listed[1]).toMatchObject({
    entry: {
      labels: { team: 'pay', tier: '1' },
      profile: 'full',
      only: ['get-task-unknown'],
      everyMs: 7_200_000,
      credentials: { bearer: `\${TOKEN}` },
    },
  })
  expect(problemsOf(listed)).toEqual([
    [12, "there is no profile 'qick'; did you mean 'quick'?"],
    [
      14,
      `secrets are not written into the list; write bearer: \${NAME} for an environment variable, or bearer: file:/path`,
    ],
    [16, 'it is neither an address nor an object with the key agent'],
    [17, '"ftp://e.example" is neither an agent\'s URL nor a card file'],
    [18, "unknown key 'lables'; did you mean 'labels'?"],
  ])
})

test.each([
  [
    'lines.jsonl',
    '{"agent":"a.example"}\nnot json\n\n"b.example"\n',
    ['https://a.example', 'https://b.example'],
    [[2, 'it is not JSON']],
  ],
  ['-', 'https://a.example\n# left out\nb.example\n', ['https://a.example', 'https://b.example'], []],
  [
    '-',
    '[\n{"url": "https://a.example/agent", "name": "A"},\n{"nothing": 1}]',
    ['https://a.example/agent'],
    [[2, "it needs the key 'agent'"]],
  ],
  [
    '-',
    '{"agents": [{"wellKnownURI": "https://a.example/.well-known/agent-card.json"}]}',
    ['https://a.example/.well-known/agent-card.json'],
    [],
  ],
  ['-', 'agents:\n  - a.example\n', ['https://a.example'], []],
])('%s: %j', async (name, text, urls, problems) => {
  const listed = await all(await opened(name, text))
  expect(urlsOf(listed)).toEqual(urls)
  expect(problemsOf(listed)).toEqual(problems)
})

test.each([
  ['bad.yaml', 'agents: [', /cannot be read: line 1: /],
  ['key.yaml', 'agens:\n  - a.example\n', /needs the key 'agents'/],
  ['head.yaml', 'evry: 1d\nagents: []\n', /line 1: unknown key 'evry'/],
  ['every.yaml', 'every: 1s\nagents: []\n', /line 1: every must be a duration/],
  ['many.yaml', `agents:\n${'  - a.example\n'.repeat(10_001)}`, /lists 10001 agents, and YAML may list 10000/],
])('%s is refused in one sentence', async (name, text, message) => {
  await expect(opened(name, text)).rejects.toThrow(message)
  await expect(openList(join(folder, 'nowhere.yaml'), () => bytes())).rejects.toThrow('there is no such file')
})

test('a list from a URL is somebody else’s: it names no secrets of ours', async () => {
  const server = createServer((_, response) =>
    response.end(`{"agent":"a.example","credentials":{"bearer":"\${PATH}"}}\n`),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agents.jsonl`
  const list = await openList(url, () => bytes())
  expect(list.isForeign).toBe(true)
  expect(problemsOf(await all(list))[0]?.[1]).toMatch(/credentials are not taken from a list that came from a URL/)
  server.close()
})

test('only as much of a long list is read as somebody has asked for', async () => {
  let made = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) yield new TextEncoder().encode(`{"agent":"https://h${made++}.example"}\n`)
  }
  const list = await openList('-', endless)
  let read = 0
  for await (const one of list.entries) if ('entry' in one && ++read === 1_000) break
  expect(made).toBeLessThan(1_010)
})
