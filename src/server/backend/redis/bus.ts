// Wakes by Redis publish/subscribe, on two connections of its own that restore themselves. Messages are lost while a
// connection is away; the bus knows that and wakes everybody after a gap.

import type { Redis } from 'ioredis'
import { type Channel, type ChannelEvents, RemoteWakeBus } from '../../bus/remote-bus.ts'
import type { WakeBus } from '../../bus/wake-bus.ts'
import { checkRedisUrl, FAST_FAILURE, loadRedis } from './driver.ts'

export interface RedisBusOptions {
  /** Replicas that share keys share the prefix. */
  readonly prefix?: string
  readonly beatMs?: number
}

export async function openRedisBus(url: string, options: RedisBusOptions = {}): Promise<WakeBus> {
  checkRedisUrl(url)
  const RedisClient = await loadRedis()
  const name = `${options.prefix ?? 'parley:'}wake`
  return RemoteWakeBus.open(async (events) => {
    const publisher = new RedisClient(url, FAST_FAILURE)
    // A subscriber only listens: silence is no sign of trouble, and its subscription waits for the connection.
    const { socketTimeout: _, ...patient } = FAST_FAILURE
    const subscriber = new RedisClient(url, { ...patient, enableOfflineQueue: true, maxRetriesPerRequest: null })
    return connect(publisher, subscriber, name, events)
  }, options.beatMs)
}

async function connect(publisher: Redis, subscriber: Redis, name: string, events: ChannelEvents): Promise<Channel> {
  for (const client of [publisher, subscriber]) client.on('error', () => {})
  subscriber.on('message', (_channel, text) => events.onText(text))
  try {
    await Promise.all([publisher.connect(), subscriber.connect()])
    await subscriber.subscribe(name)
  } catch (error) {
    publisher.disconnect()
    subscriber.disconnect()
    throw error
  }
  // The driver subscribes again by itself; what was published in between is gone.
  subscriber.on('ready', () => events.onReturn())
  return {
    publish: (text) => publisher.publish(name, text),
    close: async () => {
      publisher.disconnect()
      subscriber.disconnect()
    },
  }
}
