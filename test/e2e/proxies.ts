// Two proxies on one store before one agent, as one suite for every database that can be shared: what came through one is
// read, followed, told and ended through the other, and nothing is told twice, whichever of them dies or stands still.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { A2AClient } from '../../src/client/a2a-client.ts'
import { createServer } from '../../src/server/index.ts'
import { ChaosProxy } from '../reliability/chaos-proxy.ts'
import type { ChildServer } from '../servers/child-server.ts'
import { runParley, type Serving, startParley, startParleyProcess } from '../support/parley-process.ts'
import { Webhook } from '../support/webhook.ts'

const LEASE_MS = 2_000

/** Tells what the test says, when the test says it: a piece of text, or 'ask' or 'end'. */
class Steps {
  readonly #given: string[] = []
  #wake = () => {}

  give(...steps: string[]): void {
    this.#given.push(...steps)
    this.#wake()
  }

  async next(): Promise<string> {
    while (this.#given.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve))
    return this.#given.shift() ?? ''
  }
}

class SteppedAgent {
  readonly #steps = new Map<string, Steps>()
  readonly server = createServer({
    card: {
      ...{ name: 'stepped', description: 'Says what it is told to.', version: '1' },
      capabilities: { streaming: true, pushNotifications: true },
      ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
      skills: [{ id: 'say', name: 'Say', description: 'Says it.', tags: ['say'] }],
    },
    agent: async (message, context) => {
      const steps = this.of(message.parts.map((part) => ('text' in part ? part.text : '')).join(''))
      await context.status('TASK_STATE_WORKING')
      for (let step = await steps.next(); step !== 'end'; step = await steps.next()) {
        if (step === 'ask') return context.requireInput('And now?')
        await context.artifact({ artifactId: 'a', parts: [{ text: step }] }, { append: true })
      }
      await context.complete()
    },
  })

  of(text: string): Steps {
    const steps = this.#steps.get(text) ?? new Steps()
    this.#steps.set(text, steps)
    return steps
  }
}

function say(text: string, taskId?: string) {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] }
  return { message: taskId === undefined ? message : { ...message, taskId } }
}

/** What a subscriber knows: the text of the artifact so far, and the last state. */
class Reader {
  text = ''
  state = ''
  readonly ended: Promise<void>
  readonly #waiting = new Set<() => void>()

  constructor(stream: ReturnType<A2AClient['subscribeTask']>) {
    this.ended = this.#read(stream)
    // The proxy it reads from may be killed; whoever cares about the end waits for it.
    this.ended.catch(() => {})
  }

