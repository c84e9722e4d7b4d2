// One connection to Redis, on which the commands of a turn of the event loop travel together: deadlines, the checks
// before it may hold tasks, and the run of the server it talks to. It restores itself; while it is away every call ends as
// "unavailable" within two seconds.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { EXIT, ParleyError } from '../../../model/errors.ts'
import { withinDeadline } from '../../store/deadline.ts'
import { REPEAT_PAUSE_MS } from '../../store/repeat-write.ts'
import { unavailable } from '../../store/unavailable.ts'
import { type StartOptions, waitForStart } from '../../store/wait-for-start.ts'
import { SharedUse, type StoreSync } from '../backend.ts'
import { checkRedisUrl, FAST_FAILURE, loadRedis } from './driver.ts'
import { addTasksAtRest } from './migrate.ts'
import { APPEND, BEGIN, EPOCH, EXPIRE } from './scripts.ts'

export interface RedisOptions extends StartOptions {
  /** Begins every key; stores with different prefixes do not see each other. */
  readonly prefix?: string
  /** Accept a Redis that forgets: without append-only file, or one that evicts keys. */
  readonly allowVolatile?: boolean
  /** How long after the death of this process others have ended its running tasks; see ../lease.ts. */
  readonly leaseMs?: number
  /** See ../backend.ts. */
  readonly sync?: StoreSync
}

export interface ScriptedRedis extends Redis {
  parleyEpoch(prefix: string, run: string): Promise<number>
  parleyBegin(prefix: string, ...args: (string | number)[]): Promise<string>
  parleyAppend(prefix: string, ...args: (string | number)[]): Promise<string>
  parleyExpire(prefix: string, id: string): Promise<string>
}

/** 2 knows which tasks are at rest. */
const SCHEMA_VERSION = 2
const RETURN_WAIT_MS = 1_000

export class Connection {
  readonly prefix: string
  readonly #redis: ScriptedRedis
  /** Known only while the connection lasts: the next one may reach another run. */
  #run: Promise<string> | undefined
  /** One signal for all who wait for the connection to return. */
  #ready = Promise.withResolvers<void>()
  /** Why the connection could not be made; the driver's own rejection only says that it is closed. */
  #trouble: Error | undefined
  #isClosed = false
  #connections = 0
  readonly #use = new SharedUse(() => this.close())

