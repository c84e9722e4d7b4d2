// Webhooks that a client registers (1.0 §4.3).

import { objectAt, textAt } from '../../model/json.ts'
import type { Agent } from '../../server/index.ts'
import { HTTP_1, type Scenario } from '../scenario.ts'

/** Works until it is canceled. */
const works: Agent = async (_message, context) => {
  await context.status('TASK_STATE_WORKING')
  await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }))
}

export const push: readonly Scenario[] = [
  {
    id: 'push-register',
    area: 'push',
    about: 'The user wants to be told of a task by webhook.',
    on: HTTP_1,
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
  {
    id: 'push-cancel',
    area: 'push',
    about: 'The user cancels a task that is at work.',
    on: HTTP_1,
    intent: async (stage) => ({ do: 'cancel', taskId: (await stage.seed('work')).id }),
    world: () => ({ agent: works }),
    claims: [
      {
        id: 'client-cancels-task',
        title: 'MUST cancel exactly the task it was told',
        proves: ['client-task-id-existing'],
        fix: 'Call CancelTask with the id, and report the state that comes back.',
        judge(e) {
          const call = e.first('cancelTask')
          const inPath = /\/tasks\/([^/:]+):cancel$/.exec(call.path)?.[1]
          const id = inPath === undefined ? textAt(call.params, 'id') : decodeURIComponent(inPath)
          e.expect(id === e.stage.seeded, `the client canceled ${JSON.stringify(id)}`, call)
          e.expectEnded()
          if (e.outcome?.state !== undefined)
            e.expect(e.state === 'TASK_STATE_CANCELED', `the client reports ${e.outcome.state}`, call)
        },
      },
    ],
  },
  {
    id: 'push-subscribe',
    area: 'push',
    about: 'The user follows a task that is over when the client comes.',
    on: HTTP_1,
    intent: async (stage) => {
      const { id } = await stage.seed('hello')
      return { do: 'get', taskId: id }
    },
    world: () => ({}),
    claims: [
      {
        id: 'client-reports-task',
        title: 'MUST report the state and the artifacts of a task',
        proves: ['client-no-reliance-on-messages'],
        fix: 'Show the status and every artifact of the task.',
        judge(e) {
          e.first('getTask')
          e.expectSuccess()
          e.expect(e.state === 'TASK_STATE_COMPLETED', `the client reports ${e.understood.state}`, e.first('getTask'))
          e.expectText('You said: hello')
        },
      },
    ],
  },
]
