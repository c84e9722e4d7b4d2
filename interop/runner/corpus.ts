// What stands in interop/: one folder per SDK with its agents (agent.yaml) and what was ruled about them
// (rulings.yaml). Both are read strictly, so that a ruling without a clause, proof or reason is not one.

import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readYamlFile } from '../../src/judge/runner/yaml-file.ts'
import {
  boolean,
  choice,
  durationMs,
  type Infer,
  list,
  mapOf,
  nonEmptyText,
  optional,
  record,
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

const MANIFEST = record({
  sdk: nonEmptyText,
  language: nonEmptyText,
  /** Judged in continuous integration, not only by `npm run interop`. */
  ci: optional(boolean),
  /** What an operator of the corpus should know: another version than wished for, for instance. */
  note: optional(nonEmptyText),
  /** Programs that must be there, by the command that prints their version. */
  needs: optional(list(record({ command: nonEmptyText, atLeast: nonEmptyText }))),
  agents: list(AGENT, 1),
})

const RULING = record({
  check: nonEmptyText,
  /** Generations and bindings: `1.0/jsonrpc`, or `1.0` for what is judged once per protocol version. */
  on: list(nonEmptyText, 1),
  /** Agents of the folder; all of them when absent. */
  agents: optional(list(nonEmptyText, 1)),
  /** Who would have to change: the SDK, or our small agent on it because the SDK leaves it to the author. */
  deviates: choice(['sdk', 'agent']),
  /** The generation and place of the text that forbids it. */
  clause: nonEmptyText,
  why: nonEmptyText,
  /** What was sent and what came back; ids, ports and times as placeholders. */
  bytes: nonEmptyText,
})

export type AgentEntry = Infer<typeof AGENT>
export type Manifest = Infer<typeof MANIFEST>
export type Ruling = Infer<typeof RULING>

export interface Folder {
  name: string
  path: string
  manifest: Manifest
  rulings: Ruling[]
}

export async function readCorpus(corpus: string = CORPUS): Promise<Folder[]> {
  const entries = await readdir(corpus, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory() && entry.name !== 'runner' && entry.name !== '.build')
  return Promise.all(
    names
      .map(({ name }) => name)
      .sort()
      .map((name) => readFolder(join(corpus, name), name)),
  )
}

async function readFolder(path: string, name: string): Promise<Folder> {
  const manifest = await readYamlFile(join(path, 'agent.yaml'), 'agent', MANIFEST)
  const rulings = await readRulings(join(path, 'rulings.yaml'))
  const known = new Set(manifest.agents.map((agent) => agent.name))
  const ruled = new Set<string>()
  for (const ruling of rulings)
    for (const agent of ruling.agents ?? known) {
      if (!known.has(agent))
        throw new Error(`${name}/rulings.yaml: ${ruling.check} names the agent ${agent}, which is not in agent.yaml.`)
      for (const key of keysOf(ruling)) {
        const place = `${agent}: ${key}`
        if (ruled.has(place)) throw new Error(`${name}/rulings.yaml rules twice about ${place}; keep one.`)
        ruled.add(place)
      }
    }
  return { name, path, manifest, rulings }
}

/** Nothing is ruled about a new folder. */
async function readRulings(path: string): Promise<Ruling[]> {
  if (!existsSync(path)) return []
  return (await readYamlFile(path, 'rulings', record({ rulings: list(RULING) }))).rulings
}

/** The keys of the results a ruling is about. */
export function keysOf({ check, on }: Pick<Ruling, 'check' | 'on'>): string[] {
  return on.map((place) => `${check}@${place}`)
}

export function rulingsFor(agent: string, rulings: readonly Ruling[]): Ruling[] {
  return rulings.filter(({ agents }) => agents === undefined || agents.includes(agent))
}
