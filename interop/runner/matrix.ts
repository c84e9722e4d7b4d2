// `npm run matrix [-- words…]`: our own peers, every client with every server that this machine can build. Writes
// docs/matrix.md and, beside the other reports, the record and a badge for each peer. `--ci` takes the folders of continuous
// integration, writes no document, and ends with 1 when a pair fails that the document does not list; `--built` takes those
// that are built already; other words select as --only of `parley matrix` does.

import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BindingId } from '../../src/dialects/dialect.ts'
import { runOfMatrix } from '../../src/matrix/matrix-run.ts'
import type { MatrixClient, MatrixServer } from '../../src/matrix/peers.ts'
import { planMatrix } from '../../src/matrix/plan.ts'
import { runMatrix } from '../../src/matrix/run-matrix.ts'
import { ParleyError } from '../../src/model/errors.ts'
import { peerBadges } from '../../src/report/badge.ts'
import { beginRun } from '../../src/run/begin-run.ts'
import { jsonText } from '../../src/trace/json-text.ts'
import { startAgent } from './agent-process.ts'
import { BUILD, build, buildFolder, whatIsMissing } from './build.ts'
import { openClosedDoor } from './closed-door.ts'
import { type AgentEntry, CORPUS, type Folder, readCorpus } from './corpus.ts'
import { openClient } from './grade-client.ts'
import { renderMatrix, unlisted } from './matrix-document.ts'

/** One agent of each folder stands for its SDK. */
const STANDS_FOR = ['tasks', 'echo', 'hello']

const DOCUMENT = join(CORPUS, '..', 'docs', 'matrix.md')

const words = process.argv.slice(2)
const isCi = words.includes('--ci')
const isBuilt = words.includes('--built')
const only = words.filter((word) => !word.startsWith('--'))
const door = await openClosedDoor()
const { folders, skipped } = await buildable()
const servers = folders.flatMap(serverOf)
const clients = folders.flatMap(clientOf)
const plan = planMatrix({ servers, clients }, {}, only)
const header = beginRun({ kind: 'matrix', flags: words.filter((word) => word.startsWith('--')) })
const startedMs = performance.now()
let count = 0
const results = await runMatrix(plan, {
  timeoutMs: 10_000,
  // A conversation is mostly waiting.
  serversAtOnce: 3,
  onResult: ({ key, verdict, message = '', pair }) => {
    count++
    if (verdict === 'fail') console.log(`${key}: ${message} [${pair?.blame ?? ''}]`)
  },
})
const durationMs = Math.round(performance.now() - startedMs)
const run = runOfMatrix(header, results, { durationMs, complete: true })
door.close()
await mkdir(BUILD, { recursive: true })
await mkdir(join(BUILD, 'badges'), { recursive: true })
for (const [name, svg] of peerBadges(run)) await writeFile(join(BUILD, 'badges', `${name}.svg`), svg)
await writeFile(join(BUILD, 'matrix.json'), `${jsonText(run, 2)}\n`)
if (!isCi && only.length === 0) await writeFile(DOCUMENT, renderMatrix(run, folders, skipped))
console.log(`${count} conversations in ${plan.cells.length} cells, ${(durationMs / 1000).toFixed(0)} s`)
for (const line of skipped) console.log(`skipped ${line}`)
if (isCi) {
  const worse = unlisted(results, await readFile(DOCUMENT, 'utf8'))
  for (const { key } of worse) console.log(`NOT in docs/matrix.md: ${key}`)
  if (worse.length > 0) process.exitCode = 1
}

async function buildable() {
  const left: string[] = []
  const made: Folder[] = []
  for (const folder of await readCorpus()) {
    if (isCi && folder.manifest.ci !== true) continue
    const missing = (await whatIsMissing(folder.manifest)) ?? (isBuilt ? whatIsNotBuilt(folder) : undefined)
    if (missing === undefined) {
      await build(folder)
      made.push(folder)
    } else left.push(`${folder.name}: ${missing}`)
  }
  return { folders: made, skipped: left }
}

function whatIsNotBuilt({ name }: Folder): string | undefined {
  return existsSync(buildFolder(name)) ? undefined : 'it is not built'
}

/** One agent for the bindings of HTTP, and one for gRPC where the SDK has it at another place. */
function serverOf(folder: Folder): MatrixServer[] {
  const { agents = [], sdk } = folder.manifest
  const server = (agent: AgentEntry | undefined, bindings?: readonly BindingId[]): MatrixServer[] => {
    if (agent === undefined || agent.bearer !== undefined) return []
    const open = async () => {
      const running = await startAgent(folder, agent, door.env)
      const whyEnded = () =>
        running.hasEnded()
          ? new ParleyError('server-ended', `The server ${folder.name} ended: ${running.output().slice(-500).trim()}`)
          : undefined
      return { url: running.url, whyEnded, close: () => running.stop() }
    }
    return [{ name: folder.name, version: sdk, open, ...(bindings !== undefined && { bindings }) }]
  }
  const found = STANDS_FOR.map((name) => agents.find((each) => each.name === name)).find((each) => each !== undefined)
  const grpc = agents.find(({ name }) => name === 'grpc')
  return grpc === undefined ? server(found) : [...server(found, ['jsonrpc', 'rest']), ...server(grpc, ['grpc'])]
}

function clientOf(folder: Folder): MatrixClient[] {
  const { clients: all = [], sdk } = folder.manifest
  // Harnesses alone: a command that knows one sentence says little about a pair.
  return all
    .filter(({ drive }) => drive === 'ndjson')
    .slice(0, 1)
    .map((client) => ({
      ...{ name: folder.name, version: sdk, open: () => openClient(folder, client, door) },
      ...(client.versions !== undefined && { versions: client.versions }),
      bindings: client.bindings ?? ['jsonrpc', 'rest'],
    }))
}
