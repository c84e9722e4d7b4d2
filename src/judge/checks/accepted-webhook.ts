// Which webhooks the agent accepts. A careful one refuses addresses on the loopback interface, where ours listens: then
// its configurations are judged with a public address, and its deliveries are not measured.

import { lookup } from 'node:dns/promises'
import type { Answer } from '../probe/answer.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawTask } from '../probe/raw.ts'
import { isLocal } from '../probe/surface.ts'
import type { Webhook } from '../probe/webhook.ts'

/** Reserved for documentation (RFC 2606): it resolves to public addresses, and nobody reads what is sent there. */
const PUBLIC_HOST = 'example.com'

/** `own`: a webhook on this machine; `public`: only one elsewhere; `unknown`: what it accepts cannot be found out here. */
type Accepted = 'own' | 'public' | 'unknown'

/** The URL of a webhook the agent accepts, for checks that expect no delivery. */
export async function webhookUrl(t: Probe): Promise<string> {
  const accepted = await acceptedBy(t)
  if (accepted === 'own') return (await t.webhook()).url
  if (accepted === 'public') return publicUrl(t)
  return t.notMeasured(
    `the agent refuses webhooks on the loopback interface, and ${PUBLIC_HOST} has no address here`,
    'name resolution, or an agent that may call this machine',
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
    if (!isLocal(own.surface)) return 'public'
    const { id: taskId } = await openTask(own)
    const { url } = await own.webhook()
    if (!isRefusal(await own.call('createPushConfig', { taskId, url }))) return 'own'
    if (!isRefusal(await own.call('createPushConfig', { taskId, url: publicUrl(own) }))) return 'public'
    // Without name resolution a careful agent must refuse the public host, too. One that takes the loopback address
    // with a message is not careful but wrong, and the checks will say so.
    if (await hasAddress(PUBLIC_HOST)) return 'public'
    const inline = await own.send('task', { configuration: { taskPushNotificationConfig: { url } } })
    return isRefusal(inline) ? 'unknown' : 'own'
  })
}

/** An error a URL can be refused with; any other is left for the checks to judge. */
function isRefusal({ error, status }: Answer): boolean {
  if (error === undefined || status >= 500) return false
  // That it has no push notifications at all says nothing about addresses.
  if (error.reason === 'PUSH_NOTIFICATION_NOT_SUPPORTED' || error.code === -32003) return false
  const { code = 0, statusName = '' } = error
  // -32004 is how the `tasks/send` generation says that a webhook must use https.
  return (
    [-32602, -32600, -32004].includes(code) || statusName === 'INVALID_ARGUMENT' || [400, 403, 422].includes(status)
  )
}

function publicUrl(t: Probe): string {
  return `https://${PUBLIC_HOST}/parley-webhook/${t.unusedId()}`
}

async function hasAddress(host: string): Promise<boolean> {
  try {
    await lookup(host)
    return true
  } catch {
    return false
  }
}
