// Runs a matrix: every server is started once, every client opened once, and each cell talks through a tap of its own.

import { jsonIn } from '../bindings/endpoint-client.ts'
import { DIALECTS, dialectById } from '../dialects/index.ts'
import type { GradedClient } from '../grade/graded-client.ts'
import { type Surface, surfaceKey } from '../grade/scenario.ts'
import { ParleyError } from '../model/errors.ts'
import { isJsonObject, type JsonObject, objectAt } from '../model/json.ts'
import { createListener } from '../net/serve/http-listener.ts'
import type { RunResult } from '../run/run.ts'
import { blameFor, firstFault } from './blame.ts'
import { resultOf, type Told } from './cell-result.ts'
import { CONVERSATION, type ConversationId } from './conversations.ts'
import { interfaceOf } from './narrow-card.ts'
import { openTap } from './open-tap.ts'
import type { MatrixServer, RunningServer } from './peers.ts'
import type { Cell, MatrixPlan } from './plan.ts'

export interface MatrixOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Results of a run that was interrupted, which are not asked for again. */
  readonly done?: ReadonlyMap<string, RunResult>
  readonly onResult?: (result: RunResult) => void
  /** 1 */
  readonly serversAtOnce?: number
}

const DEFAULT_TIMEOUT_MS = 15_000
const CARD_TIMEOUT_MS = 10_000

export async function runMatrix(
  { cells, conversations }: MatrixPlan,
  options: MatrixOptions = {},
): Promise<RunResult[]> {
  const results = new Map<Cell, RunResult[]>()
  const clients = new Map<string, Promise<GradedClient | ParleyError>>()
  const hook = createListener((_req, res) => void res.writeHead(200).end())
  const webhook = `${(await hook.listen({ port: 0, host: '127.0.0.1' })).url}/hook`
  const takeFor = (cell: Cell) => (result: RunResult) => {
    results.set(cell, [...(results.get(cell) ?? []), result])
    options.onResult?.(result)
  }
  const running: Running = { conversations, clients, webhook, options, takeFor }
  const queue = [...Map.groupBy(cells, (cell) => cell.server)]
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined && !isStopped(options); next = queue.shift())
      await playServer(...next, running)
  }
  try {
    await Promise.all(Array.from({ length: options.serversAtOnce ?? 1 }, worker))
  } finally {
    await hook.close({ graceMs: 0 })
    for (const opened of clients.values()) {
      const client = await opened
      if (!(client instanceof ParleyError)) await client.close()
    }
  }
  // In the order of the plan, whichever server was done first.
  return cells.flatMap((cell) => results.get(cell) ?? [])
}

const isStopped = ({ signal }: MatrixOptions): boolean => signal?.aborted === true

/** What all cells of a run share. */
interface Running {
  readonly conversations: readonly ConversationId[]
  readonly clients: Map<string, Promise<GradedClient | ParleyError>>
  readonly webhook: string
  readonly options: MatrixOptions
  readonly takeFor: (cell: Cell) => (result: RunResult) => void
}

async function playServer(server: MatrixServer, own: readonly Cell[], running: Running): Promise<void> {
  const { conversations, clients, webhook, options, takeFor } = running
  /** A peer that does not start: the others are tried all the same. */
  const giveUp = (cell: Cell, error: ParleyError, blame: 'server' | 'harness') => {
    for (const id of conversations) takeFor(cell)(resultOf(cell, id, toldOf(error, blame)))
  }
  const started = await orWhyNot(server.open())
  if (started instanceof ParleyError) {
    for (const cell of own) giveUp(cell, started, 'server')
    return
  }
  try {
    for (const cell of own) {
      if (isStopped(options)) break
      const { client } = cell
      const opened = clients.get(client.name) ?? orWhyNot(client.open())
      clients.set(client.name, opened)
      const calling = await opened
      if (calling instanceof ParleyError) giveUp(cell, calling, 'harness')
      else await playCell({ cell, client: calling, server: started, webhook, options }, conversations, takeFor(cell))
    }
  } finally {
    await started.close()
  }
}

function toldOf({ message, hint = '' }: ParleyError, blame: 'server' | 'harness'): Told {
  return { verdict: 'fail', message: `${message} ${hint}`, finding: { blame, why: message } }
}

