// Which proxy follows which task, in the Redis of their tasks. Every key begins with the prefix of the task store:
//
//   follow:<scope>:<id>     the process that follows the task
//   followers, followed:<process>   which process follows which tasks
//   alive:<process>         expires unless that process renews it, as for the writers of tasks
//
// A Redis that restarted may have lost the last second of it: then a new connection counts as a lapse.

import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { keyText, nameIn } from '../../../model/key-text.ts'
import type { Scope } from '../../../model/scope.ts'
import { keepLease, LEASE_MS, type LeaseKeeper } from '../../store/lease.ts'
import type { FollowClaims } from '../../store/link-store.ts'
import { scopeId } from '../../store/scope-id.ts'
import type { Connection } from './connection.ts'

const FOLLOW = `
local prefix, id, process, forced = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local key = prefix .. 'follow:' .. id
local before = redis.call('GET', key)
if before and before ~= process then
  if forced == '0' and redis.call('EXISTS', prefix .. 'alive:' .. before) == 1 then return 0 end
  redis.call('SREM', prefix .. 'followed:' .. before, id)
end
redis.call('SET', key, process)
redis.call('SADD', prefix .. 'followed:' .. process, id)
redis.call('SADD', prefix .. 'followers', process)
return 1`

const UNFOLLOW = `
local prefix, id, process = KEYS[1], ARGV[1], ARGV[2]
local key = prefix .. 'follow:' .. id
if redis.call('GET', key) == process then redis.call('DEL', key) end
redis.call('SREM', prefix .. 'followed:' .. process, id)
return 1`

/** Claims of the dead, at most so many; the dead without claims are forgotten. */
const ABANDONED = `
local prefix, limit = KEYS[1], tonumber(ARGV[1])
local found, count = {}, 0
for _, process in ipairs(redis.call('SMEMBERS', prefix .. 'followers')) do
  if redis.call('EXISTS', prefix .. 'alive:' .. process) == 0 then
    if count >= limit then break end
    local ids = redis.call('SRANDMEMBER', prefix .. 'followed:' .. process, limit - count)
    if #ids == 0 then redis.call('SREM', prefix .. 'followers', process) end
    for _, id in ipairs(ids) do
      count = count + 1
      found[#found + 1] = id
      found[#found + 1] = redis.call('HGET', prefix .. 'task:' .. id, 'who') or ''
    end
  end
end
return found`

const SCRIPTS = { parleyFollow: FOLLOW, parleyUnfollow: UNFOLLOW, parleyAbandoned: ABANDONED }
type ScriptName = keyof typeof SCRIPTS
type Scripted = Redis & Record<ScriptName, (prefix: string, ...args: (string | number)[]) => Promise<unknown>>

export class RedisFollows implements FollowClaims {
  readonly #connection: Connection
  readonly #process: string
  readonly #lease: LeaseKeeper

  private constructor(connection: Connection, process: string, lease: LeaseKeeper) {
    this.#connection = connection
    this.#process = process
    this.#lease = lease
  }

  static async open(connection: Connection, leaseMs: number = LEASE_MS): Promise<RedisFollows> {
    const process = randomUUID()
    const key = `${connection.prefix}alive:${process}`
    await connection.use(async (redis) => {
      for (const [name, lua] of Object.entries(SCRIPTS)) redis.defineCommand(name, { numberOfKeys: 1, lua })
    })
    const lease = await keepLease(leaseMs, (validMs) => connection.use((redis) => redis.set(key, '1', 'PX', validMs)))
    return new RedisFollows(connection, process, lease)
  }

  get lapses(): number {
    return this.#lease.lapses + this.#connection.connections
  }

  async claim(scope: Scope, taskId: string, isForced = false): Promise<boolean> {
    await this.#lease.ensureValid()
    return (await this.#run('parleyFollow', keyOf(scope, taskId), this.#process, isForced ? 1 : 0)) === 1
  }

  async isOurs(scope: Scope, taskId: string): Promise<boolean> {
    await this.#lease.ensureValid()
    return (await this.#follower(scope, taskId)) === this.#process
  }

  async isTaken(scope: Scope, taskId: string): Promise<boolean> {
    const follower = await this.#follower(scope, taskId)
    if (follower === null || follower === this.#process) return false
    return (await this.#connection.use((redis) => redis.exists(`${this.#connection.prefix}alive:${follower}`))) === 1
  }

  async release(scope: Scope, taskId: string): Promise<void> {
    await this.#run('parleyUnfollow', keyOf(scope, taskId), this.#process)
  }

  async abandoned(agent: string, limit: number): Promise<readonly { scope: Scope; taskId: string }[]> {
    const answer = (await this.#run('parleyAbandoned', limit)) as string[]
    const found: { scope: Scope; taskId: string }[] = []
    for (let n = 0; n < answer.length; n += 2) {
      const [id = '', who = ''] = answer.slice(n, n + 2)
      const scope = who === '' ? undefined : (JSON.parse(who) as Scope)
      if (scope?.agent === agent) found.push({ scope, taskId: nameIn(id.slice(scopeId(scope).length + 1)) })
    }
    return found
  }

  /** An orderly end: the others need not wait. */
  async close(): Promise<void> {
    this.#lease.stop()
    const key = `${this.#connection.prefix}alive:${this.#process}`
    await this.#connection.use((redis) => redis.del(key)).catch(() => {})
  }

  #follower(scope: Scope, taskId: string): Promise<string | null> {
    const key = `${this.#connection.prefix}follow:${keyOf(scope, taskId)}`
    return this.#connection.use((redis) => redis.get(key))
  }

  #run(script: ScriptName, ...args: (string | number)[]): Promise<unknown> {
    return this.#connection.use((redis: Redis) => (redis as Scripted)[script](this.#connection.prefix, ...args))
  }
}

function keyOf(scope: Scope, taskId: string): string {
  return `${scopeId(scope)}:${keyText(taskId)}`
}
