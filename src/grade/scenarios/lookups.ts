// What a client does with tasks that are there already: ids and page tokens as they came (1.0 §3.1.3, §3.1.4, §11.5).

import { ALL_1, type Scenario } from '../scenario.ts'
import { works } from '../stage.ts'
import { answered, DONE, reply, result, streamOf, taskIn } from '../wire-replies.ts'
import { canceledTask } from './stream-limits.ts'

export const lookups: readonly Scenario[] = [
  {
    id: 'request-get',
    area: 'requests',
    about: 'The user asks for a task by its id.',
    on: ALL_1,
    intent: async (stage) => ({ do: 'get', taskId: (await stage.seed('hello')).id }),
    world: () => ({}),
    claims: [
      {
        id: 'client-gets-task',
        title: 'MUST ask for exactly the task it was told',
        proves: ['client-task-id-existing', 'client-rest-query'],
        fix: 'Send the id as it is; over HTTP+JSON percent-encoded in the path.',
        judge(e) {
          const call = e.first('getTask')
          const id = call.params.id ?? decodeURIComponent(call.path.split('/').at(-1) ?? '')
          e.expect(id === e.stage.seeded, `the client asked for ${JSON.stringify(id)}`, call)
          e.expectSuccess()
        },
      },
    ],
  },
  {
    id: 'request-list-pages',
    area: 'requests',
    about: 'The list of tasks comes in three pages.',
    on: ALL_1,
    intent: async (stage) => {
      for (const text of ['one', 'two', 'three']) await stage.seed(text)
      return { do: 'list' }
    },
    world: (surface) => {
      let page = 0
      return {
        answer: (call, next) => {
          if (call.op !== 'listTasks') return next()
          page++
          const nextPageToken = page < 3 ? `page/${page + 1}&more=yes` : ''
          const wire = { tasks: [], nextPageToken, pageSize: 1, totalSize: 3 }
          return answered(surface, call, wire)
        },
      }
    },
    claims: [
      {
        id: 'client-pages-to-the-end',
        title: 'SHOULD ask for further pages until there is no token',
        proves: ['client-list-stop'],
        fix: 'Repeat ListTasks with nextPageToken until it is empty.',
        judge(e) {
          e.first('listTasks')
          e.expectEnded()
          const calls = e.of('listTasks')
          e.expect(calls.length === 3, `the client asked for ${calls.length} of 3 pages`, calls.at(-1))
        },
      },
      {
        id: 'client-page-token-intact',
        title: 'MUST send page tokens back as they came',
        proves: ['client-rest-query'],
        fix: 'Treat the token as opaque; percent-encode it in a query.',
        judge(e) {
          const calls = e.of('listTasks')
          e.need(calls.length > 1, 'the client asked for one page only')
          const [, second] = calls
          const token = second?.query.get('pageToken') ?? second?.params.pageToken
          e.expect(token === 'page/2&more=yes', `the token came back as ${JSON.stringify(token)}`, second)
        },
      },
    ],
  },
  {
    id: 'request-cancel',
    area: 'requests',
    about: 'The user cancels a task that is at work.',
    on: ALL_1,
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
          const id = canceledTask(call)
          e.expect(id === e.stage.seeded, `the client canceled ${JSON.stringify(id)}`, call)
          e.expectEnded()
          if (e.outcome?.state !== undefined)
            e.expect(e.state === 'TASK_STATE_CANCELED', `the client reports ${e.outcome.state}`, call)
        },
      },
    ],
  },
  {
    id: 'result-no-artifacts',
    area: 'results',
    about: 'The task is done and its list of artifacts is empty.',
    on: ALL_1,
    intent: () => ({ do: 'send', text: 'hello' }),
    world: (surface) => ({
      answer: (call, next) => {
        const task = taskIn('TASK_STATE_COMPLETED', { artifacts: [] })
        if (call.isMessage) return reply(surface, call, { task })
        return call.op === 'getTask' ? result(surface, call, 'getTask', task) : next()
      },
    }),
    claims: [
      {
        id: 'client-no-artifacts',
        title: 'MUST take a finished task without artifacts for finished',
        proves: ['client-no-reliance-on-messages', 'client-absent-defaults'],
        fix: 'A task may be completed without having produced anything.',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          e.expectSuccess()
        },
      },
    ],
  },
  {
    id: 'result-auth-given',
    area: 'results',
    about: 'The task needs authorization, which the user gives elsewhere; then it is done.',
    on: ALL_1,
    intent: () => ({ do: 'send', text: 'hello', waits: true }),
    world: (surface) => {
      const waiting = taskIn('TASK_STATE_AUTH_REQUIRED')
      let asked = 0
      return {
        push: true,
        answer: (call, next) => {
          if (call.isMessage) return reply(surface, call, { task: waiting })
          if (call.op === 'subscribeTask') return streamOf(surface, call, [{ task: waiting }, { task: DONE }])
          return call.op === 'getTask' ? result(surface, call, 'getTask', ++asked < 2 ? waiting : DONE) : next()
        },
      }
    },
    claims: [
      {
        id: 'client-follows-authorization',
        title: 'SHOULD follow a task that waits for authorization',
        proves: ['client-intask-follow'],
        fix: 'Subscribe to the task, register a webhook, or ask for it now and then (1.0 §7.6.2).',
        judge(e) {
          const call = e.firstSent
          e.expectEnded()
          const follows = e.of('getTask', 'subscribeTask', 'createPushConfig').length > 0
          e.expect(follows, 'the client does nothing to learn that the authorization was given', call)
        },
      },
    ],
  },
  {
    id: 'result-get',
    area: 'results',
    about: 'The user asks for a task that is over.',
    on: ALL_1,
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