async function orWhyNot<T>(opening: Promise<T>): Promise<T | ParleyError> {
  try {
    return await opening
  } catch (error) {
    if (error instanceof ParleyError) return error
    throw error
  }
}

interface Playing {
  readonly cell: Cell
  readonly client: GradedClient
  readonly server: RunningServer
  readonly webhook: string
  readonly options: MatrixOptions
}

async function playCell(playing: Playing, conversations: readonly ConversationId[], take: (result: RunResult) => void) {
  const { cell, server, options } = playing
  const known = options.done
  const open = conversations.filter((id) => known?.get(resultOf(cell, id, { verdict: 'skip' }).key) === undefined)
  for (const id of conversations) {
    const before = open.includes(id) ? undefined : known?.get(resultOf(cell, id, { verdict: 'skip' }).key)
    if (before !== undefined) take(before)
  }
  if (open.length === 0) return
  const card = await cardOf(server.url)
  const why = whyNotSpoken(card, cell.surface)
  for (const id of open) {
    if (options.signal?.aborted === true) return
    const told: Told =
      why === undefined
        ? await converse({ ...playing, card: card ?? {} }, id)
        : { verdict: 'not-applicable', message: why }
    const ended = server.whyEnded?.()
    take(resultOf(cell, id, ended === undefined ? told : toldOf(ended, 'server')))
  }
}

function whyNotSpoken(card: JsonObject | undefined, surface: Surface): string | undefined {
  if (card === undefined) return 'the server has no card at the well-known path'
  const isThere = interfaceOf(card, surface) !== undefined
  return isThere ? undefined : `the card of the server names no interface of A2A ${surfaceKey(surface)}`
}

async function cardOf(url: string): Promise<JsonObject | undefined> {
  for (const path of new Set(DIALECTS.flatMap(({ card }) => card.wellKnownPaths))) {
    const place = `${url.replace(/\/$/, '')}${path}`
    const answer = await fetch(place, { signal: AbortSignal.timeout(CARD_TIMEOUT_MS) }).catch(() => undefined)
    const card = answer?.ok === true ? jsonIn(await answer.text()) : undefined
    if (isJsonObject(card)) return card
  }
  return undefined
}

async function converse(playing: Playing & { card: JsonObject }, id: ConversationId): Promise<Told> {
  const { cell, client, webhook, options } = playing
  const { url } = playing.server
  const startedMs = performance.now()
  const { surface } = cell
  const conversation = CONVERSATION[id]
  if (!dialectById(surface.version).has(conversation.needs))
    return { verdict: 'not-applicable', message: `A2A ${surface.version} has no such operation` }
  if (id === 'push' && objectAt(playing.card, 'capabilities')?.pushNotifications !== true)
    return { verdict: 'not-applicable', message: 'the card of the server offers no push notifications' }
  const intent = await conversation.intent({ server: url, surface, webhook })
  if (typeof intent === 'string') return { verdict: 'not-measured', message: intent }
  const tap = await openTap(playing.card, surface, url)
  if (typeof tap === 'string') return { verdict: 'not-applicable', message: tap }
  try {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, signal = new AbortController().signal } = options
    const cardUrl = `${tap.url}${DIALECTS.find((each) => each.id === surface.version)?.card.wellKnownPaths[0] ?? ''}`
    const exit = await client.run({ scenario: id, surface, url: tap.url, cardUrl, intent }, timeoutMs, signal)
    const durationMs = Math.round(performance.now() - startedMs)
    if (exit.outcome?.outcome === 'unsupported')
      return { verdict: 'skip', message: 'the client cannot do this', durationMs }
    const wrong = conversation.expect(exit)
    if (wrong === undefined) {
      // It worked, whatever the bytes; what is not legal in them is said all the same.
      const fault = firstFault(tap.exchanges, surface, tap.root)
      if (fault === undefined) return { verdict: 'pass', durationMs }
      return {
        verdict: 'warn',
        message: `it worked, although ${fault.why}`,
        finding: fault,
        durationMs,
        exchanges: tap.exchanges,
      }
    }
    const finding = blameFor(tap.exchanges, surface, tap.root, exit)
    return { verdict: 'fail', message: `${wrong}: ${finding.why}`, finding, durationMs, exchanges: tap.exchanges }
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    return { verdict: 'fail', message: error.message, finding: { blame: 'harness', why: error.message } }
  } finally {
    await tap.close()
  }
}