  async until(holds: (reader: Reader) => boolean): Promise<void> {
    while (!holds(this)) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  async #read(stream: ReturnType<A2AClient['subscribeTask']>): Promise<void> {
    for await (const { event } of stream) {
      if ('task' in event) {
        this.text = textOf(event.task.artifacts?.[0])
        this.state = event.task.status.state
      } else if ('artifactUpdate' in event) {
        const { append, artifact } = event.artifactUpdate
        this.text = append === true ? this.text + textOf(artifact) : textOf(artifact)
      } else if ('statusUpdate' in event) this.state = event.statusUpdate.status.state
      for (const wake of this.#waiting) wake()
    }
  }
}

function textOf(artifact: { parts: readonly object[] } | undefined): string {
  return (artifact?.parts ?? []).map((part) => ('text' in part ? String(part.text) : '')).join('')
}

export function describeProxies(name: string, database: () => ChildServer): void {
  describe(`two proxies on ${name}`, () => {
    const agent = new SteppedAgent()
    let agentUrl: string
    const stops: (() => unknown)[] = []
    beforeAll(async () => {
      agentUrl = (await agent.server.listen({ port: 0 })).url
    })
    afterEach(async () => {
      for (const stop of stops.splice(0).reverse()) await stop()
    })
    afterAll(() => agent.server.close({ graceMs: 0 }))

    async function startProxy(store = database().url): Promise<{ proxy: Serving; client: A2AClient }> {
      const proxy = await startParley([
        ...['proxy', agentUrl, '--store', store, '--lease', `${LEASE_MS}ms`, '--artifacts', 'off'],
        '--allow-private-webhooks',
      ])
      stops.push(() => proxy.stop('SIGKILL'))
      const client = await A2AClient.connect(proxy.url, { versions: ['1.0'] })
      stops.push(() => client.close())
      return { proxy, client }
    }

    /** A task of the agent that `text` names, whose caller streams it through this proxy. */
    async function begin(client: A2AClient, text: string): Promise<{ id: string; reader: Reader }> {
      const stream = client.streamMessage(say(text))
      const { value } = await stream.next()
      const id = value && 'task' in value.event ? value.event.task.id : ''
      const reader = new Reader(stream)
      agent.of(text).give('one ')
      await reader.until(({ text: heard }) => heard === 'one ')
      return { id, reader }
    }

    test('what came through one is read, listed, followed, told and canceled through the other', async () => {
      const [a, b] = await Promise.all([startProxy(), startProxy()])
      await using hook = await Webhook.open()
      const { id, reader: atA } = await begin(a.client, 'first')
      expect(textOf((await b.client.getTask({ id })).artifacts?.[0])).toBe('one ')
      expect((await b.client.listTasks({})).tasks.map((task) => task.id)).toContain(id)
      await b.client.createPushConfig({ taskId: id, url: hook.url })
      const atB = new Reader(b.client.subscribeTask({ id }))
      await atB.until(({ text }) => text === 'one ')
      agent.of('first').give('two ', 'three ')
      await Promise.all([atA, atB].map((reader) => reader.until(({ text }) => text === 'one two three ')))
      expect((await b.client.cancelTask({ id })).status.state).toBe('TASK_STATE_CANCELED')
      await Promise.all([atA.ended, atB.ended])
      expect([atA.state, atB.state]).toEqual(['TASK_STATE_CANCELED', 'TASK_STATE_CANCELED'])
      await hook.until((all) => all.some(({ text }) => text.includes('TASK_STATE_CANCELED')))
      const pieces = hook.received.filter(({ text }) => text.includes('artifactUpdate'))
      expect(pieces.map(({ text }) => /"text":"(.*?)"/.exec(text)?.[1])).toEqual(['two ', 'three '])
      expect(textOf((await b.client.getTask({ id })).artifacts?.[0])).toBe('one two three ')
    })

    test('a conversation may change the proxy between its turns', async () => {
      const [a, b] = await Promise.all([startProxy(), startProxy()])
      const { id, reader } = await begin(a.client, 'asks')
      agent.of('asks').give('ask')
      await reader.ended
      expect(reader.state).toBe('TASK_STATE_INPUT_REQUIRED')
      agent.of('answers').give('two ', 'end')
      const answer = new Reader(b.client.streamMessage(say('answers', id)))
      await answer.ended
      expect(answer).toMatchObject({ text: 'one two ', state: 'TASK_STATE_COMPLETED' })
      const task = await a.client.getTask({ id })
      expect(task.history?.filter(({ role }) => role === 'ROLE_USER').map(textOf)).toEqual(['asks', 'answers'])
      expect(textOf(task.artifacts?.[0])).toBe('one two ')
    })

    test.each(['SIGKILL', 'SIGTERM'] as const)(
      '%s of the one that follows: the other goes on, and nothing is missing or told twice',
      async (signal) => {
        const [a, b] = await Promise.all([startProxy(), startProxy()])
        await using hook = await Webhook.open()
        const { id } = await begin(a.client, signal)
        await a.client.createPushConfig({ taskId: id, url: hook.url })
        const reader = new Reader(b.client.subscribeTask({ id }))
        await reader.until(({ text }) => text === 'one ')
        const stopped = a.proxy.stop(signal)
        // Said while nobody listens, perhaps.
        agent.of(signal).give('two ')
        await stopped
        await reader.until(({ text }) => text === 'one two ')
        agent.of(signal).give('three ', 'end')
        await reader.ended
        expect(reader).toMatchObject({ text: 'one two three ', state: 'TASK_STATE_COMPLETED' })
        expect(textOf((await b.client.getTask({ id })).artifacts?.[0])).toBe('one two three ')
        await hook.until((all) => all.some(({ text }) => text.includes('TASK_STATE_COMPLETED')))
      },
    )

    test('one that stood still for longer than its lease tells nothing of what the other has taken over', async () => {
      const [a, b] = await Promise.all([startProxy(), startProxy()])
      const { id } = await begin(a.client, 'paused')
      const reader = new Reader(b.client.subscribeTask({ id }))
      await reader.until(({ text }) => text === 'one ')
      a.proxy.child.kill('SIGSTOP')
      try {
        agent.of('paused').give('two ')
        await reader.until(({ text }) => text === 'one two ')
      } finally {
        a.proxy.child.kill('SIGCONT')
      }
      agent.of('paused').give('three ')
      await reader.until(({ text }) => text.endsWith('three '))
      // Through the one that was still, so that it has read what was waiting for it.
      expect(textOf((await a.client.getTask({ id })).artifacts?.[0])).toBe('one two three ')
      agent.of('paused').give('end')
      await reader.ended
      expect(reader).toMatchObject({ text: 'one two three ', state: 'TASK_STATE_COMPLETED' })
      expect(textOf((await a.client.getTask({ id })).artifacts?.[0])).toBe('one two three ')
    })

    test('the database goes away in the middle of a stream: the task goes on when it is back', async () => {
      const chaos = await ChaosProxy.start(database().port)
      stops.push(() => chaos.close())
      const a = await startProxy(database().url.replace(`:${database().port}`, `:${chaos.port}`))
      const { id } = await begin(a.client, 'outage')
      await chaos.set({ kind: 'down' })
      agent.of('outage').give('two ')
      const refused = await a.client.getTask({ id }).catch((error: unknown) => error)
      expect(refused).toMatchObject({ kind: 'Unavailable' })
      expect((await fetch(`${a.proxy.url}/readyz`)).status).toBe(503)
      await chaos.set()
      agent.of('outage').give('three ', 'end')
      for (;;) {
        const task = await a.client.getTask({ id }).catch(() => undefined)
        if (task?.status.state === 'TASK_STATE_COMPLETED') {
          expect(textOf(task.artifacts?.[0])).toBe('one two three ')
          break
        }
        expect(task?.status.state ?? 'TASK_STATE_WORKING').toBe('TASK_STATE_WORKING')
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    })

    test('a database that is not there at the start is waited for, and said so', async () => {
      const chaos = await ChaosProxy.start(database().port)
      stops.push(() => chaos.close())
      await chaos.set({ kind: 'down' })
      const store = database().url.replace(`:${database().port}`, `:${chaos.port}`)
      const proxy = startParleyProcess(['proxy', agentUrl, '--store', store, '--port', '0'])
      stops.push(() => proxy.kill('SIGKILL'))
      await Promise.all([/files-not-shared/, /waiting-for-store/].map((line) => proxy.stderrMatching(line)))
      await chaos.set()
      await proxy.stdoutMatching(/Listening on/)
    })
  })

  test('a store that does not exist is refused with the ones that do', async () => {
    const refused = await runParley(['proxy', 'http://127.0.0.1:9', '--store', 'postgers://db/x', '--port', '0'])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('There is no store "postgers". Did you mean postgres://')
  })
}
