// `npm run interop [-- names…]`: builds the peers of the corpus, judges each agent and grades each client twice, and ends
// with 1 unless all are settled. Without names, what this machine cannot build is skipped and said; what is named must be
// judged. `agents` and `clients` name all of a role; `--ci` the folders that run in continuous integration.

import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { BUILD, build, whatIsMissing } from './build.ts'
import { openClosedDoor } from './closed-door.ts'
import { type Folder, readCorpus } from './corpus.ts'
import { draftRulings } from './draft.ts'
import { gradeFolderClient } from './grade-client.ts'
import { judgeAgent } from './judge-agent.ts'
import type { Judged } from './judged.ts'
import { isFine, renderComplaints, renderTable } from './table.ts'

/** Judging is mostly waiting (for a retry that never comes, for twenty seconds), and others are built meanwhile. */
const FOLDERS_AT_ONCE = 4

const ROLES = {
  agents: ({ name, manifest }: Folder) => (manifest.agents ?? []).map((one) => `${name}/${one.name}`),
  clients: ({ name, manifest }: Folder) => (manifest.clients ?? []).map((one) => `${name}/${one.name}`),
}

const corpus = await readCorpus()
const words = process.argv.slice(2)
const named = words.flatMap((word) => {
  if (word === '--ci') return corpus.filter(isInCi).map(({ name }) => name)
  const roles = Object.entries(ROLES).filter(([role]) => role === word)
  return roles.length === 0 ? [word] : corpus.flatMap((folder) => roles.flatMap(([, peers]) => peers(folder)))
})
const known = new Set(corpus.flatMap((folder) => [folder.name, ...ROLES.agents(folder), ...ROLES.clients(folder)]))
const unknown = named.filter((word) => !known.has(word))
if (unknown.length > 0) {
  console.error(`There is no peer ${unknown.join(', ')}; known are agents, clients, ${[...known].join(', ')}.`)
  process.exitCode = 2
} else process.exitCode = await run()

function isInCi({ manifest }: Folder): boolean {
  return manifest.ci === true
}

function isWanted(folder: string, peer?: string): boolean {
  if (named.length === 0 || named.includes(folder)) return true
  return peer === undefined ? named.some((word) => word.startsWith(`${folder}/`)) : named.includes(`${folder}/${peer}`)
}

async function run(): Promise<number> {
  const door = await openClosedDoor()
  const judged: Judged[] = []
  const failures: string[] = []
  const skipped: string[] = []
  const queue = corpus.filter(({ name }) => isWanted(name)).values()
  await Promise.all(Array.from({ length: FOLDERS_AT_ONCE }, judgeFolders))
  door.close()
  console.log(`\n${renderTable(judged)}`)
  for (const line of skipped) console.log(`skipped ${line}`)
  for (const line of failures) console.log(`FAILED ${line}`)
  return failures.length === 0 && judged.every(isFine) ? 0 : 1

  async function judgeFolders(): Promise<void> {
    for (const folder of queue) {
      const missing = await whatIsMissing(folder.manifest)
      if (missing !== undefined) {
        ;(named.length === 0 ? skipped : failures).push(`${folder.name}: ${missing}`)
        continue
      }
      try {
        judged.push(...(await judgeFolder(folder)))
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error))
      }
    }
  }

  async function judgeFolder(folder: Folder): Promise<Judged[]> {
    const how = await build(folder)
    console.log(`${folder.name} (${folder.manifest.sdk}): ${how}`)
    const { agents = [], clients = [] } = folder.manifest
    const isNamed = ({ name }: { name: string }) => isWanted(folder.name, name)
    // The agents of a folder wait together.
    const done = await Promise.all(agents.filter(isNamed).map((agent) => judgeAgent(folder, agent, door)))
    const graded: Judged[] = []
    for (const client of clients.filter(isNamed)) graded.push(await gradeFolderClient(folder, client, door))
    for (const one of [...done, ...graded]) {
      console.log(`${one.folder}/${one.peer}: ${isFine(one) ? 'settled' : 'NOT SETTLED'}`)
      const complaints = renderComplaints(one)
      if (complaints !== '') console.log(complaints)
    }
    await keepDraft(folder.name, done)
    await keepDraft(`${folder.name}-clients`, graded)
    return [...done, ...graded]
  }
}

async function keepDraft(name: string, done: readonly Judged[]): Promise<void> {
  const draft = draftRulings(done)
  if (draft === undefined) return
  const path = join(BUILD, 'drafts', `${name}.yaml`)
  await mkdir(join(BUILD, 'drafts'), { recursive: true })
  await writeFile(path, draft)
  console.log(`  drafts of rulings: ${relative(process.cwd(), path)}`)
}
