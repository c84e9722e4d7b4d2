// Push configurations in the Redis of the task store, shared by all replicas. Each change is one script; leases and due
// times are measured by Redis's clock. Every key begins with the prefix of the task store:
//
//   push:row:<row>     hash: task, body, start, delivered, attempts, state, error, due, lease, token
//   push:task:<task>   set of the rows of a task
//   push:scope:<scope> set of the active rows of a scope
//   push:active        sorted set of active rows by the time from which they may be claimed
//   push:dead          set of dead rows

import { createHash, randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { keyText } from '../../../model/key-text.ts'
import { scopeKey } from '../../../model/scope.ts'
import { registrationText, rowFrom, startText } from '../../store/push-row-text.ts'
import type {
  Lease,
  Progress,
  PushKey,
  PushRow,
  PushStore,
  PutAnswer,
  PutOptions,
  ReadyRow,
  Registration,
  TaskKey,
} from '../../store/push-store.ts'
import { scopeId } from '../../store/scope-id.ts'
import type { Connection } from './connection.ts'
import { CLAIM, PUT, READY, REMOVE, REVIVE, SETTLE } from './push-scripts.ts'

export async function openRedisPush(connection: Connection, now?: () => number): Promise<PushStore> {
  await connection.use(async (redis) => {
    for (const [name, lua] of Object.entries(SCRIPTS)) redis.defineCommand(name, { numberOfKeys: 1, lua })
  })
  return new RedisPushStore(connection, now)
}

const SCRIPTS = {
  parleyPushPut: PUT,
  parleyPushRemove: REMOVE,
  parleyPushReady: READY,
  parleyPushClaim: CLAIM,
  parleyPushSettle: SETTLE,
  parleyPushRevive: REVIVE,
}

type ScriptName = keyof typeof SCRIPTS
type Scripted = Redis & Record<ScriptName, (prefix: string, ...args: (string | number)[]) => Promise<unknown>>

const FIELDS = ['body', 'start', 'delivered', 'attempts', 'state', 'error'] as const
/** Active rows looked at in one script, so that no other client of Redis waits long. */
const PAGE = 1_000

class RedisPushStore implements PushStore {
  readonly #connection: Connection
  readonly #now: (() => number) | undefined
  readonly #leave: () => Promise<void>

  constructor(connection: Connection, now: (() => number) | undefined) {
    this.#connection = connection
    this.#now = now
    this.#leave = connection.enter()
  }

  async put(registration: Registration, options: PutOptions): Promise<PutAnswer> {
    const { start, deliveredSeq, maxPerTask, maxPerScope } = options
    const answer = await this.#run(
      'parleyPushPut',
      ...[rowOf(registration), taskOf(registration), registrationText(registration)],
      ...[startText(start) ?? '', deliveredSeq, maxPerTask, maxPerScope],
    )
    return answer as PutAnswer
  }

  async list(task: TaskKey): Promise<readonly PushRow[]> {
    const rows = await this.#rows(`push:task:${taskOf(task)}`, Number.POSITIVE_INFINITY)
    return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  async remove(key: PushKey): Promise<void> {
    await this.#run('parleyPushRemove', rowOf(key))
  }

  async ready({ task, limit }: { task?: TaskKey; limit: number }): Promise<readonly ReadyRow[]> {
    const name = task === undefined ? '' : taskOf(task)
    const found: ReadyRow[] = []
    for (let offset = 0; found.length < limit; offset += PAGE) {
      const answer = await this.#run('parleyPushReady', this.#time(), name, offset, PAGE, limit - found.length)
      const [seen, ...bodies] = answer as [number, ...string[]]
      for (const body of bodies) {
        const { scope, taskId, id, config } = JSON.parse(body) as Registration
        found.push({ scope, taskId, id, url: config.url })
      }
      if (seen < PAGE) break
    }
    return found
  }

  async isLive(task: TaskKey): Promise<boolean> {
    return (await this.list(task)).some(({ state }) => state === 'active')
  }

  async claim(key: PushKey, leaseMs: number): Promise<Lease | undefined> {
    const token = randomUUID()
    const answer = await this.#run('parleyPushClaim', rowOf(key), this.#time(), token, leaseMs)
    const row = Array.isArray(answer) ? toRow(answer as (string | null)[]) : undefined
    return row && { row, token }
  }

  async settle({ row, token }: Lease, progress: Progress | 'remove'): Promise<boolean> {
    if (progress === 'remove') {
      const removed = await this.#run('parleyPushRemove', rowOf(row), token)
      return removed === 1
    }
    const { deliveredSeq, attempts, state, error, retryInMs, leaseMs } = progress
    const changed = await this.#run(
      'parleyPushSettle',
      ...[rowOf(row), this.#time(), token, deliveredSeq, attempts, state, error ?? '', Math.round(retryInMs), leaseMs],
    )
    return changed === 1
  }

  dead(limit: number): Promise<readonly PushRow[]> {
    return this.#rows('push:dead', limit)
  }

  async revive(key: PushKey): Promise<boolean> {
    return (await this.#run('parleyPushRevive', rowOf(key))) === 1
  }

  close(): Promise<void> {
    return this.#leave()
  }

  /** The rows named in a set. */
  async #rows(set: string, limit: number): Promise<PushRow[]> {
    const { prefix } = this.#connection
    const found = await this.#connection.use(async (redis) => {
      const names = (await redis.smembers(`${prefix}${set}`)).slice(0, limit)
      return Promise.all(names.map((name) => redis.hmget(`${prefix}push:row:${name}`, ...FIELDS)))
    })
    return found.flatMap((fields) => toRow(fields) ?? [])
  }

  #run(script: ScriptName, ...args: (string | number)[]): Promise<unknown> {
    return this.#connection.use((redis) => (redis as unknown as Scripted)[script](this.#connection.prefix, ...args))
  }

  /** '' lets Redis look at its own clock. */
  #time(): number | '' {
    return this.#now?.() ?? ''
  }
}

/** How the task store names a task. */
function taskOf({ scope, taskId }: TaskKey): string {
  return `${scopeId(scope)}:${keyText(taskId)}`
}

function rowOf({ scope, taskId, id }: PushKey): string {
  return createHash('sha256')
    .update(JSON.stringify([scopeKey(scope), taskId, id]))
    .digest('hex')
    .slice(0, 32)
}

function toRow([body, start, delivered, attempts, state, error]: (string | null)[]): PushRow | undefined {
  if (!body || !state) return undefined
  const numbers = { delivered: Number(delivered), attempts: Number(attempts) }
  return rowFrom({ body, start: start ?? null, state, error: error || null, ...numbers })
}
