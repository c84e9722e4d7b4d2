// Data of the first layout: it did not say which tasks are at rest, so retention could not find them.

import type { Redis } from 'ioredis'
import { isInterrupted, isTerminal } from '../../../model/state-machine.ts'
import type { TaskState } from '../../../model/task.ts'
import { positionIn } from './position.ts'

const PAGE = 1_000

/** May run twice, and while others write: what is there stays. */
export async function addTasksAtRest(redis: Redis, prefix: string): Promise<void> {
  const pattern = `${prefix.replaceAll(/[*?[\]\\]/g, '\\$&')}task:*`
  let cursor = '0'
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', PAGE)
    cursor = next
    const tasks = await Promise.all(keys.map((key) => redis.hmget(key, 'state', 'pos')))
    const scores = tasks.flatMap(([state, pos], n) => {
      const isAtRest = isTerminal(state as TaskState) || isInterrupted(state as TaskState)
      const key = keys[n]
      return !isAtRest || !pos || key === undefined
        ? []
        : [positionIn(pos).statusMs, key.slice(`${prefix}task:`.length)]
    })
    if (scores.length > 0) await redis.zadd(`${prefix}rest`, 'NX', ...scores)
  } while (cursor !== '0')
}
