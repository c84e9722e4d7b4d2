// What stands in interop/: one folder per SDK with its agents and clients (peer.yaml) and what was ruled about them
// (rulings.yaml, client-rulings.yaml). All are read strictly, so that a ruling without a clause, proof or reason is not one.

import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readYamlFile } from '../../src/yaml/file.ts'
import {
  boolean,
  choice,
  durationMs,
  type Infer,
  integer,
  list,
  mapOf,
  nonEmptyText,
  optional,
  record,
  type Shape,
} from '../../src/yaml/shape.ts'

export const CORPUS = join(import.meta.dirname, '..')

const AGENT = record({
  name: nonEmptyText,
  does: nonEmptyText,
  /** `{port}`, `{build}` and `{node}` are filled in; runs in the folder. */
  run: list(nonEmptyText, 1),
  /** The path of the agent; the server is ready when its card (default: the well-known one) is answered. */
  path: optional(nonEmptyText),
  card: optional(nonEmptyText),
  prompts: optional(nonEmptyText),
  env: optional(mapOf(nonEmptyText)),
  bearer: optional(nonEmptyText),
  bearerB: optional(nonEmptyText),
  apiKey: optional(nonEmptyText),
  version: optional(choice(['1.0', '0.3', '0.1'])),
  timeout: optional(durationMs),
})

const CLIENT = record({
  name: nonEmptyText,
  does: nonEmptyText,
  /** `{build}` and `{node}` are filled in, and `{url}` of a command; runs in the folder. */
  run: list(nonEmptyText, 1),
  /** One process for all scenarios, or a command for each (docs/grade-a-client.md). */
  drive: choice(['ndjson', 'command']),
  env: optional(mapOf(nonEmptyText)),
  /** Protocol versions it speaks; all unless given. For the matrix: `parley grade` finds out by itself. */
  versions: optional(list(choice(['1.0', '0.3', '0.1']), 1)),
  /** Bindings it speaks; JSON-RPC and REST unless given. For the matrix as well. */
  bindings: optional(list(choice(['jsonrpc', 'rest', 'grpc']), 1)),
  /** Scenarios at a time; 4. */
  concurrency: optional(integer(1, 64)),
  timeout: optional(durationMs),
})

const MANIFEST = record({
  sdk: nonEmptyText,
  language: nonEmptyText,
  /** Judged in continuous integration, not only by `npm run interop`. */
  ci: optional(boolean),
  /** What an operator of the corpus should know: another version than wished for, for instance. */
  note: optional(nonEmptyText),
  /** Programs that must be there, by the command that prints their version. */
  needs: optional(list(record({ command: nonEmptyText, atLeast: nonEmptyText }))),
  agents: optional(list(AGENT, 1)),
  clients: optional(list(CLIENT, 1)),
})

/** What every ruling says, whomever it is about. */
const GROUNDS = {
  /** Generations and bindings: `1.0/jsonrpc`, or `1.0` for what is judged once per protocol version. */
  on: list(nonEmptyText, 1),
  /** The generation and place of the text that forbids it. */
  clause: nonEmptyText,
  why: nonEmptyText,
  /** What was sent and what came back; ids, ports and times as placeholders. */
  bytes: nonEmptyText,
}

const RULING = record({
  check: nonEmptyText,
  /** Agents of the folder; all of them when absent. */
  agents: optional(list(nonEmptyText, 1)),
  /** Who would have to change: the SDK, or our small agent on it because the SDK leaves it to the author. */
  deviates: choice(['sdk', 'agent']),
  ...GROUNDS,
})

const CLIENT_RULING = record({
  claim: nonEmptyText,
  /** Clients of the folder; all of them when absent. */
  clients: optional(list(nonEmptyText, 1)),
  /** Who would have to change: the SDK, or our harness on it because the SDK leaves it to the author. */
  deviates: choice(['sdk', 'client']),
  ...GROUNDS,
})

export type AgentEntry = Infer<typeof AGENT>
export type ClientEntry = Infer<typeof CLIENT>
export type Manifest = Infer<typeof MANIFEST>

/** About agents or clients: the id of a check or claim, and the names of the peers. */
export interface Ruling extends Omit<Infer<typeof RULING>, 'check' | 'agents' | 'deviates'> {
  test: string
  peers?: string[]
  deviates: 'sdk' | 'agent' | 'client'
}

export interface Folder {
  name: string
  path: string
  manifest: Manifest
  rulings: Ruling[]
  clientRulings: Ruling[]
}

export async function readCorpus(corpus: string = CORPUS): Promise<Folder[]> {
  const entries = await readdir(corpus, { withFileTypes: true })
  // What is built and what Python keeps (.build, __pycache__) is none of ours.
  const names = entries.filter(
    (entry) => entry.isDirectory() && /^(?!runner$)\w/.test(entry.name) && !/^_/.test(entry.name),
  )
  return Promise.all(
    names
      .map(({ name }) => name)
      .sort()
      .map((name) => readFolder(join(corpus, name), name)),
  )
}

async function readFolder(path: string, name: string): Promise<Folder> {
  const manifest = readYamlFile(join(path, 'peer.yaml'), 'peer', MANIFEST)
  const { agents = [], clients = [] } = manifest
  const names = [...agents, ...clients].map((peer) => peer.name)
  if (names.length === 0) throw new Error(`${name}/peer.yaml names neither agents nor clients; give it one.`)
  const twice = names.find((one, at) => names.indexOf(one) !== at)
  if (twice !== undefined)
    throw new Error(`${name}/peer.yaml names ${twice} twice; agents and clients need different names.`)
  const rulings = (await readRulings(path, 'rulings.yaml', RULING)).map(({ check, agents: peers, ...rest }) => ({
    ...{ test: check, ...rest },
    ...(peers !== undefined && { peers }),
  }))
  const clientRulings = (await readRulings(path, 'client-rulings.yaml', CLIENT_RULING)).map(
    ({ claim, clients: peers, ...rest }) => ({ test: claim, ...rest, ...(peers !== undefined && { peers }) }),
  )
  checkRulings(`${name}/rulings.yaml`, rulings, agents)
  checkRulings(`${name}/client-rulings.yaml`, clientRulings, clients)
  return { name, path, manifest, rulings, clientRulings }
}

function checkRulings(file: string, rulings: readonly Ruling[], peers: readonly { name: string }[]): void {
  const known = new Set(peers.map(({ name }) => name))
  const ruled = new Set<string>()
  for (const ruling of rulings)
    for (const peer of ruling.peers ?? known) {
      if (!known.has(peer)) throw new Error(`${file}: ${ruling.test} names ${peer}, which is not in peer.yaml.`)
      for (const key of keysOf(ruling)) {
        const place = `${peer}: ${key}`
        if (ruled.has(place)) throw new Error(`${file} rules twice about ${place}; keep one.`)
        ruled.add(place)
      }
    }
}

/** Nothing is ruled about a new folder. */
async function readRulings<T>(folder: string, file: string, ruling: Shape<T>): Promise<T[]> {
  const path = join(folder, file)
  if (!existsSync(path)) return []
  return readYamlFile(path, 'rulings', record({ rulings: list(ruling) })).rulings
}

/** The keys of the results a ruling is about. */
export function keysOf({ test, on }: Pick<Ruling, 'test' | 'on'>): string[] {
  return on.map((place) => `${test}@${place}`)
}

export function rulingsFor(peer: string, rulings: readonly Ruling[]): Ruling[] {
  return rulings.filter(({ peers }) => peers === undefined || peers.includes(peer))
}
