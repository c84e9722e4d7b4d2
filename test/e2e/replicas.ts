// Two processes on one database, as one suite for every database that can be shared: what one begins the other can
// see, follow and end; when one is killed or the database goes away, nothing acknowledged is lost and nothing hangs.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { A2AClient } from '../../src/client/a2a-client.ts'
import type { SendMessageRequest } from '../../src/model/operation.ts'
import type { Scope } from '../../src/model/scope.ts'
import type { Task } from '../../src/model/task.ts'
import { openStore } from '../../src/server/backend/open.ts'
import type { TaskStore } from '../../src/server/store/task-store.ts'
import { ChaosProxy } from '../reliability/chaos-proxy.ts'
import { type Acknowledgement, type ObservedTask, violations } from '../reliability/checker.ts'
import { SseView } from '../reliability/sse-view.ts'
import type { ChildServer } from '../servers/child-server.ts'
import { type Serving, startParley } from '../support/parley-process.ts'
import { printDuration } from '../support/print-duration.ts'
import { Webhook } from '../support/webhook.ts'

const LEASE_MS = 3_000
const TASKS = 100
const SPEC: Scope = { agent: '/spec', tenant: '', subject: 'anonymous' }

interface Replica {
  serving: Serving
  /** Of the spec agent. */
  url: string
  client: A2AClient
}

async function startReplica(store: string, leaseMs = LEASE_MS): Promise<Replica> {
  const serving = await startParley(['serve', '--store', store, '--lease', `${leaseMs}ms`, '--allow-private-networks'])
  const url = `${serving.url}/spec`
  return { serving, url, client: await A2AClient.connect(url, { versions: ['1.0'] }) }
}

function say(text: string, taskId?: string): SendMessageRequest {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] }
  return { message: taskId === undefined ? message : { ...message, taskId } }
}

async function begin(client: A2AClient, text: string): Promise<Task> {
  const result = await client.sendMessage({ ...say(text), configuration: { returnImmediately: true } })
  if ('message' in result) throw new Error('expected a task')
  return result.task
}

/** The spec agent's tasks begin submitted, with their message; every event after that is stored. */
async function observe(store: TaskStore, id: string): Promise<ObservedTask> {
  const record = await store.get(SPEC, id)
  if (record === undefined) throw new Error(`${id} is lost`)
  const { artifacts: _, metadata: __, history, ...rest } = record.task
  const initial: Task = { ...rest, status: { state: 'TASK_STATE_SUBMITTED' }, history: history?.slice(0, 1) ?? [] }
  const events = (await store.readEvents(SPEC, id, 0, 1_000)) ?? []
  return { initial, snapshot: record.task, seq: record.seq, events }
}

