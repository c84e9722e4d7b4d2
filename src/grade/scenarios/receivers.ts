// What receives notifications for a client (1.0 §4.3.3, §13.2): the intent asks it to listen, to register where it does, and to
// follow the task by what arrives. Clients without a receiver are not measured.

import { dialectById } from '../../dialects/index.ts'
import type { StreamEvent } from '../../model/event.ts'
import { type JsonValue, objectAt, textAt } from '../../model/json.ts'
import type { Call } from '../call.ts'
import type { Delivered } from '../deliveries.ts'
import type { Evidence } from '../evidence.ts'
import { JSONRPC_1, type Scenario, type Surface, type World } from '../scenario.ts'
import { type Stage, works } from '../stage.ts'
import { agentSays, artifact, CONTEXT_ID, DONE, result, WHOLE_TEXT } from '../wire-replies.ts'

const BURST = 50
const TOKEN = 'canary-token-91c4'

const isTaken = ({ status }: Delivered): boolean => status >= 200 && status < 300

type State = 'TASK_STATE_WORKING' | 'TASK_STATE_FAILED' | 'TASK_STATE_COMPLETED'
const DAYS_AGO_MS = 3 * 24 * 3_600_000

function statusOf(taskId: string, state: State, agoMs = 0) {
  const timestamp = new Date(Date.now() - agoMs).toISOString()
  return { statusUpdate: { taskId, contextId: CONTEXT_ID, status: { state, timestamp } } } satisfies StreamEvent
}

function artifactOf(taskId: string, text: string): StreamEvent {
  return { artifactUpdate: { taskId, contextId: CONTEXT_ID, artifact: artifact([{ text }]) } }
}

/** Where the client asked to be told, whichever version wrote it. */
function webhookIn({ params }: Call): { url: string; token: string | undefined } {
  const config = objectAt(params, 'pushNotificationConfig') ?? params
  return { url: textAt(config, 'url') ?? '', token: textAt(config, 'token') }
}

async function tellEverything(stage: Stage, call: Call, surface: Surface): Promise<void> {
  const { url, token } = webhookIn(call)
  const id = stage.seeded ?? ''
  const wire = (event: StreamEvent): JsonValue =>
    dialectById(surface.version).codecs[surface.binding]?.encodeEvent(event).wire ?? {}
  const tellAs = (as: string | undefined, what: string, event: StreamEvent) =>
    stage.deliver(url, { what, body: wire(event), token: as })
  const tell = (what: string, event: StreamEvent) => tellAs(token, what, event)
  await tellAs('not-the-token', 'wrong token', statusOf(id, 'TASK_STATE_FAILED'))
  await tellAs(undefined, 'no token', statusOf(id, 'TASK_STATE_FAILED'))
  await tell('another task', artifactOf('task-of-somebody-else', 'SECRET'))
  await tell('task', { task: { ...DONE, id, status: { state: 'TASK_STATE_WORKING' }, artifacts: [] } })
  await tell('message', { message: { ...agentSays('Working on it.'), taskId: id } })
  await tell('status', statusOf(id, 'TASK_STATE_WORKING'))
  await tell('artifact', artifactOf(id, WHOLE_TEXT))
  await tell('artifact again', artifactOf(id, WHOLE_TEXT))
  await tell('days old', statusOf(id, 'TASK_STATE_WORKING', DAYS_AGO_MS))
  await Promise.all(Array.from({ length: BURST }, () => tell('burst', statusOf(id, 'TASK_STATE_WORKING'))))
  const late = statusOf(id, 'TASK_STATE_WORKING')
  await tell('end', statusOf(id, 'TASK_STATE_COMPLETED'))
  await tell('late', late)
}

async function tellTheEnd(stage: Stage, call: Call, { version }: Surface): Promise<void> {
  const { url, token } = webhookIn(call)
  const id = stage.seeded ?? ''
  const body = dialectById(version).push.encodeBody(statusOf(id, 'TASK_STATE_COMPLETED'), { ...DONE, id })
  await stage.deliver(url, { what: 'end', body, token })
}

const telling =
  (tell: typeof tellEverything) =>
  (surface: Surface): World => ({
    agent: works,
    push: true,
    answer: (call, next, stage) => {
      if (call.op === 'getTask') return result(surface, call, 'getTask', { ...DONE, id: stage.seeded ?? '' })
      if (call.op === 'createPushConfig') void tell(stage, call, surface)
      return next()
    },
  })

function deliveries(e: Evidence, ...what: readonly string[]): Delivered[] {
  e.first('createPushConfig')
  const found = e.stage.deliveries.filter((each) => what.includes(each.what))
  e.need(found.length > 0, 'nothing could be delivered')
  return found
}

const said = (found: readonly Delivered[]): string =>
  found.map(({ what, status }) => `${what}: ${status === 0 ? 'no answer' : status}`).join(', ')

const isOverTls = (call: Call): boolean => webhookIn(call).url.startsWith('https:')

const receive = async (stage: Stage) => ({
  do: 'receive' as const,
  taskId: (await stage.seed('work')).id,
  token: TOKEN,
})

