// The store of push configurations that fits a task store: in the same database, so that a cursor and the events it
// points into live and die together.

import { existsSync } from 'node:fs'
import { EXIT, ParleyError } from '../../../model/errors.ts'
import type { TaskStore } from '../../store/task-store.ts'
import { openMemoryPushStore } from './memory.ts'
import type { PushStore } from './push-store.ts'

/** `storeSpec` as given to openStore and already known to be good; undefined for a task store opened elsewhere. */
export async function openPushStore(
  storeSpec: string | undefined,
  tasks: TaskStore,
  now: () => number,
): Promise<PushStore> {
  const spec = storeSpec ?? 'memory'
  if (spec.startsWith('sqlite:') && spec !== 'sqlite::memory:')
    return (await import('./sqlite.ts')).openSqlitePushStore(spec.slice('sqlite:'.length), { now })
  if (/^postgres(ql)?:\/\//.test(spec)) return (await import('./postgres.ts')).openPostgresPushStore(spec)
  if (/^rediss?:\/\//.test(spec))
    // Whether this Redis may forget was asked when the tasks were opened.
    return (await import('./redis.ts')).openRedisPushStore(spec, { allowVolatile: true })
  return openMemoryPushStore(tasks, now)
}

/** For an operator, beside a server that may be running: nothing is created, and no lease is taken away. */
export async function openExistingPushStore(spec: string): Promise<PushStore> {
  if (/^postgres(ql)?:\/\//.test(spec)) return (await import('./postgres.ts')).openPostgresPushStore(spec)
  if (/^rediss?:\/\//.test(spec)) return (await import('./redis.ts')).openRedisPushStore(spec, { allowVolatile: true })
  const file = spec.replace(/^sqlite:/, '')
  if (file === spec || file === ':memory:')
    throw new ParleyError(
      'store-not-shared',
      `"${spec}" is no store another process can open; name sqlite:<file>, postgres://… or redis://….`,
      { exitCode: EXIT.usage },
    )
  if (!existsSync(file))
    throw new ParleyError('store-missing', `There is no file ${file}; name the one the server uses.`, {
      exitCode: EXIT.usage,
    })
  return (await import('./sqlite.ts')).openSqlitePushStore(file, { isServing: false })
}
