// Webhooks that a client registers (1.0 §4.3).

import { objectAt, textAt } from '../../model/json.ts'
import { ALL_1, type Scenario } from '../scenario.ts'
import { works } from '../stage.ts'

export const push: readonly Scenario[] = [
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
        proves: ['client-inline-push-taskid-empty', 'client-webhook-unique-token'],
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