  private constructor(redis: ScriptedRedis, prefix: string) {
    this.#redis = redis
    this.prefix = prefix
    redis.on('error', (error) => {
      this.#trouble = error
    })
    redis.on('ready', () => this.#ready.resolve())
    redis.on('close', () => {
      this.#connections++
      this.#run = undefined
      this.#ready = Promise.withResolvers()
    })
  }

  static async open(url: string, options: RedisOptions = {}): Promise<Connection> {
    checkRedisUrl(url)
    const RedisClient = await loadRedis()
    const redis = new RedisClient(url, { ...FAST_FAILURE, enableAutoPipelining: true })
    redis.defineCommand('parleyEpoch', { numberOfKeys: 1, lua: EPOCH })
    redis.defineCommand('parleyBegin', { numberOfKeys: 1, lua: BEGIN })
    redis.defineCommand('parleyAppend', { numberOfKeys: 1, lua: APPEND })
    redis.defineCommand('parleyExpire', { numberOfKeys: 1, lua: EXPIRE })
    const connection = new Connection(redis as ScriptedRedis, options.prefix ?? 'parley:')
    try {
      await waitForStart(() => connection.#connect(), isPassing, options)
      await connection.#check(url, options)
      return connection
    } catch (error) {
      await connection.close()
      throw error instanceof ParleyError ? error : unusable(url, error)
    }
  }

  /** Reads: repeated once on a fresh connection; whatever is Redis's trouble becomes A2AError Unavailable. */
  use<T>(work: (redis: ScriptedRedis, run: string) => Promise<T>): Promise<T> {
    return withinDeadline(async (isLate) => {
      try {
        return await this.useOnce(work)
      } catch (error) {
        if (!isBroken(error) || this.#isClosed || isLate()) throw unavailable(error)
        await sleep(REPEAT_PAUSE_MS)
      }
      try {
        return await this.useOnce(work)
      } catch (error) {
        throw unavailable(error)
      }
    })
  }

  /** The same with the driver's own error, for those who must know whether to try again. */
  async useOnce<T>(work: (redis: ScriptedRedis, run: string) => Promise<T>): Promise<T> {
    await this.#whenReady()
    this.#run ??= this.#meetRun()
    try {
      return await work(this.#redis, await this.#run)
    } catch (error) {
      // A primary that became a replica: the address may lead elsewhere now.
      if (error instanceof Error && error.message.startsWith('READONLY')) this.#redis.disconnect(true)
      throw error
    }
  }

  /** Another number after every connection: a Redis that is reached again may have forgotten its last moments. */
  get connections(): number {
    return this.#connections
  }

  /** The stored run is no longer ours: ask again before the next write. */
  forgetRun(): void {
    this.#run = undefined
  }

  enter(): () => Promise<void> {
    return this.#use.enter()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#redis.disconnect()
  }

  async #connect(): Promise<void> {
    if (this.#redis.status !== 'ready') {
      this.#redis.disconnect()
      this.#trouble = undefined
      await this.#redis.connect().catch((error: unknown) => {
        throw this.#trouble ?? error
      })
    }
    await this.#redis.ping()
  }

  async #check(url: string, { allowVolatile = false, sync }: RedisOptions): Promise<void> {
    const version = Number((await this.#redis.get(`${this.prefix}schema`)) ?? 0)
    if (version > SCHEMA_VERSION) {
      throw new ParleyError(
        'store-too-new',
        `The Redis data was written by a newer Parley (layout ${version}, this one knows ${SCHEMA_VERSION}); update Parley or use another database number.`,
      )
    }
    const info = await this.#redis.info()
    const host = URL.parse(url)?.host ?? ''
    if (!allowVolatile && fieldIn(info, 'aof_enabled') !== '1') {
      throw new ParleyError('store-volatile', `Redis at ${host} keeps no append-only file, so a restart loses tasks.`, {
        hint: 'Set "appendonly yes" in Redis, or accept the loss with --allow-volatile.',
      })
    }
    if (sync === 'full') await this.#checkSync(host)
    const policy = fieldIn(info, 'maxmemory_policy')
    if (!allowVolatile && fieldIn(info, 'maxmemory') !== '0' && policy !== 'noeviction') {
      throw new ParleyError('store-volatile', `Redis at ${host} drops keys when memory is short (${policy}).`, {
        hint: 'Set "maxmemory-policy noeviction" in Redis, or accept the loss with --allow-volatile.',
      })
    }
    if (version === 1) await addTasksAtRest(this.#redis, this.prefix)
    if (version < SCHEMA_VERSION) await this.#redis.set(`${this.prefix}schema`, SCHEMA_VERSION)
  }

  /** How often Redis waits for the disk is its own setting. */
  async #checkSync(host: string): Promise<void> {
    const [, setting] = await this.#redis.config('GET', 'appendfsync').catch((): unknown[] => [])
    if (setting === 'always') return
    const found = typeof setting === 'string' ? `it is ${setting}` : 'it does not tell'
    throw new ParleyError('store-volatile', `Redis at ${host} does not wait for the disk at every write (${found}).`, {
      hint: 'Set "appendfsync always" in Redis, or leave out --store-sync full.',
    })
  }

  async #meetRun(): Promise<string> {
    const run = fieldIn(await this.#redis.info('server'), 'run_id') ?? ''
    await this.#redis.parleyEpoch(this.prefix, run)
    return run
  }

  /** A connection that breaks is usually back in a moment; longer absences are the caller's to know. */
  async #whenReady(): Promise<void> {
    if (this.#redis.status === 'ready') return
    if (this.#isClosed) throw new Error('the store is closed')
    const patience = Promise.withResolvers<never>()
    const timer = setTimeout(() => patience.reject(new NotConnected()), RETURN_WAIT_MS)
    try {
      await Promise.race([this.#ready.promise, patience.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}

class NotConnected extends Error {}

/** Errors of a connection, as opposed to an answer of Redis that says no. */
function isConnectionError(error: unknown): boolean {
  return error instanceof Error && error.name !== 'ReplyError'
}

/** A connection that broke in use, where the next one may do; not one that cannot be had or does not answer. */
export function isBroken(error: unknown): boolean {
  if (!isConnectionError(error) || error instanceof NotConnected) return false
  return error instanceof Error && !error.message.includes('timed out')
}

function isPassing(error: unknown): boolean {
  return isConnectionError(error) || (error instanceof Error && error.message.startsWith('LOADING'))
}

function fieldIn(info: string, name: string): string | undefined {
  for (const line of info.split('\r\n')) if (line.startsWith(`${name}:`)) return line.slice(name.length + 1)
  return undefined
}

/** Names the host, never the password. */
function unusable(url: string, cause: unknown): ParleyError {
  const host = URL.parse(url)?.host ?? ''
  const message = cause instanceof Error ? cause.message : String(cause)
  if (/^(WRONGPASS|NOAUTH|NOPERM)/.test(message)) {
    return new ParleyError('store-refused', `Redis at ${host} refused the user or password.`, { cause })
  }
  const options = { exitCode: EXIT.unreachable, cause }
  return new ParleyError('store-unavailable', `Redis at ${host} cannot be reached.`, options)
}
