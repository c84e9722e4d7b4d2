// Webhooks that a client registers (1.0 §4.3).

import { objectAt, textAt } from '../../model/json.ts'
import { ALL_1, type Scenario } from '../scenario.ts'
import { works } from '../stage.ts'

export const push: readonly Scenario[] = [
  {
    id: 'push-inline',
    area: 'push',
    about: 'The user wants to be told of the task that a message begins.',
    on: ALL_1,
    intent: (stage) => ({
      do: 'send',
      text: 'hello',
      webhook: { url: `${stage.secondUrl}/hook`, token: 'canary-inline-token' },
    }),
    world: () => ({ push: true }),
    claims: [
      {
        id: 'client-inline-webhook',
        title: 'MUST leave the task out of a webhook that it sends with its message',
        proves: ['client-inline-push-taskid-empty'],
        fix: 'Put url and token into configuration.taskPushNotificationConfig; the task has no id yet.',
        judge(e) {
          const call = e.firstSent
          const config = objectAt(objectAt(call.params, 'configuration'), 'taskPushNotificationConfig')
          e.need(config !== undefined, 'the client cannot be told to send a webhook with its message')
          e.expect((textAt(config, 'taskId') ?? '') === '', `the webhook names task ${textAt(config, 'taskId')}`, call)
          e.expect(textAt(config, 'url') === `${e.stage.secondUrl}/hook`, 'the URL arrived changed', call)
          e.expect(textAt(config, 'token') === 'canary-inline-token', 'the token is missing or changed', call)
        },
      },
    ],
  },
  {
    id: 'push-register',
    area: 'push',
    about: 'The user wants to be told of a task by webhook.',
    on: ALL_1,
    intent: async (stage) => ({
      do: 'push',
      taskId: (await stage.seed('work')).id,
      webhook: { url: `${stage.secondUrl}/hook`, token: 'canary-token' },
    }),
    world: () => ({ agent: works, push: true }),
    claims: [
      {
        id: 'client-registers-webhook',
        title: 'MUST register the webhook for the task it was told',
        proves: ['client-webhook-unique-token'],
        fix: 'Call CreateTaskPushNotificationConfig with taskId, url and token.',
        judge(e) {
          const call = e.first('createPushConfig')
          const { params } = call
          const config = objectAt(params, 'pushNotificationConfig') ?? params
          const taskId = textAt(params, 'taskId') ?? decodeURIComponent(call.path.split('/')[2] ?? '')
          e.expect(taskId === e.stage.seeded, `the webhook is for task ${JSON.stringify(taskId)}`, call)
          e.expect(textAt(config, 'url') === `${e.stage.secondUrl}/hook`, 'the URL arrived changed', call)
          e.expect(textAt(config, 'token') === 'canary-token', 'the token is missing or changed', call)
        },
      },
    ],
  },
]
