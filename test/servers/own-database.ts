// An empty database for one test file, on the PostgreSQL or Redis that the whole run shares. Tests that stop, pause or
// configure their server start one of their own (start-postgres.ts, start-redis.ts).

import { Redis } from 'ioredis'
import pg from 'pg'
import { addressOf } from './run-server-address.ts'

/** Counts the databases handed out, where every file of the run can see it: in Redis' database 0. */
const COUNTER = 'databases-of-this-run'

export async function ownPostgres(): Promise<string> {
  const url = new URL(await addressOf('postgres'))
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  const name = `test_${process.pid}_${Math.random().toString(36).slice(2)}`
  await client.query(`create database ${name}`)
  await client.end()
  url.pathname = `/${name}`
  return url.href
}

export async function ownRedis(): Promise<string> {
  const url = await addressOf('redis')
  const redis = new Redis(url)
  const number = await redis.incr(COUNTER)
  await redis.quit()
  return url.replace(/\/0$/, `/${number}`)
}
