// A TCP proxy that misbehaves on demand: the eight toxics of Toxiproxy between us and a database or a peer. Toxics
// may change while connections are open and act on the next chunk.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export type Toxic =
  | { kind: 'latency'; ms: number; jitterMs?: number }
  /** Nothing listens; open connections are cut. */
  | { kind: 'down' }
  | { kind: 'bandwidth'; bytesPerSecond: number }
  | { kind: 'slow_close'; ms: number }
  /** A black hole: connections stay open, nothing arrives until the toxic is removed. */
  | { kind: 'timeout' }
  | { kind: 'reset_peer'; afterMs: number }
  | { kind: 'slicer'; bytes: number; delayMs?: number }
  /** Closes a connection after this many bytes in one direction. */
  | { kind: 'limit_data'; bytes: number }

type ToxicKind = Toxic['kind']
type ToxicOf<K extends ToxicKind> = Extract<Toxic, { kind: K }>

interface Link {
  readonly client: Socket
  readonly upstream: Socket
}

export class ChaosProxy {
  readonly #target: { host: string; port: number }
  readonly #random: () => number
  readonly #links = new Set<Link>()
  #server: Server = createServer()
  #toxics: readonly Toxic[] = []
  #changed = Promise.withResolvers<void>()
  #port = 0

  private constructor(target: { host: string; port: number }, random: () => number) {
    this.#target = target
    this.#random = random
  }

  /** `random` draws the jitter; a test that cares passes a seeded one. */
  static async start(targetPort: number, random: () => number = () => 0.5): Promise<ChaosProxy> {
    const proxy = new ChaosProxy({ host: '127.0.0.1', port: targetPort }, random)
    await proxy.#listen()
    return proxy
  }

  get port(): number {
    return this.#port
  }

  get openConnections(): number {
    return this.#links.size
  }

  /** Replaces the toxics in force; no argument makes the proxy healthy. */
  async set(...toxics: Toxic[]): Promise<void> {
    const wasDown = this.#find('down') !== undefined
    this.#toxics = toxics
    this.#changed.resolve()
    this.#changed = Promise.withResolvers<void>()
    const isDown = this.#find('down') !== undefined
    if (isDown && !wasDown) await this.#shut()
    if (!isDown && wasDown) await this.#listen()
    const reset = this.#find('reset_peer')
    if (reset !== undefined) for (const link of this.#links) this.#resetLater(link, reset)
  }

  async close(): Promise<void> {
    this.#toxics = []
    this.#changed.resolve()
    await this.#shut()
  }

  async #listen(): Promise<void> {
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client))
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async #shut(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const link of this.#links) this.#cut(link)
    await closed
  }

  #accept(client: Socket): void {
    const upstream = connect({ ...this.#target, allowHalfOpen: true })
    const link: Link = { client, upstream }
    this.#links.add(link)
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true)
      socket.on('error', () => this.#cut(link))
      socket.on('close', () => {
        if (client.destroyed && upstream.destroyed) this.#links.delete(link)
      })
    }
    const reset = this.#find('reset_peer')
    if (reset !== undefined) this.#resetLater(link, reset)
    void this.#pump(client, upstream, link)
    void this.#pump(upstream, client, link)
  }

  async #pump(from: Socket, to: Socket, link: Link): Promise<void> {
    let passed = 0
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) {
        for (const slice of this.#sliced(chunk)) {
          await this.#delay(slice.length)
          while (this.#find('timeout') !== undefined) await this.#changed.promise
          const limit = this.#find('limit_data')
          const rest = limit === undefined ? slice.length : limit.bytes - passed
          if (to.destroyed) return
          if (rest > 0 && !to.write(slice.subarray(0, rest))) await Promise.race([once(to, 'drain'), once(to, 'close')])
          passed += slice.length
          if (rest < slice.length) return this.#cut(link)
        }
      }
      await wait(this.#find('slow_close')?.ms ?? 0)
      to.end()
    } catch {
      this.#cut(link)
    }
  }

  *#sliced(chunk: Buffer): Generator<Buffer> {
    const size = this.#find('slicer')?.bytes ?? chunk.length
    for (let at = 0; at < chunk.length; at += size) yield chunk.subarray(at, at + size)
  }

  #delay(bytes: number): Promise<void> | void {
    const latency = this.#find('latency')
    const bandwidth = this.#find('bandwidth')
    let ms = this.#find('slicer')?.delayMs ?? 0
    if (latency !== undefined) ms += latency.ms + (this.#random() * 2 - 1) * (latency.jitterMs ?? 0)
    if (bandwidth !== undefined) ms += (bytes / bandwidth.bytesPerSecond) * 1000
    if (ms > 0) return wait(ms)
  }

  #find<K extends ToxicKind>(kind: K): ToxicOf<K> | undefined {
    return this.#toxics.find((toxic): toxic is ToxicOf<K> => toxic.kind === kind)
  }

  #resetLater({ client, upstream }: Link, { afterMs }: ToxicOf<'reset_peer'>): void {
    setTimeout(() => {
      client.resetAndDestroy()
      upstream.destroy()
    }, afterMs).unref()
  }

  #cut({ client, upstream }: Link): void {
    client.destroy()
    upstream.destroy()
  }
}

function wait(ms: number): Promise<void> {
  return ms <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms))
}
