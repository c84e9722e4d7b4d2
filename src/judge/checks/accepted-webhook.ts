// Which webhooks the agent accepts. A careful one refuses addresses on the loopback interface, where ours listens: then
// its configurations are judged with a name that does not resolve, and its deliveries are not measured. Nothing here names a host
// that exists, because whoever accepts it would call it.

import { defined } from '../../base/defined.ts'
import type { Answer } from '../probe/answer.ts'
import type { Behaviour } from '../probe/behaviours.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawTask } from '../probe/raw.ts'
import { isLocal } from '../probe/surface.ts'
import type { Webhook } from '../probe/webhook.ts'

/** Never in any directory (RFC 6761 §6.4): whoever looks it up finds nothing, and whoever calls it calls nobody. */
const NOBODY = 'webhook.parley.invalid'

/** `own`: a webhook on this machine; `nobody`: only a name elsewhere; `unknown`: what it accepts cannot be found out. */
type Accepted = 'own' | 'nobody' | 'unknown'

/** The URL of a webhook the agent accepts, for checks that expect no delivery. */
export async function webhookUrl(t: Probe): Promise<string> {
  const accepted = await acceptedBy(t)
  if (accepted === 'own') return (await t.webhook()).url
  if (accepted === 'nobody') return urlOfNobody(t)
  return t.notMeasured(
    `the agent refuses webhooks on the loopback interface, and ${NOBODY}, which it cannot look up`,
    'an agent that may call this machine (parley serve: --allow-private-networks)',
  )
}

/** A webhook that hears what the agent delivers. */
export async function listeningWebhook(t: Probe): Promise<Webhook> {
  if ((await acceptedBy(t)) === 'own') return t.webhook()
  const reason = isLocal(t.surface)
    ? 'the agent refuses webhooks on the loopback interface'
    : 'the agent runs elsewhere and cannot reach a webhook on this machine'
  return t.notMeasured(reason, 'an agent on this machine that may call it (parley serve: --allow-private-networks)')
}

/** A task that stays open long enough to be configured. */
export async function openTask(t: Probe): Promise<RawTask> {
  if (t.known('input-required') !== undefined) return (await t.startTask('input-required')).task
  if (t.known('slow') !== undefined) return (await t.startWorking('slow')).task
  return (await t.startTask('task')).task
}

function acceptedBy(t: Probe): Promise<Accepted> {
  return t.shared('a webhook the agent accepts', async (own): Promise<Accepted> => {
    const { id: taskId } = await openTask(own)
    if (isLocal(own.surface)) {
      const { url } = await own.webhook()
      if (!isRefusal(await own.call('createPushConfig', { taskId, url }))) return 'own'
      // One that takes the loopback address with a message is not careful but wrong, and the checks will say so.
      const inline = await own.send('task', { configuration: { taskPushNotificationConfig: { url } } })
      if (!isRefusal(inline)) return 'own'
    }
    const elsewhere = await own.call('createPushConfig', { taskId, url: urlOfNobody(own) })
    return isRefusal(elsewhere) ? 'unknown' : 'nobody'
  })
}

/** An error a URL can be refused with; any other is left for the checks to judge. */
export function isRefusal({ error, status }: Answer): boolean {
  if (error === undefined || status >= 500) return false
  // That it has no push notifications at all says nothing about addresses.
  if (error.reason === 'PUSH_NOTIFICATION_NOT_SUPPORTED' || error.code === -32003) return false
  const { code = 0, statusName = '' } = error
  // -32004 is how the `tasks/send` generation says that a webhook must use https.
  return (
    [-32602, -32600, -32004].includes(code) || statusName === 'INVALID_ARGUMENT' || [400, 403, 422].includes(status)
  )
}

function urlOfNobody(t: Probe): string {
  return `https://${NOBODY}/${t.unusedId()}`
}

/** Sends a message that registers the webhook with the task it makes; returns the id of the task. */
export async function inline(
  t: Probe,
  what: Behaviour,
  { url }: { url: string },
  settings: {
    authentication?: { scheme: string; credentials: string }
    token?: string
    returnImmediately?: boolean
    traceparent?: string
  } = {},
): Promise<string> {
  const { returnImmediately, traceparent, ...rest } = settings
  const x = await t.send(what, {
    ...(traceparent !== undefined && { headers: { traceparent } }),
    configuration: {
      taskPushNotificationConfig: { url, ...rest },
      ...defined({ returnImmediately }),
    },
  })
  const sent = t.sendResultOf(x)
  return 'task' in sent ? sent.task.id : t.notMeasured('the agent answered with a message')
}
