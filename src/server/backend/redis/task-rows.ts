// Reads tasks from Redis: rows by their keys, and records as snapshots plus the events after them.

import { applyEvents } from '../../../model/fold.ts'
import type { Task } from '../../../model/task.ts'
import { FoldingRecord } from '../../store/folding-record.ts'
import { storedFromText } from '../../store/stored-event.ts'
import type { Seq, StoredEvent } from '../../store/task-store.ts'
import type { Connection, ScriptedRedis } from './connection.ts'

export interface Row {
  readonly key: string
  readonly scope: string
  readonly who: string
  readonly pos: string
  readonly seq: number
  readonly snapshot: string
  readonly snapshotSeq: number
  readonly snapshotSize: number
  readonly tailSize: number
}

const FIELDS = ['scope', 'who', 'pos', 'seq', 'snap', 'snap_seq', 'snap_size', 'tail_size'] as const

export class TaskRows {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async sizes(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { prefix } = this.#connection
    const found = await this.#connection.use((redis) =>
      Promise.all(keys.map((key) => redis.hmget(`${prefix}task:${key}`, 'snap_size', 'tail_size'))),
    )
    return new Map(keys.map((key, n) => [key, Number(found[n]?.[0] ?? 0) + Number(found[n]?.[1] ?? 0)]))
  }

  /** The tasks of these keys, in their order, without those that do not exist. */
  async find(keys: readonly string[]): Promise<Row[]> {
    const { prefix } = this.#connection
    const found = await this.#connection.use((redis) =>
      Promise.all(keys.map((key) => redis.hmget(`${prefix}task:${key}`, ...FIELDS))),
    )
    return found.flatMap(([scope, who, pos, seq, snap, snapSeq, snapSize, tailSize], n) => {
      const key = keys[n]
      if (key === undefined || !scope || !who || !pos || !snap) return []
      const numbers = { seq: Number(seq), snapshotSeq: Number(snapSeq) }
      return [
        {
          key,
          scope,
          who,
          pos,
          snapshot: snap,
          ...numbers,
          snapshotSize: Number(snapSize),
          tailSize: Number(tailSize),
        },
      ]
    })
  }

  /** Snapshots plus the events after them. */
  async records(rows: readonly Row[]): Promise<FoldingRecord[]> {
    const tails = await this.#connection.use((redis) =>
      Promise.all(
        rows.map(async (row) => (row.seq === row.snapshotSeq ? [] : this.entries(redis, row.key, row.snapshotSeq))),
      ),
    )
    return rows.map((row, n) => {
      const tail = tails[n] ?? []
      const events = tail.map(({ event }) => event)
      const task = applyEvents(JSON.parse(row.snapshot) as Task, events)
      return FoldingRecord.of(task, tail.at(-1)?.seq ?? row.snapshotSeq)
    })
  }

  async entries(redis: ScriptedRedis, key: string, after: Seq, limit?: number): Promise<StoredEvent[]> {
    const stream = `${this.#connection.prefix}events:${key}`
    const start = `(${Math.max(after, 0)}-0`
    const found = await (limit === undefined
      ? redis.xrange(stream, start, '+')
      : redis.xrange(stream, start, '+', 'COUNT', limit))
    return found.map(([id, [, body = '']]) => storedFromText(Number.parseInt(id, 10), body))
  }
}
