// The launchers: a real server starts, survives kill -9 and restart with its data, and leaves nothing behind.

import { Redis } from 'ioredis'
import pg from 'pg'
import { expect, test } from 'vitest'
import { describeWithServer } from './describe-with-server.ts'
import { startPostgres } from './start-postgres.ts'
import { startRedis } from './start-redis.ts'

describeWithServer('PostgreSQL', 'startPostgres', () => {
  test('keeps committed data over kill -9 and restart', async () => {
    const server = await startPostgres()
    try {
      await query(server.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
      await server.kill9()
      await server.start()
      await server.restart()
      expect(await query(server.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
    } finally {
      await server.stop()
    }
  })
})

describeWithServer('Redis', 'startRedis', () => {
  test('keeps data over an orderly restart and kill -9 with appendfsync always', async () => {
    const server = await startRedis({ appendfsync: 'always' })
    const client = new Redis(server.url, { maxRetriesPerRequest: null })
    client.on('error', () => {})
    try {
      await client.set('kept', '42')
      await server.kill9()
      await server.start()
      await server.restart()
      expect(await client.get('kept')).toBe('42')
    } finally {
      client.disconnect()
      await server.stop()
    }
  })
})

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
