// The peers of a matrix: servers that are there or are started, and clients that are opened once for all their cells.

import { setTimeout as pause } from 'node:timers/promises'
import type { BindingId, DialectId } from '../dialects/dialect.ts'
import { type Child, endGroup, Output, startChild } from '../grade/clients/child.ts'
import { commandClient } from '../grade/clients/command-client.ts'
import { harnessClient } from '../grade/clients/harness-client.ts'
import type { GradedClient } from '../grade/graded-client.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { MatrixFile } from '../scenario/matrix/matrix-shape.ts'

interface Peer {
  readonly name: string
  /** Of its SDK. */
  readonly version?: string
  readonly versions?: readonly DialectId[]
  readonly bindings?: readonly BindingId[]
}

export interface MatrixServer extends Peer {
  open(): Promise<RunningServer>
}

export interface RunningServer {
  readonly url: string
  /** Why it is there no more, for one that was started here: whoever answers at its address now is somebody else. */
  whyEnded?(): ParleyError | undefined
  close(): Promise<void>
}

export interface MatrixClient extends Peer {
  open(): Promise<GradedClient>
}

const READY_MS = 60_000
const LOOK_MS = 20

export function serversOf({ servers }: MatrixFile, folder: (cwd: string | undefined) => string): MatrixServer[] {
  checkPlaces(servers)
  return servers.map(({ url, command = [], cwd, env, ...peer }) => ({
    ...peer,
    open: async () =>
      url === undefined
        ? startServer(peer.name, command, { cwd: folder(cwd), variables: Object.fromEntries(env ?? []) })
        : { url, close: async () => {} },
  }))
}

export function clientsOf({ clients }: MatrixFile, folder: (cwd: string | undefined) => string): MatrixClient[] {
  return clients.map(({ command, harness, cwd, env, ...peer }) => ({
    ...peer,
    open: async () => {
      const options = { cwd: folder(cwd), variables: Object.fromEntries(env ?? []) }
      return harness === 'ndjson' ? harnessClient(command, options) : commandClient(command, options)
    },
  }))
}

/** Two names for one server would be two columns that say the same. */
function checkPlaces(servers: MatrixFile['servers']): void {
  const taken = new Map<string, string>()
  for (const { name, url } of servers) {
    const place = url === undefined ? undefined : (URL.parse(url)?.href ?? url)
    const other = place === undefined ? undefined : taken.get(place)
    if (other !== undefined)
      throw new ParleyError('same-url', `The servers ${other} and ${name} have the same url, ${url}.`, {
        exitCode: EXIT.usage,
        hint: 'Give each server its own port or path, or leave one out.',
      })
    if (place !== undefined) taken.set(place, name)
  }
}

/** Ready when it has printed its URL. */
async function startServer(
  name: string,
  words: readonly string[],
  options: { cwd: string; variables: NodeJS.ProcessEnv },
) {
  const child = await startChild(words, options)
  const stdout = new Output(child.stdout)
  const stderr = new Output(child.stderr)
  const close = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('close', resolve))
    endGroup(child)
    await ended
  }
  const until = performance.now() + READY_MS
  const whyNot = (what: string): ParleyError => {
    const last = `${stdout.text}${stderr.text}`.trim().split('\n').slice(-10).join('\n  ')
    const none = 'It printed nothing; a server prints its URL as its first line.'
    const hint = last === '' ? none : `Its last output:\n  ${last}`
    return new ParleyError('server-not-started', `The server ${name} ${what}.`, { exitCode: EXIT.usage, hint })
  }
  const ending = () => `ended with ${child.exitCode ?? child.signalCode}`
  const whyEnded = () => (hasEnded(child) ? whyNot(`printed its URL, and then ${ending()}`) : undefined)
  while (performance.now() < until && !hasEnded(child)) {
    const url = /https?:\/\/\S+/.exec(stdout.text)?.[0]
    if (url !== undefined) return { url: url.replace(/[.,;)]+$/, ''), whyEnded, close }
    await pause(LOOK_MS)
  }
  const why = hasEnded(child) ? `it ${ending()}` : 'it printed no URL within 60 s'
  await close()
  throw whyNot(`did not start: ${why}`)
}

function hasEnded({ exitCode, signalCode }: Child): boolean {
  return exitCode !== null || signalCode !== null
}
