// What reaches a webhook, judged by the bytes that arrive (1.0 §4.3, §13.2).

import { isSettled, isTerminal } from '../../model/state-machine.ts'
import { headerOf } from '../../trace/exchange.ts'
import type { Probe } from '../probe/probe.ts'
import { type RawEvent, rawEvent } from '../probe/raw.ts'
import { rawPushConfig } from '../probe/raw-push.ts'
import { isLocal } from '../probe/surface.ts'
import type { Delivery, Webhook } from '../probe/webhook.ts'
import { inline, isRefusal, listeningWebhook } from './accepted-webhook.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { created, deleted, idOf } from './push.ts'
import { isTerminalEvent } from './raw-streams.ts'
import { newTraceparent, traceNote } from './trace-note.ts'

export const ARRIVAL_MS = 10_000
const RETRY_MS = 20_000
/** How much later than one webhook another is called at most. */
const LATE_MS = 1_000
/**
 * The agent's own machine, whichever way it is written (1.0 §13.2 names 127.0.0.0/8 first among the private ranges). No
 * address elsewhere: who accepts one may call it.
 */
const ITS_OWN_HOSTS = ['127.0.0.1', 'localhost', '127.8.8.8', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0']
/** Without a listener. */
const DISCARD = 9

const DELIVERY = { name: 'push-delivery', category: 'lifecycle', phase: 5, yieldsTo: ['push-create'] } as const

export const pushDeliveryChecks: PlacedCheck[] = area(DELIVERY, [
  check(
    'push-deliver',
    'MUST post the updates of a task to its webhook',
    {
      proves: ['push-deliver-post', 'push-deliver-at-least-once'],
      fix: 'Send an HTTP POST to exactly the configured url for every update of the task.',
      needs: ['webhook'],
    },
    async (t) => {
      const { hook, url, traceparent } = await delivered(t)
      const [first] = hook.deliveries
      if (first === undefined) return t.fail('nothing arrived at the webhook', { expected: `POST ${url}` })
      const { pathname, search } = new URL(url)
      for (const { method, path, exchange } of hook.deliveries) {
        t.expectEqual(method, 'POST', 'the HTTP method of a delivery', { at: exchange })
        t.expectEqual(path, `${pathname}${search}`, 'the path of a delivery', { at: exchange })
      }
      t.note(traceNote(hook, traceparent))
    },
  ),
  check(
    'push-deliver-terminal',
    'MUST notify the webhook when the task ends',
    {
      proves: ['push-deliver-terminal'],
      fix: 'Deliver the terminal status of the task.',
      needs: ['webhook'],
      // What cannot be read as an event shows no state.
      yieldsTo: ['push-deliver', 'schema-notification'],
    },
    async (t) => {
      const { hook, isOver } = await delivered(t)
      const terminal = hook.deliveries.find((delivery) => isTerminalEvent(eventIn(delivery)))
      if (terminal === undefined && !isOver) t.notMeasured('the task did not end within the time limit')
      t.expect(terminal !== undefined, 'no delivery shows the end of the task', {
        expected: 'a delivery with a terminal state',
        actual: `${hook.deliveries.length} deliveries: ${hook.deliveries.map((one) => eventIn(one).state ?? eventIn(one).kind).join(', ')}`,
        ...evidence(hook),
      })
    },
  ),
  check(
    'push-deliver-task-id',
    'MUST include the task id in every notification',
    {
      proves: ['push-deliver-task-id'],
      fix: 'Put the id of the task into every notification.',
      needs: ['webhook'],
    },
    async (t) => {
      const { hook, taskId } = await delivered(t)
      if (hook.deliveries.length === 0) t.notMeasured('nothing arrived at the webhook')
      for (const delivery of hook.deliveries)
        t.expectEqual(eventIn(delivery).taskId, taskId, 'the task of a notification', {
          pointer: '/taskId',
          at: delivery.exchange,
        })
    },
  ),
  check(
    'push-deliver-content-type',
    'SHOULD label notifications application/a2a+json',
    {
      proves: ['push-deliver-content-type'],
      fix: 'Send Content-Type: application/a2a+json with notifications.',
      needs: ['webhook'],
    },
    async (t) => {
      const { hook } = await delivered(t)
      if (hook.deliveries.length === 0) t.notMeasured('nothing arrived at the webhook')
      for (const { headers, exchange } of hook.deliveries) {
        const type = (headerOf(headers, 'content-type') ?? '').split(';', 1)[0]?.trim() ?? ''
        // 1.0.0 said application/json (docs/spec-conflicts.md, place 32).
        if (type === 'application/json') t.note('labeled application/json, as revision 1.0.0 had it')
        t.expect(/^application\/(a2a\+)?json$/i.test(type), `the content type is ${type || 'missing'}`, {
          expected: 'application/a2a+json',
          actual: type,
          at: exchange,
        })
      }
    },
  ),
  ...(['Bearer', 'Basic'] as const).map((scheme) =>
    check(
      scheme === 'Bearer' ? 'push-deliver-auth' : 'push-deliver-auth-basic',
      `MUST authenticate to the webhook with the ${scheme} credentials it was given`,
      {
        proves: [scheme === 'Bearer' ? 'push-deliver-auth' : 'push-deliver-auth-other-schemes'],
        fix: 'Send Authorization: <scheme> <credentials> as the configuration prescribes.',
        needs: ['webhook'],
      },
      async (t) => {
        const credentials = 'cGFybGV5OndlYmhvb2s='
        const { hook } = await delivered(t, { authentication: { scheme, credentials } })
        if (hook.deliveries.length === 0) t.notMeasured('nothing arrived at the webhook')
        for (const { headers, exchange } of hook.deliveries) {
          const sent = headerOf(headers, 'authorization') ?? ''
          t.expect(
            sent.toLowerCase().startsWith(`${scheme.toLowerCase()} `) && sent.endsWith(` ${credentials}`),
            sent === '' ? 'the delivery has no Authorization header' : 'the Authorization header is another one',
            { expected: `Authorization: ${scheme} ${credentials}`, actual: sent, at: exchange },
          )
        }
      },
    ),
  ),
  check(
    'push-deliver-after-delete',
    'MUST stop notifying when the configuration is deleted',
    {
      proves: ['push-delete-stops-delivery'],
      fix: 'Look up the configurations when delivering, so that a deleted one is not notified.',
      needs: ['webhook', 'behaviour:slow'],
    },
    async (t) => {
      const { task } = await t.startWorking('slow')
      const kept = await listeningWebhook(t)
      const removed = await listeningWebhook(t)
      await created(t, task.id, { url: kept.url })
      const { known } = await created(t, task.id, { url: removed.url })
      await deleted(t, task.id, known)
      const { state } = t.taskOf(await t.call('getTask', { id: task.id }))
      if (state !== undefined && isSettled(state)) t.notMeasured('the task ended before the configuration was deleted')
      const before = removed.deliveries.length
      // The kept webhook tells when the deleted one would have been called.
      const end = await kept.until((delivery) => isTerminalEvent(eventIn(delivery)), t.timeoutMs)
      if (end === undefined) t.notMeasured('the other webhook was not notified of the end of the task')
      const isLate = (delivery: Delivery) =>
        removed.deliveries.indexOf(delivery) >= before && isTerminalEvent(eventIn(delivery))
      const late = await removed.until(isLate, LATE_MS)
      t.expect(late === undefined, 'the deleted webhook was still notified', {
        expected: 'nothing',
        ...(late === undefined ? {} : { at: late.exchange }),
      })
    },
  ),
  check(
    'push-deliver-every-config',
    'MUST notify every configured webhook',
    {
      proves: ['push-deliver-at-least-once', 'push-create-multiple'],
      fix: 'Deliver to all configurations of a task.',
      needs: ['webhook', 'behaviour:slow'],
      yieldsTo: ['push-deliver', 'push-deliver-terminal', 'push-create-id', 'push-several'],
    },
    async (t) => {
      const { task } = await t.startWorking('slow')
      const hooks = [await listeningWebhook(t), await listeningWebhook(t)]
      for (const { url } of hooks) await created(t, task.id, { url })
      for (const [at, hook] of hooks.entries()) {
        const end = await endAt(t, hook, task.id)
        t.expect(end !== undefined, `webhook ${at + 1} of 2 was not notified of the end of the task`, evidence(hook))
      }
    },
  ),
  check(
    'push-deliver-interrupted',
    'SHOULD notify the webhook when the task needs input',
    {
      proves: ['push-deliver-interrupted'],
      fix: 'Deliver the input-required status as well.',
      needs: ['webhook', 'behaviour:input-required'],
      yieldsTo: ['push-deliver', 'push-deliver-terminal'],
    },
    async (t) => {
      const hook = await listeningWebhook(t)
      await inline(t, 'input-required', hook)
      const told = await hook.until((one) => eventIn(one).state === 'TASK_STATE_INPUT_REQUIRED', ARRIVAL_MS)
      t.expect(told !== undefined, 'no delivery shows that the task waits for input', evidence(hook))
    },
  ),
  check(
    'push-deliver-retry',
    'SHOULD retry a failed delivery',
    {
      proves: ['push-deliver-retry'],
      fix: 'Retry deliveries that fail with a server error or without a response, with increasing delays.',
      yieldsTo: ['push-deliver-terminal'],
      needs: ['webhook'],
    },
    async (t) => {
      const hook = await listeningWebhook(t)
      // With 503 comes Retry-After, which senders heed (RFC 9110 §15.6.4): their own first pause is often much longer.
      hook.answers = [503]
      await inline(t, 'task', hook)
      if ((await hook.until(() => true, ARRIVAL_MS)) === undefined) t.notMeasured('nothing arrived at the webhook')
      const [first] = hook.deliveries
      const again = await hook.until((one) => one !== first && one.body === first?.body, RETRY_MS)
      t.expect(
        again !== undefined,
        'a notification that the webhook answered with 503 was not sent again',
        evidence(hook),
      )
    },
  ),
  check(
    'push-deliver-isolated',
    'SHOULD NOT let a failing webhook affect the task or other webhooks',
    {
      proves: ['push-deliver-failure-isolated'],
      fix: 'Deliver to each webhook independently of the task and of the others.',
      needs: ['webhook', 'behaviour:slow'],
      yieldsTo: ['push-deliver', 'push-deliver-terminal'],
    },
    async (t) => {
      const { task } = await t.startWorking('slow')
      const broken = await listeningWebhook(t)
      broken.answers = Array.from({ length: 50 }, () => 500)
      const sound = await listeningWebhook(t)
      await created(t, task.id, { url: broken.url })
      await created(t, task.id, { url: sound.url })
      const end = await endAt(t, sound, task.id)
      t.expect(end !== undefined, 'the working webhook was not notified of the end of the task', evidence(sound))
      await t.awaitState(task.id, ['TASK_STATE_COMPLETED'])
    },
  ),
  check(
    'push-deliver-immediately',
    'MUST send notifications whether or not the client waits for the send',
    {
      proves: ['send-return-immediately-push'],
      fix: 'Deliver notifications independently of returnImmediately.',
      needs: ['webhook'],
      yieldsTo: ['push-deliver', 'push-deliver-terminal'],
    },
    async (t) => {
      for (const returnImmediately of [true, false]) {
        const hook = await listeningWebhook(t)
        const id = await inline(t, 'task', hook, { returnImmediately })
        const end = await endAt(t, hook, id)
        t.expect(
          end !== undefined,
          `with returnImmediately ${returnImmediately} the webhook is not notified of the end of the task`,
          {
            ...evidence(hook),
          },
        )
      }
    },
  ),
  check(
    'push-deliver-any-binding',
    'MUST send the same notifications whichever binding registered the webhook',
    {
      proves: ['push-deliver-binding-independent'],
      fix: 'Notifications are always HTTP POST with the JSON of a StreamResponse.',
      needs: ['webhook'],
    },
    async (t) => {
      const shapes = []
      for (const probe of [t, t.sibling()]) {
        const hook = await listeningWebhook(probe)
        await inline(probe, 'task', hook)
        const end = await hook.until((delivery) => isTerminalEvent(eventIn(delivery)), ARRIVAL_MS)
        if (end === undefined) t.notMeasured('a webhook was not notified of the end of the task')
        shapes.push(eventIn(end as Delivery).kind)
      }
      t.expectEqual(shapes[1], shapes[0], 'the kind of the last notification over the other binding')
    },
  ),
  check(
    'push-private-webhook',
    'SHOULD refuse webhooks in private networks',
    {
      proves: ['push-ssrf-private', 'push-ssrf-localhost'],
      fix: 'Resolve the host of the url and refuse private, loopback and link-local addresses in every notation.',
    },
    async (t) => {
      // A task nothing happens to any more: whoever accepts such an address has no reason to call it.
      const { id: taskId } = await t.ownFinishedTask()
      for (const host of ITS_OWN_HOSTS) {
        const x = await t.call('createPushConfig', { taskId, url: `https://${host}:${DISCARD}/${t.unusedId()}` })
        const made = x.error === undefined ? rawPushConfig(x.result) : undefined
        if (made !== undefined && t.surface.dialect.has('deletePushConfig'))
          await t.call('deletePushConfig', { taskId, ...idOf(made) })
        if (made !== undefined && host === ITS_OWN_HOSTS[0] && isLocal(t.surface))
          t.notMeasured(
            'the agent runs on this machine, where the webhooks of its tests are, and accepts them',
            'an agent that runs elsewhere, or may not call this machine (parley serve: without --allow-private-networks)',
          )
        t.expect(x.error !== undefined, `a webhook at ${host}, the machine of the agent itself, was accepted`, {
          expected: 'an error',
          at: x,
        })
        if (!isRefusal(x)) t.notMeasured('push configurations of a finished task are refused whatever their url')
      }
    },
  ),
  check(
    'push-redirect',
    'SHOULD NOT follow redirects when delivering notifications',
    {
      proves: ['push-ssrf-indirect'],
      fix: 'Do not follow redirects when delivering, or check the target like the url itself.',
      needs: ['webhook'],
    },
    async (t) => {
      const canary = await listeningWebhook(t)
      const hook = await listeningWebhook(t)
      hook.answers = Array.from({ length: 50 }, () => 302)
      hook.location = canary.url
      await inline(t, 'task', hook)
      if ((await hook.until(() => true, ARRIVAL_MS)) === undefined) t.notMeasured('nothing arrived at the webhook')
      const hit = await canary.until(() => true, LATE_MS)
      t.expect(hit === undefined, 'the redirect was followed', { ...(hit === undefined ? {} : { at: hit.exchange }) })
    },
  ),
])

interface Delivered {
  hook: Webhook
  url: string
  taskId: string
  /** Of the message that made the task. */
  traceparent: string
  /** Of the configuration. */
  token: string
  /** The task has ended, whether or not anybody was told. */
  isOver: boolean
}

/** A finished task whose webhook had its time; without secrets it is shared by all checks that only look. */
export async function delivered(
  t: Probe,
  settings: { authentication?: { scheme: string; credentials: string } } = {},
): Promise<Delivered> {
  const make = async (own: Probe) => {
    const hook = await listeningWebhook(own)
    const url = `${hook.url}?via=parley`
    const traceparent = newTraceparent()
    const token = own.unusedId()
    const taskId = await inline(own, 'task', { url }, { ...settings, traceparent, token })
    const told = await hook.until((delivery) => isTerminalEvent(eventIn(delivery)), arrivalMs(own))
    const { state } = told === undefined ? own.taskOf(await own.call('getTask', { id: taskId })) : eventIn(told)
    return { hook, url, taskId, traceparent, token, isOver: state !== undefined && isTerminal(state) }
  }
  return settings.authentication === undefined ? t.shared('a notified task', make) : make(t)
}

/** The delivery that shows the end of the task; not measured while the task has none. */
async function endAt(t: Probe, hook: Webhook, taskId: string): Promise<Delivery | undefined> {
  const isEnd = (delivery: Delivery) => isTerminalEvent(eventIn(delivery))
  const soon = await hook.until(isEnd, arrivalMs(t))
  if (soon !== undefined) return soon
  const task = await t.awaitTask(taskId, ({ state }) => state !== undefined && isSettled(state))
  if (task.state !== undefined && !isTerminal(task.state)) t.notProvoked('task', task)
  return hook.until(isEnd, LATE_MS)
}

/** A check has twice the time of a call, and wants to ask something afterwards. */
function arrivalMs({ timeoutMs }: Probe): number {
  return Math.min(ARRIVAL_MS, timeoutMs)
}

export function eventIn(delivery: Delivery): RawEvent {
  return rawEvent(delivery.json ?? null, delivery.atMs)
}

export function evidence({ deliveries }: Webhook) {
  return deliveries.length === 0 ? {} : { at: deliveries.map(({ exchange }) => exchange) }
}