export function describeReplicas(name: string, database: () => ChildServer): void {
  describe(`two replicas on ${name}`, () => {
    let a: Replica
    let b: Replica
    beforeAll(async () => {
      ;[a, b] = await Promise.all([startReplica(database().url), startReplica(database().url)])
    })
    afterAll(() => Promise.all([a, b].map(({ serving }) => serving.stop('SIGKILL'))))

    test('what one begins, the other gets, lists, follows, pushes and cancels', async () => {
      using atA = await A2AClient.connect(`${a.serving.url}/push`, { versions: ['1.0'] })
      using atB = await A2AClient.connect(`${b.serving.url}/push`, { versions: ['1.0'] })
      await using hook = await Webhook.open()
      const task = await begin(atA, 'task-cancel across')
      expect((await atB.getTask({ id: task.id })).id).toBe(task.id)
      const { tasks } = await atB.listTasks({ ...(task.contextId && { contextId: task.contextId }) })
      expect(tasks.map(({ id }) => id)).toEqual([task.id])
      await atB.createPushConfig({ taskId: task.id, url: hook.url })
      const stream = atB.subscribeTask({ id: task.id })
      expect((await stream.next()).value).toMatchObject({ event: { task: { id: task.id } } })
      expect((await atB.cancelTask({ id: task.id })).status.state).toBe('TASK_STATE_CANCELED')
      const states: string[] = []
      for await (const { event } of stream) if ('statusUpdate' in event) states.push(event.statusUpdate.status.state)
      expect(states.at(-1)).toBe('TASK_STATE_CANCELED')
      expect((await atA.getTask({ id: task.id })).status.state).toBe('TASK_STATE_CANCELED')
      await hook.until((all) => all.some(({ text }) => text.includes('TASK_STATE_CANCELED')))
    })

    test('a conversation may change the replica between its turns, and a stream its reader', async () => {
      const asked = await a.client.sendMessage(say('multi-turn begin'))
      if (!('task' in asked)) throw new Error('expected a task')
      const stream = b.client.subscribeTask({ id: asked.task.id })
      await stream.next()
      await a.client.sendMessage(say('done', asked.task.id))
      let last = ''
      for await (const { event } of stream) if ('statusUpdate' in event) last = event.statusUpdate.status.state
      expect(last).toBe('TASK_STATE_COMPLETED')
      expect((await b.client.getTask({ id: asked.task.id })).status.state).toBe('TASK_STATE_COMPLETED')
    })

    test('a replica that stood still for longer than its lease notices, writes nothing late and goes on', async () => {
      const silent = await Promise.all(Array.from({ length: 5 }, () => begin(a.client, 'task-cancel paused')))
      // These want to write the moment they are let go on.
      const writing = await Promise.all(Array.from({ length: 5 }, () => begin(a.client, 'slow 2000')))
      const tasks = [...silent, ...writing]
      const views = tasks.map(({ id }) => new SseView(`${b.url}/tasks/${id}:subscribe`, id))
      await Promise.all(views.map((view) => view.opened))
      a.serving.child.kill('SIGSTOP')
      try {
        await printDuration(
          `${name}: the tasks of a replica that stood still ended`,
          Promise.all(views.map((view) => view.ended)),
        )
      } finally {
        a.serving.child.kill('SIGCONT')
      }
      const asked = await a.client.sendMessage(say('task-lifecycle after the pause'))
      expect('task' in asked && asked.task.status.state).toBe('TASK_STATE_COMPLETED')
      await until(async () => (await runningAt(a)) === 0)

      const store = await openStore(database().url)
      const observed = await Promise.all(tasks.map(({ id }) => observe(store, id)))
      expect(violations({ acknowledged: [], observed, views })).toEqual([])
      expect(new Set(observed.map(({ snapshot }) => snapshot.status.state))).toEqual(new Set(['TASK_STATE_FAILED']))
      await store.close()
    })

    test(`CRASH-4: kill -9 with ${TASKS} tasks running`, async () => {
      const ofA = await Promise.all(Array.from({ length: TASKS }, () => begin(a.client, 'task-cancel with A')))
      const ofB = await Promise.all(Array.from({ length: 10 }, () => begin(b.client, 'task-cancel with B')))
      const watch = ({ id }: Task) => new SseView(`${b.url}/tasks/${id}:subscribe`, id)
      const [viewsOfA, viewsOfB] = [ofA.map(watch), ofB.map(watch)]
      expect(new Set(await Promise.all([...viewsOfA, ...viewsOfB].map((view) => view.opened)))).toEqual(new Set([200]))

      const ended = a.serving.stop('SIGKILL').then(() => Promise.all(viewsOfA.map((view) => view.ended)))
      await printDuration(
        `CRASH-4 ${name}: ${TASKS} orphans of a killed replica ended, with a lease of ${LEASE_MS} ms,`,
        ended,
      )
      for (const view of viewsOfA) expect(view.frames.at(-1)).toContain('TASK_STATE_FAILED')

      await Promise.all(ofB.map(({ id }) => b.client.cancelTask({ id })))
      await Promise.all(viewsOfB.map((view) => view.ended))
      for (const view of viewsOfB) expect(view.frames.at(-1)).toContain('TASK_STATE_CANCELED')

      const store = await openStore(database().url)
      const observed = await Promise.all([...ofA, ...ofB].map(({ id }) => observe(store, id)))
      const acknowledged: Acknowledgement[] = []
      expect(violations({ acknowledged, observed, views: [...viewsOfA, ...viewsOfB] })).toEqual([])
      expect(observed.every(({ events }) => events.filter(isEnd).length === 1)).toBe(true)
      await store.close()
    })

    test('OUT-1: the database goes away and comes back', async () => {
      const proxy = await ChaosProxy.start(database().port)
      // A lease that outlives the outage: this test is about the requests.
      const c = await startReplica(database().url.replace(`:${database().port}`, `:${proxy.port}`), 60_000)
      try {
        const done = await Promise.all(
          Array.from({ length: 20 }, (_, n) => c.client.sendMessage(say(`task-lifecycle ${n}`))),
        )
        const interrupted = await begin(c.client, 'slow 1000')
        await proxy.set({ kind: 'down' })

        const refused = Promise.all(Array.from({ length: 30 }, (_, n) => post(c.url, `task-lifecycle ${n}`)))
        await printDuration(`OUT-1 ${name}: 30 messages refused`, refused)
        expect(new Set(await refused)).toEqual(new Set([503]))
        const health = (path: string) => fetch(c.serving.url + path).then(({ status }) => status)
        expect([await health('/healthz'), await health('/readyz')]).toEqual([200, 503])
        // Long enough that the running task wants to write meanwhile.
        await new Promise((resolve) => setTimeout(resolve, 1_200))

        await proxy.set()
        const back = until(async () => (await health('/readyz')) === 200)
        await printDuration(`OUT-1 ${name}: ready again`, back)
        await printDuration(
          `OUT-1 ${name}: writing again`,
          until(async () => (await post(c.url, 'task-lifecycle back')) === 200),
        )

        const ended = /COMPLETED|FAILED/
        await until(async () => ended.test((await c.client.getTask({ id: interrupted.id })).status.state))
        const store = await openStore(database().url)
        const tasks = done.flatMap((result) => ('task' in result ? [result.task] : []))
        const observed = await Promise.all([...tasks, interrupted].map(({ id }) => observe(store, id)))
        expect(violations({ acknowledged: [], observed })).toEqual([])
        for (const [n, task] of tasks.entries()) expect(observed[n]?.snapshot).toEqual(task)
        await store.close()
      } finally {
        await c.serving.stop('SIGKILL')
        await proxy.close()
      }
    })
  })
}

function isEnd({ event }: ObservedTask['events'][number]): boolean {
  return 'statusUpdate' in event && /FAILED|CANCELED/.test(event.statusUpdate.status.state)
}

async function post(url: string, text: string): Promise<number> {
  const response = await fetch(`${url}/message:send`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify(say(text)),
  })
  await response.arrayBuffer()
  return response.status
}

async function runningAt({ serving }: Replica): Promise<number> {
  const text = await (await fetch(`${serving.url}/metrics`)).text()
  return Number(/^parley_running_tasks\{agent="\/spec"\} (.+)$/m.exec(text)?.[1])
}

/** Asks again until it holds; the time limit of the test ends a vain wait. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 50))
}
