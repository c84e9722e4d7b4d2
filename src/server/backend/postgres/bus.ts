// Wakes by LISTEN/NOTIFY on one connection of its own, which it restores by itself. PostgreSQL does not keep
// notifications for those who are away; the bus knows that and wakes everybody after a gap.

import type pg from 'pg'
import { type Channel, type ChannelEvents, RemoteWakeBus } from '../../bus/remote-bus.ts'
import type { WakeBus } from '../../bus/wake-bus.ts'
import { loadPg } from './driver.ts'

export interface PostgresBusOptions {
  /** Replicas that share tables share the name. */
  readonly schema?: string
  readonly beatMs?: number
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000
const QUERY_TIMEOUT_MS = 5_000
const CONNECT_TIMEOUT_MS = 1_500

export async function openPostgresBus(url: string, options: PostgresBusOptions = {}): Promise<WakeBus> {
  const { Client } = await loadPg()
  const connect = async (events: ChannelEvents): Promise<Channel> => {
    const channel = new NotifyChannel(Client, url, `${options.schema ?? 'parley'}_wake`, events)
    await channel.connect()
    return channel
  }
  return RemoteWakeBus.open(connect, options.beatMs)
}

class NotifyChannel implements Channel {
  readonly #Client: typeof pg.Client
  readonly #url: string
  readonly #name: string
  readonly #events: ChannelEvents
  #client: pg.Client | undefined
  #retry: NodeJS.Timeout | undefined
  #pauseMs = FIRST_PAUSE_MS
  #isClosed = false

  constructor(Client: typeof pg.Client, url: string, name: string, events: ChannelEvents) {
    this.#Client = Client
    this.#url = url
    this.#name = name
    this.#events = events
  }

  async connect(): Promise<void> {
    const client = new this.#Client({
      connectionString: this.#url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'parley-bus',
    })
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', ({ payload }) => payload !== undefined && this.#events.onText(payload))
    try {
      await client.connect()
      await client.query(`LISTEN ${client.escapeIdentifier(this.#name)}`)
    } catch (error) {
      void client.end().catch(() => {})
      throw error
    }
    this.#client = client
    this.#pauseMs = FIRST_PAUSE_MS
  }

  async publish(text: string): Promise<void> {
    const client = this.#client
    try {
      await client?.query({ name: 'wake', text: 'SELECT pg_notify($1, $2)', values: [this.#name, text] })
    } catch {
      // A connection that does not answer is as good as none.
      if (client !== undefined) this.#lost(client)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => {})
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    void client.end().catch(() => {})
    this.#reconnectLater()
  }

  #reconnectLater(): void {
    if (this.#isClosed) return
    this.#retry = setTimeout(() => {
      this.connect().then(
        () => (this.#isClosed ? void this.close() : this.#events.onReturn()),
        () => this.#reconnectLater(),
      )
    }, this.#pauseMs).unref()
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
  }
}
