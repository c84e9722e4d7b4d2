// Everything a Redis holds, over one connection; publish and subscribe have connections of their own.

import type { TaskStore } from '../../store/task-store.ts'
import { isPassingRefusal, waitForStart } from '../../store/wait-for-start.ts'
import { type Backend, type BackendOptions, openOnly } from '../backend.ts'
import { openRedisBus } from './bus.ts'
import { Connection, type RedisOptions } from './connection.ts'
import { RedisLinks } from './links.ts'
import { openRedisPush } from './push.ts'
import { openRedisTasks } from './tasks.ts'

export async function openRedisBackend(url: string, options: RedisOptions & BackendOptions = {}): Promise<Backend> {
  const connection = await Connection.open(url, options)
  const { prefix } = options
  // The first claim of this process is a write, and the database may be busy with what its predecessor left.
  const started = <T>(open: () => Promise<T>) => waitForStart(open, isPassingRefusal, options)
  return {
    openTasks: () => started(() => openRedisTasks(connection, options.leaseMs, options.now)),
    openPush: ({ now } = {}) => openRedisPush(connection, now),
    openBus: () => openRedisBus(url, prefix === undefined ? {} : { prefix }),
    openLinks: () => started(() => RedisLinks.open(connection, options.leaseMs)),
    close: () => connection.close(),
  }
}

/** The tasks alone. */
export function openRedisStore(url: string, options: RedisOptions = {}): Promise<TaskStore> {
  return openOnly(openRedisBackend(url, options), (backend) => backend.openTasks())
}
