// The three servers side by side: ours, the SDK's, and the bare one that repeats our answers.

import { Child } from './child.ts'
import type { LoadResult, Question } from './load.ts'
import type { ByThreads, CannedAnswer, Memory, ServerQuestion } from './servers/bench-server.ts'
import type { Work } from './work.ts'

export type ServerName = 'parley' | 'sdk' | 'ceiling'

export const CONNECTIONS = 32

export class BenchServer {
  readonly port: number
  readonly #child: Child

  private constructor(child: Child, port: number) {
    this.#child = child
    this.port = port
  }

  static async start(
    name: ServerName | 'mock' | 'proxy' | 'relay' | 'grpc-ceiling',
    ...args: string[]
  ): Promise<BenchServer> {
    return BenchServer.startFile(`./servers/${name}.ts`, ...args)
  }

  /** Of another checkout, for instance. */
  static async startFile(file: string, ...args: string[]): Promise<BenchServer> {
    const child = await Child.start(file, args)
    const { port } = await child.ask<{ port: number }>({ do: 'port' } satisfies ServerQuestion)
    return new BenchServer(child, port)
  }

  cpuSeconds(): Promise<ByThreads> {
    return this.#child.ask({ do: 'cpu' } satisfies ServerQuestion)
  }

  memory(): Promise<Memory> {
    return this.#child.ask({ do: 'memory' } satisfies ServerQuestion)
  }

  async release(): Promise<void> {
    await this.#child.ask({ do: 'release' } satisfies ServerQuestion)
  }

  async repeat(answer: CannedAnswer): Promise<void> {
    await this.#child.ask({ do: 'answer', answer } satisfies ServerQuestion)
  }

  stop(): Promise<void> {
    return this.#child.stop()
  }
}

/** Where a server listens, and its interface is. */
export interface Target {
  readonly port: number
  readonly path?: string
}

interface Until {
  durationMs?: number
  requests?: number
  connections?: number
}

export class Load {
  readonly #child: Child

  private constructor(child: Child) {
    this.#child = child
  }

  static async start(): Promise<Load> {
    return new Load(await Child.start('./load.ts'))
  }

  run(server: Target, work: Work, until: Until): Promise<LoadResult> {
    return this.runAcross([server], work, until)
  }

  async runAcross(servers: readonly Target[], work: Work, until: Until): Promise<LoadResult> {
    const path = servers[0]?.path
    const question: Question = {
      do: 'load',
      ports: servers.map(({ port }) => port),
      ...(path === undefined ? {} : { path }),
      work,
      connections: Math.min(CONNECTIONS, until.requests ?? CONNECTIONS),
      ...until,
    }
    return this.#child.ask(question)
  }

  /** Answers per second of the server's own CPU time: what else the machine does, this process included, does not count. */
  async ratePerCpu(server: BenchServer, work: Work, requests: number): Promise<number> {
    return (await this.ratesPerCpu(server, work, requests)).thread
  }

  async ratesPerCpu(server: BenchServer, work: Work, requests: number): Promise<ByThreads> {
    const before = await server.cpuSeconds()
    await this.run(server, work, { requests })
    const after = await server.cpuSeconds()
    return { thread: requests / (after.thread - before.thread), all: requests / (after.all - before.all) }
  }

  async ask({ port }: BenchServer, work: Work): Promise<{ head: string; body: string }> {
    return this.#child.ask({ do: 'ask', port, work } satisfies Question)
  }

  /** How long each chunk of a paced stream was on its way, in milliseconds. */
  async listen({ port }: BenchServer, work: Work): Promise<readonly number[]> {
    return (await this.#child.ask<{ ms: number[] }>({ do: 'listen', port, work } satisfies Question)).ms
  }

  async hold({ port }: BenchServer, work: Work, connections: number): Promise<void> {
    await this.#child.ask({ do: 'hold', port, work, connections } satisfies Question)
  }

  awaitFrames(marker: string): Promise<{ frames: number; perSecond: number }> {
    return this.#child.ask({ do: 'await-frames', marker } satisfies Question)
  }

  async drop(): Promise<void> {
    await this.#child.ask({ do: 'drop' } satisfies Question)
  }

  stop(): Promise<void> {
    return this.#child.stop()
  }
}

/** The id of the task an answer is about. */
export function taskIdIn(body: string): string {
  const id = /"task":\{"id":"([^"]+)"/.exec(body)?.[1]
  if (id === undefined) throw new Error(`no task in ${body.slice(0, 300)}`)
  return id
}

/** Our answer as the bare server repeats it: headers that are not the connection's own, the body, or the events one by one. */
export async function cannedAnswer(load: Load, server: BenchServer, work: Work): Promise<CannedAnswer> {
  const { head, body } = await load.ask(server, work)
  const headers = head
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(': '))
    .filter(([name = '']) => !/^(date|connection|keep-alive|content-length|transfer-encoding)$/i.test(name))
    .flat()
  if (!head.includes('text/event-stream')) return { headers, parts: [body], isStream: false, isTurnwise: false }
  const events = body.replace(/\r\n[0-9a-f]+\r\n|^[0-9a-f]+\r\n/g, '').split(/(?<=\n\n)/)
  return { headers, parts: events.filter((event) => event.includes('data: ')), isStream: true, isTurnwise: false }
}