export const receivers: readonly Scenario[] = [
  {
    id: 'push-receive',
    area: 'push',
    about: 'Notifications of every kind arrive, with and without the right token, some twice, many at once.',
    on: JSONRPC_1,
    intent: receive,
    world: telling(tellEverything),
    claims: [
      {
        id: 'client-webhook-acknowledges',
        title: 'MUST acknowledge a good notification with 2xx, and follow the task by it',
        proves: ['client-webhook-2xx'],
        fix: 'Answer 200 or 204 when a notification was taken.',
        judge(e) {
          const [found] = deliveries(e, 'status')
          e.expect(found !== undefined && isTaken(found), `the receiver answered ${found?.status}`)
          e.expectSuccess()
        },
      },
      {
        id: 'client-webhook-every-payload',
        title: 'MUST understand all four payloads: task, message, status and artifact',
        proves: ['client-webhook-all-payloads'],
        fix: 'A notification is a StreamResponse: it holds one of task, message, statusUpdate and artifactUpdate.',
        judge(e) {
          const found = deliveries(e, 'task', 'message', 'status', 'artifact')
          const refused = found.filter((each) => !isTaken(each))
          e.expect(refused.length === 0, `the receiver refuses ${said(refused)}`)
        },
      },
      {
        id: 'client-webhook-checks-token',
        title: 'MUST refuse a notification without the token it had asked for',
        proves: ['client-webhook-verify-auth'],
        fix: 'Compare X-A2A-Notification-Token with the token of the configuration, and answer 401.',
        judge(e) {
          const found = deliveries(e, 'wrong token', 'no token')
          const taken = found.filter(({ status }) => status !== 401 && status !== 403)
          e.expect(taken.length === 0, `the receiver answered ${said(taken)}`)
        },
      },
      {
        id: 'client-webhook-checks-task',
        title: 'MUST NOT take a notification of a task that it does not follow',
        proves: ['client-webhook-verify-task'],
        fix: 'Compare the taskId with the tasks that webhooks were registered for.',
        judge(e) {
          const [found] = deliveries(e, 'another task')
          const isMixedIn = (e.outcome?.text ?? '').includes('SECRET')
          e.need(
            found?.status !== 200 || e.outcome?.text !== undefined,
            'the client does not report what it did with it',
          )
          e.expect(!isMixedIn, 'the client mixed in a notification of another task')
        },
      },
      {
        id: 'client-webhook-duplicates',
        title: 'SHOULD take a notification that comes twice without harm',
        proves: ['client-webhook-idempotent'],
        fix: 'Acknowledge it once more; the artifact of that id is replaced, not added.',
        judge(e) {
          const [found] = deliveries(e, 'artifact again')
          e.expect(found !== undefined && isTaken(found), `the receiver answered ${found?.status} the second time`)
          const text = e.outcome?.text ?? ''
          e.expect(text.split(WHOLE_TEXT).length <= 2, 'the client has the artifact twice')
        },
      },
      {
        id: 'client-webhook-burst',
        title: `SHOULD handle ${BURST} notifications at once in good order`,
        proves: ['client-webhook-rate-limit'],
        fix: 'Take them all, or answer 429; do not leave the sender without an answer.',
        judge(e) {
          const found = deliveries(e, 'burst')
          const lost = found.filter((each) => !isTaken(each) && each.status !== 429)
          e.expect(lost.length === 0, `${lost.length} of ${BURST} were answered ${lost[0]?.status ?? 0}`)
        },
      },
      {
        id: 'client-webhook-late',
        title: 'SHOULD NOT go back when an earlier notification comes late',
        proves: ['client-webhook-idempotent'],
        fix: 'A terminal state is the last one, whatever arrives after it.',
        judge(e) {
          deliveries(e, 'end')
          e.expectEnded()
          e.need(e.understood.state !== undefined, 'the client reports no state')
          e.expect(e.state === 'TASK_STATE_COMPLETED', `the client reports ${e.understood.state} after the end`)
        },
      },
      {
        id: 'client-webhook-old',
        title: 'MAY refuse a notification that is days old',
        proves: ['client-webhook-replay'],
        fix: 'Compare the timestamp of the status with the clock, so that what was recorded long ago cannot be repeated.',
        judge(e) {
          const [found] = deliveries(e, 'days old')
          e.expect(found !== undefined && !isTaken(found), `the receiver answered ${found?.status}`)
        },
      },
    ],
  },
  {
    id: 'push-receive-https',
    area: 'push',
    about: 'The receiver has a certificate of an authority that the agent trusts.',
    on: JSONRPC_1,
    intent: async (stage) => ({ ...(await receive(stage)), certificate: stage.certificate() }),
    world: telling(tellTheEnd),
    claims: [
      {
        id: 'client-webhook-over-https',
        title: 'SHOULD register a webhook over https',
        proves: ['client-webhook-https'],
        fix: 'Listen with the certificate, and register the https URL.',
        judge(e) {
          const call = e.first('createPushConfig')
          const [found] = deliveries(e, 'end')
          e.expect(isOverTls(call), 'the webhook is not over https', call)
          e.expect(found !== undefined && isTaken(found), `the receiver answered ${said([found as Delivered])}`)
        },
      },
    ],
  },
  {
    id: 'push-receive-earlier',
    area: 'push',
    about: 'A notification arrives in the form of an earlier version.',
    on: [
      { version: '0.3', binding: 'jsonrpc' },
      { version: '0.1', binding: 'jsonrpc' },
    ],
    intent: receive,
    world: telling(tellTheEnd),
    claims: [
      {
        id: 'client-webhook-earlier-body',
        title: 'MUST understand the notification of the version it registered with',
        proves: ['client-webhook-all-payloads'],
        fix: 'Notifications of 0.3 and before are the task itself.',
        judge(e) {
          deliveries(e, 'end')
          e.expectSuccess()
        },
      },
    ],
  },
]
