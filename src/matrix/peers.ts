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
  open(): Promise<{ url: string; close(): Promise<void> }>
}

export interface MatrixClient extends Peer {
  open(): Promise<GradedClient>
}

const READY_MS = 60_000
const LOOK_MS = 20

export function serversOf({ servers }: MatrixFile, folder: (cwd: string | undefined) => string): MatrixServer[] {
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
  while (performance.now() < until && !hasEnded(child)) {
    const url = /https?:\/\/\S+/.exec(stdout.text)?.[0]
    if (url !== undefined) return { url: url.replace(/[.,;)]+$/, ''), close }
    await pause(LOOK_MS)
  }
  const why = hasEnded(child) ? `it ended with ${child.exitCode ?? child.signalCode}` : 'it printed no URL within 60 s'
  await close()
  const words_ = `${stdout.text}${stderr.text}`.trim().split('\n').slice(-5).join('\n  ')
  throw new ParleyError('server-not-started', `The server ${name} did not start: ${why}.`, {
    exitCode: EXIT.usage,
    hint:
      words_ === ''
        ? 'It printed nothing; a server prints its URL as its first line.'
        : `Its last output:\n  ${words_}`,
  })
}

function hasEnded({ exitCode, signalCode }: Child): boolean {
  return exitCode !== null || signalCode !== null
}
