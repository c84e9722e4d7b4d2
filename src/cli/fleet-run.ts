// `parley fleet run` and `parley fleet work`: a list in, workers going, progress while it goes on, the funnel at the end.

import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { whyUnreadable } from '../base/why-unreadable.ts'
import { fleetExitCode } from '../fleet/fleet-as-run.ts'
import { type Listing, listAgents } from '../fleet/list-agents.ts'
import { type FleetStore, openFleet } from '../fleet/open-fleet.ts'
import { type AgentList, openList } from '../fleet/read-list.ts'
import { ResultBook } from '../fleet/result-book.ts'
import { DEFAULT_SETTINGS, type FleetSettings } from '../fleet/settings.ts'
import { Worker, type WorkerOptions } from '../fleet/worker.ts'
import type { CliIo } from './cli-io.ts'
import { counted, usage } from './flag-values.ts'
import type { FleetFlags } from './fleet-flags.ts'
import { FleetProgress } from './fleet-progress.ts'
import { printSummary } from './fleet-show.ts'
import { interruptible } from './interruptible.ts'
import { ownCommand } from './invocation.ts'
import { terminalLine } from './terminal-text.ts'

export async function runFleet(given: string | undefined, flags: FleetFlags, io: CliIo): Promise<void> {
  if (given === undefined) throw usage(`Name the list of agents, for instance: ${ownCommand()} fleet run agents.yaml`)
  const list = await openList(given, () => process.stdin)
  const settings = settingsOf(list, flags)
  const store = await openFleet(flags.store)
  const { stop, exitCode, release } = interruptible()
  try {
    const listing = await listed(store, list, settings, flags, io, stop)
    const book = new ResultBook(store.db)
    const progress = new FleetProgress(io, flags.quiet === true, () => book.progress(listing.fleet, listing.run))
    const worker = workerOf(store, flags, io, {
      signal: stop,
      onResult: (attempt, result) => progress.result(attempt, result),
      isDone: async () => (await book.progress(listing.fleet, listing.run)).waiting === 0,
    })
    await progress.begin()
    await worker.run()
    progress.end()
    await printSummary(book, await book.fleet(listing.fleet), flags, io)
    const { waiting } = await book.progress(listing.fleet, listing.run)
    if (waiting > 0) io.err(`${waiting} agents are left; run the same command to continue.\n`)
    io.exit(exitCode() ?? fleetExitCode(await book.exitCodes(listing.fleet, listing.run)))
  } finally {
    release()
    await store.close()
  }
}

export async function workFleet(flags: FleetFlags, io: CliIo): Promise<void> {
  const store = await openFleet(flags.store)
  const { stop, release } = interruptible()
  let done = 0
  try {
    const book = new ResultBook(store.db)
    if (flags.quiet !== true)
      io.err(`Working on ${shown(flags.store)}, ${flags.concurrency} agents at a time; stop with Ctrl-C.\n`)
    const worker = workerOf(store, flags, io, {
      signal: stop,
      onResult: () => void done++,
      ...(flags.once === true ? { isDone: () => book.isIdle() } : {}),
    })
    await worker.run()
    if (flags.quiet !== true) io.err(`${done} agents tested by this worker.\n`)
    io.exit(0)
  } finally {
    release()
    await store.close()
  }
}

function workerOf(
  store: FleetStore,
  flags: FleetFlags,
  io: CliIo,
  options: Pick<WorkerOptions, 'signal' | 'onResult' | 'isDone'>,
): Worker {
  return new Worker(store, {
    name: `${hostname()}:${process.pid}`,
    slots: flags.concurrency,
    onOutage: (isAway) =>
      io.err(isAway ? 'The store does not answer; waiting for it.\n' : 'The store answers again.\n'),
    ...options,
  })
}

async function listed(
  store: FleetStore,
  list: AgentList,
  settings: FleetSettings,
  flags: FleetFlags,
  io: CliIo,
  signal: AbortSignal,
): Promise<Listing> {
  const unreadable = new Unreadable(io)
  const listing = await listAgents(store, list, {
    name: flags.name ?? list.name,
    settings,
    mayReplace: flags.replaceList === true,
    asksAll: flags.all === true,
    onProblem: (line, problem) => unreadable.tell(line, problem),
    signal,
  })
  unreadable.end()
  const { duplicates, isContinued, run } = listing
  if (flags.quiet !== true) {
    const twice = duplicates === 0 ? '' : `, ${duplicates} of them listed again`
    io.err(`Fleet '${listing.fleet}': ${counted(listing.listed, 'agent')}${twice}, in ${shown(flags.store)}.\n`)
    if (isContinued) io.err(`Continuing the run of ${run}.\n`)
  }
  if (listing.listed === 0 && !signal.aborted)
    throw usage('The list names no agent that could be read.', 'Write one address to a line, or see docs/fleet.md.')
  return listing
}

/** More than anybody reads are counted. */
class Unreadable {
  readonly #io: CliIo
  #count = 0

  constructor(io: CliIo) {
    this.#io = io
  }

  tell(line: number, problem: string): void {
    this.#count++
    if (this.#count <= MOST_TOLD) this.#io.err(terminalLine(`Line ${line} is left out: ${problem}.`).concat('\n'))
  }

  end(): void {
    if (this.#count > MOST_TOLD) this.#io.err(`${this.#count - MOST_TOLD} more lines are left out.\n`)
  }
}

const MOST_TOLD = 20

function settingsOf({ head, isForeign }: AgentList, flags: FleetFlags): FleetSettings {
  const given: Partial<Record<keyof FleetSettings, unknown>> = {
    profile: flags.full === true ? 'full' : head.profile,
    everyMs: flags.every ?? head.everyMs,
    hostConcurrency: flags.hostConcurrency,
    hostRate: flags.hostRate,
    turnsPerDay: flags.turnsPerDay,
    deadlineMs: flags.deadline,
    timeoutMs: flags.timeout,
    patienceMs: flags.patience,
    allowsPrivate: !isForeign || flags.allowPrivateNetworks === true,
    optOut: [...(head.optOut ?? []), ...(flags.optOut === undefined ? [] : hostsIn(flags.optOut))],
    contact: contactOf(flags.contact ?? head.contact),
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...DEFAULT_SETTINGS, ...Object.fromEntries(set) }
}

function contactOf(text: string | undefined): string | undefined {
  if (text === undefined || /^(https?:\/\/|mailto:)[\x21-\x7e]+$/.test(text)) return text
  throw usage(`--contact takes a URL or mailto: address, not ${JSON.stringify(text)}.`)
}

function hostsIn(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.replace(/#.*/, '').trim())
      .filter((line) => line !== '')
  } catch (cause) {
    throw usage(`The file ${file} of --opt-out cannot be read: ${whyUnreadable(cause)}.`)
  }
}

/** Without the password. */
export function shown(store: string): string {
  const url = /^postgres/.test(store) ? URL.parse(store) : null
  return url === null ? store : `${url.protocol}//${url.host}${url.pathname}`
}
