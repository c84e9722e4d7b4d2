// What streams and webhooks tell of a task is what reading it shows: names and metadata of artifacts, the last status (1.0
// §3.1.2, §4.3.3).

import type { JsonObject } from '../../model/json.ts'
import { quote } from '../probe/assertions.ts'
import { sameMeaning } from '../probe/proto-json.ts'
import { rawPushConfig } from '../probe/raw-push.ts'
import { inline, listeningWebhook, openTask, webhookUrl } from './accepted-webhook.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { created, idOf } from './push.ts'
import { ARRIVAL_MS, eventIn } from './push-delivery.ts'
import { eachStream, isTerminalEvent } from './raw-streams.ts'

/** Members of an artifact besides its parts. */
const HEAD = ['name', 'description', 'metadata', 'extensions']

export const sameEverywhereChecks: PlacedCheck[] = [
  ...area({ name: 'same-everywhere', category: 'streaming', phase: 4 }, [
    check(
      'stream-artifact-heads',
      'MUST stream the same artifact names, descriptions and metadata as GetTask returns',
      {
        proves: ['stream-matches-get-task'],
        fix: 'Send the whole artifact with its first chunk, and store what was sent.',
        needs: ['check:stream-artifacts', 'check:send-snapshot'],
      },
      (t) =>
        eachStream(t, async (s) => {
          const id = s.events[0]?.taskId ?? t.notMeasured('the agent answered with a message')
          const x = await t.call('getTask', { id })
          for (const artifact of t.taskOf(x).artifacts) {
            const chunks = [
              ...(s.events[0]?.task?.artifacts ?? []),
              ...s.events.flatMap((event) => event.artifact ?? []),
            ]
            const streamed = headOf(chunks.filter((one) => one.id === artifact.id).map(({ json }) => json))
            const stored = headOf([artifact.json])
            t.expect(
              sameMeaning(streamed, stored),
              `artifact ${artifact.id} was streamed with other members than are stored`,
              {
                expected: quote(stored),
                actual: quote(streamed),
                at: [s.exchange, x.exchange],
              },
            )
          }
        }),
    ),
    check(
      'stream-status-agrees',
      'SHOULD stream the last status with the same timestamp as GetTask returns',
      {
        proves: ['stream-status-time'],
        fix: 'Set the timestamp of a status once, when it is reached, and send the same one everywhere.',
        needs: ['check:stream-final-state', 'check:state-timestamp'],
        causes: ['Events get a new timestamp, or that of the start of the task.'],
      },
      (t) =>
        eachStream(t, async (s) => {
          const last = s.events.findLast(isTerminalEvent)
          if (last?.taskId === undefined || last.timestamp === undefined)
            return t.notMeasured('no final status with a timestamp was streamed')
          const x = await t.call('getTask', { id: last.taskId })
          const { state, timestamp, pointer } = t.taskOf(x)
          if (state !== last.state || timestamp === undefined)
            return t.notMeasured('the final status of the task has no timestamp')
          t.expect(
            sameMeaning({ timestamp }, { timestamp: last.timestamp }),
            'the timestamp of the final status differs from the streamed one',
            {
              expected: timestamp,
              actual: last.timestamp,
              pointer: `${pointer}/status/timestamp`,
              at: [s.exchange, x.exchange],
            },
          )
        }),
    ),
  ]),
  ...area({ name: 'same-everywhere', category: 'lifecycle', phase: 5 }, [
    check(
      'push-get-each',
      'MUST return the push configuration with the requested id',
      {
        proves: ['push-get-returns'],
        fix: 'Find configurations by task and id, not only by task.',
        needs: ['check:push-several', 'check:push-get'],
      },
      async (t) => {
        if (!t.surface.dialect.has('listPushConfigs'))
          t.notApplicable('a task has one configuration in this protocol version')
        const { id: taskId } = await openTask(t)
        const urls = [`${await webhookUrl(t)}?each=1`, `${await webhookUrl(t)}?each=2`]
        const configs = []
        for (const url of urls) configs.push(await created(t, taskId, { url, id: t.unusedId() }))
        for (const { url, known } of configs) {
          const x = await t.call('getPushConfig', { taskId, ...idOf(known) })
          const found = rawPushConfig(t.expectSuccess(x))
          t.expectEqual(found?.url, url, 'the url of the configuration', { pointer: x.resultPointer, at: x })
        }
      },
    ),
    check(
      'push-status-agrees',
      'SHOULD send the same status in notifications as GetTask returns',
      {
        proves: ['push-deliver-status'],
        fix: 'Deliver the status as it is stored: state, message and timestamp.',
        needs: ['webhook', 'check:push-deliver-terminal', 'check:push-deliver-ends'],
        causes: ['The notification gets a new timestamp.', 'The message of the status is left out or shortened.'],
      },
      async (t) => {
        const texts = new Map(
          (['task', 'fails'] as const).flatMap((what) =>
            t.known(what) === undefined ? [] : [[t.behaviour(what).text, what] as const],
          ),
        )
        for (const what of texts.values()) {
          const hook = await listeningWebhook(t)
          const id = await inline(t, what, hook)
          const end = await hook.until((delivery) => isTerminalEvent(eventIn(delivery)), ARRIVAL_MS)
          if (end === undefined) return t.notMeasured('the webhook was not notified of the end of the task')
          const x = await t.call('getTask', { id })
          const stored = t.taskOf(x)
          const { state, timestamp, statusMessage, task } = eventIn(end)
          const told = { timestamp: timestamp ?? null, message: (task?.statusMessage ?? statusMessage)?.text ?? '' }
          const kept = { timestamp: stored.timestamp ?? null, message: stored.statusMessage?.text ?? '' }
          if (state !== stored.state) continue
          t.expect(sameMeaning(told, kept), 'the status in the notification differs from that of the task', {
            expected: quote(kept),
            actual: quote(told),
            at: [end.exchange, x.exchange],
          })
        }
      },
    ),
  ]),
]

/** What the chunks of an artifact say about it besides their parts; later ones may add or leave it out. */
function headOf(chunks: readonly JsonObject[]): JsonObject {
  const head: JsonObject = {}
  for (const chunk of chunks) for (const name of HEAD) if (chunk[name] !== undefined) head[name] = chunk[name] ?? null
  return head
}
