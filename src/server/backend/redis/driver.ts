// The Redis driver is an optional peer: loaded when a Redis address is given, and only then.

import type { Redis, RedisOptions } from 'ioredis'
import { EXIT, ParleyError } from '../../../model/errors.ts'
import { STEP_WITHIN_MS } from '../../store/deadline.ts'

export async function loadRedis(): Promise<typeof Redis> {
  try {
    return (await import('ioredis')).Redis
  } catch (cause) {
    throw new ParleyError('missing-driver', 'Redis needs the package ioredis; run: npm install ioredis', { cause })
  }
}

export function checkRedisUrl(url: string): URL {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.hostname === '' || !/^(\/\d*)?$/.test(parsed.pathname)) {
    throw new ParleyError('bad-store-url', 'A Redis store is written redis://user:password@host:port/0.', {
      exitCode: EXIT.usage,
    })
  }
  return parsed
}

/** Fails at once while the connection is down, and keeps trying to restore it in the background. */
export const FAST_FAILURE: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  // Whether an unanswered write was applied is not known; who wrote it decides whether to repeat it.
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: STEP_WITHIN_MS,
  commandTimeout: STEP_WITHIN_MS,
  // A connection with unanswered commands that stays silent is given up, not only its commands.
  socketTimeout: STEP_WITHIN_MS,
  retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, 1_000),
}
