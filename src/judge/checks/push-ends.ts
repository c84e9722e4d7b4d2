// What webhooks hear of the other ends of a task, and of its artifacts (1.0 §4.3.3).

import type { JsonObject } from '../../model/json.ts'
import type { TaskState } from '../../model/task.ts'
import type { Exchange } from '../../trace/exchange.ts'
import { quote } from '../probe/assertions.ts'
import type { Behaviour } from '../probe/behaviours.ts'
import type { Probe } from '../probe/probe.ts'
import { sameMeaning } from '../probe/proto-json.ts'
import { type RawArtifact, type RawTask, textAt } from '../probe/raw.ts'
import { rawData, rawFile } from '../probe/raw-parts.ts'
import type { Webhook } from '../probe/webhook.ts'
import { inline, listeningWebhook } from './accepted-webhook.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { wordOf } from './ends.ts'
import { created } from './push.ts'
import { ARRIVAL_MS, delivered, eventIn, evidence } from './push-delivery.ts'
import { isTerminalEvent } from './raw-streams.ts'

const ENDS: readonly (readonly [Behaviour, TaskState])[] = [
  ['fails', 'TASK_STATE_FAILED'],
  ['rejects', 'TASK_STATE_REJECTED'],
]

export const pushEndChecks: PlacedCheck[] = area(
  { name: 'push-delivery', category: 'lifecycle', phase: 5, yieldsTo: ['push-create'] },
  [
    check(
      'push-deliver-ends',
      'MUST notify the webhook of every terminal state, not only of completion',
      {
        proves: ['push-deliver-terminal'],
        fix: 'Deliver the terminal status also of tasks that fail, are rejected or are canceled.',
        needs: ['webhook', 'check:push-deliver-terminal'],
      },
      async (t) => {
        for (const [what, state] of ENDS) {
          if (t.known(what) === undefined) continue
          const hook = await listeningWebhook(t)
          const id = await inline(t, what, hook)
          await hears(t, hook, id, state)
        }
        if (!t.rules.notifiesCancellation || t.known('cancelable') === undefined) return
        const { task } = await t.startWorking('cancelable')
        const hook = await listeningWebhook(t)
        await created(t, task.id, { url: hook.url })
        const x = await t.call('cancelTask', { id: task.id })
        if (x.error === undefined) await hears(t, hook, task.id, 'TASK_STATE_CANCELED')
      },
    ),
    check(
      'push-deliver-token',
      'SHOULD send the token of a configuration with its notifications',
      {
        proves: ['push-deliver-token'],
        fix: 'Send the token of the configuration in the header X-A2A-Notification-Token of every notification.',
        why: 'The receiver tells by it that a notification was meant for it, and for this task.',
        needs: ['webhook', 'check:push-deliver'],
      },
      async (t) => {
        const { hook, token } = await delivered(t)
        if (hook.deliveries.length === 0) t.notMeasured('nothing arrived at the webhook')
        for (const { headers, body, exchange } of hook.deliveries) {
          // No text says in which header, so anywhere will do.
          const isThere = headers.some(([, value]) => value.includes(token)) || body.includes(token)
          t.expect(isThere, 'a notification does not carry the token of its configuration', {
            expected: `X-A2A-Notification-Token: ${token}`,
            actual: 'the token is in no header',
            at: exchange,
          })
        }
      },
    ),
    check(
      'push-deliver-artifacts',
      'SHOULD send artifacts unchanged in notifications',
      {
        proves: ['push-deliver-artifacts'],
        fix: 'Deliver the parts of an artifact unchanged: text, bytes, names, media types and data.',
        needs: ['webhook', 'check:push-deliver-terminal'],
      },
      async (t) => {
        const known = (['artifact-file', 'artifact-data'] as const).filter((what) => t.known(what) !== undefined)
        const texts = new Map([...known, 'task' as const].map((what) => [t.behaviour(what).text, what]))
        for (const what of texts.values()) {
          const hook = await listeningWebhook(t)
          const id = await inline(t, what, hook)
          await hook.until((delivery) => isTerminalEvent(eventIn(delivery)), ARRIVAL_MS)
          const stored = t.taskOf(await t.call('getTask', { id }))
          expectKnownParts(t, hook, stored)
        }
      },
    ),
  ],
)

/** The end that came is the end the task has; what did not come to that end shows nothing. */
async function hears(t: Probe, hook: Webhook, id: string, state: TaskState): Promise<void> {
  // Asked first, because waiting for what never comes may take all the time a check has.
  const before = t.taskOf(await t.call('getTask', { id }))
  const end = await hook.until((delivery) => isTerminalEvent(eventIn(delivery)), ARRIVAL_MS)
  const stored = before.state === state ? before : t.taskOf(await t.call('getTask', { id }))
  if (stored.state !== state) return
  t.expect(end !== undefined, `the webhook is not notified of the end of a ${wordOf(state)} task`, evidence(hook))
  if (end !== undefined)
    t.expectEqual(eventIn(end).state, state, `the notified state of a ${wordOf(state)} task`, { at: end.exchange })
}

/** Every part that was notified is a part of the stored artifact; chunks may be missing or come twice. */
function expectKnownParts(t: Probe, hook: Webhook, stored: RawTask): void {
  for (const { artifact, exchange } of lastWritten(hook)) {
    const known = stored.artifacts.find((one) => one.id === artifact.id)?.parts ?? []
    for (const part of artifact.parts) {
      t.expect(
        known.some((one) => holds(one, part)),
        'a notified part is not in the artifact',
        { expected: quote(known), actual: quote(part), pointer: '/artifact', at: exchange },
      )
    }
  }
}

/** What was written before an artifact began anew is rightly gone (1.0 §4.2.2); without order, nothing is known of it. */
function lastWritten({ deliveries }: Webhook): { artifact: RawArtifact; exchange: Exchange }[] {
  const written = deliveries.flatMap((delivery) => {
    const { artifact, append, task } = eventIn(delivery)
    const whole = (task?.artifacts ?? []).map((one) => ({ artifact: one, isNew: true }))
    const all = artifact === undefined ? whole : [...whole, { artifact, isNew: !append }]
    return all.map((one) => ({ ...one, exchange: delivery.exchange }))
  })
  return written.filter(
    ({ artifact }, at) =>
      !written.some((later, place) => place > at && later.isNew && later.artifact.id === artifact.id),
  )
}

/** Texts may be joined when they are kept, and the two may be written in different forms of a generation. */
function holds(kept: JsonObject, part: JsonObject): boolean {
  const [all, some] = [textAt(kept, 'text'), textAt(part, 'text')]
  if (all !== undefined && some !== undefined) return all.includes(some)
  const [file, other] = [rawFile(kept), rawFile(part)]
  // The proto form of 0.3, which has no `kind`, has no name for a file either.
  const nameless = 'kind' in kept === 'kind' in part ? {} : { name: '' }
  if (file !== undefined && other !== undefined) return sameMeaning({ ...file, ...nameless }, { ...other, ...nameless })
  return sameMeaning({ data: rawData(kept) ?? null }, { data: rawData(part) ?? null })
}
