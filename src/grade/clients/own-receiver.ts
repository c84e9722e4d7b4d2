// A receiver of notifications for Parley's own client under test: listens on loopback, registers itself for a task, and asks
// for the task when a notification says that it is over.

import { timingSafeEqual } from 'node:crypto'
import { jsonIn } from '../../bindings/endpoint-client.ts'
import { reportDelivery } from '../../client/delivery-report.ts'
import type { A2AClient } from '../../client/index.ts'
import { objectAt, textAt } from '../../model/json.ts'
import { isSettled } from '../../model/state-machine.ts'
import type { Task, TaskState } from '../../model/task.ts'
import { createListener } from '../../net/serve/http-listener.ts'
import { nodeHandler } from '../../net/serve/node-handler.ts'
import { readBody } from '../../net/serve/read-body.ts'
import { type Reply, wrongMethod } from '../../net/serve/reply.ts'
import type { ServerRequest } from '../../net/serve/request.ts'
import { type Intent, stateNamed } from '../intent.ts'

const MAX_BODY_BYTES = 4 * 1024 * 1024
const DAY_MS = 24 * 3_600_000

export async function followByWebhook(
  client: A2AClient,
  { taskId = '', token = '', certificate }: Intent,
  signal: AbortSignal,
): Promise<Task> {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const listener = createListener(
    nodeHandler(async (request) => {
      const { reply, state } = await taken(request, taskId, token)
      if (state !== undefined && isSettled(state)) resolve()
      return reply
    }),
    certificate === undefined ? {} : { tls: certificate },
  )
  signal.addEventListener('abort', () => resolve(), { once: true })
  try {
    const { url } = await listener.listen({ port: 0, host: '127.0.0.1' })
    await client.createPushConfig({ taskId, url: `${url}/webhook`, token }, { signal })
    await over
    return await client.getTask({ id: taskId }, { signal })
  } finally {
    await listener.close({ graceMs: 100 })
  }
}

async function taken(
  request: ServerRequest,
  taskId: string,
  token: string,
): Promise<{ reply: Reply; state?: TaskState | undefined }> {
  if (request.method !== 'POST') return { reply: wrongMethod('POST') }
  const body = await readBody(request, MAX_BODY_BYTES)
  const report = reportDelivery(request.headers, body, (given) => isSame(given, token))
  if (report.token !== 'right') return { reply: { status: 401, headers: [] } }
  if (report.issues.length > 0) return { reply: { status: 400, headers: [] } }
  if (report.taskId !== taskId || isOld(body)) return { reply: { status: 403, headers: [] } }
  return { reply: { status: 204, headers: [] }, state: stateNamed(report.state) as TaskState | undefined }
}

/** Says when it was: nobody may repeat for ever what was once recorded. */
function isOld(body: Buffer): boolean {
  const json = jsonIn(body.toString('utf8'))
  const timestamp = textAt(objectAt(objectAt(json, 'statusUpdate'), 'status'), 'timestamp')
  return timestamp !== undefined && Date.now() - Date.parse(timestamp) > DAY_MS
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b)
}
