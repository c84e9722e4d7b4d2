// What sends and reads return: tasks, messages, artifacts, states, and when.

import { isJsonObject } from '../../src/model/json.ts'
import { anotherInstant, at, each, list, type Mutant, mutant, put, taskIn, text } from './mutant.ts'
import { configuration, everywhere, JSON_TYPE, requests, tasks } from './task-edits.ts'

export const taskMutants: Mutant[] = [
  // ── what a send returns ──
  mutant('send-bare-task', 'The task of a send is not wrapped.', {
    result: { sendMessage: (sent) => sent.task ?? sent.message },
  }),
  mutant('send-both', 'A send returns a task and a message.', {
    result: {
      sendMessage: (sent) => put(sent, 'message', { messageId: 'x', role: 'ROLE_AGENT', parts: [{ text: 'x' }] }),
    },
  }),
  mutant('send-neither', 'A send returns an empty object.', { result: { sendMessage: () => ({}) } }),
  mutant('send-null', 'A send returns null.', { result: { sendMessage: () => null } }),
  mutant('send-fails', 'Every send is an internal error.', {
    answer: (call) =>
      call.op === 'sendMessage' && call.isRpc
        ? {
            status: 200,
            headers: JSON_TYPE,
            text: JSON.stringify({
              jsonrpc: '2.0',
              id: at(call.body, 'id') ?? null,
              error: { code: -32603, message: 'Oops' },
            }),
          }
        : undefined,
  }),
  mutant(
    'task-id-constant',
    'All tasks have the same id.',
    tasks((task) => put(task, 'id', 'task-1'), ['sendMessage']),
  ),
  mutant(
    'task-id-empty',
    'New tasks have an empty id.',
    tasks((task) => put(task, 'id', ''), ['sendMessage']),
  ),
  mutant(
    'task-id-missing',
    'Tasks have no id.',
    tasks((task) => void delete task.id),
  ),
  mutant(
    'task-status-missing',
    'Tasks have no status when read.',
    tasks((task) => void delete task.status, ['getTask']),
  ),
  mutant(
    'task-state-missing',
    'Statuses have no state.',
    everywhere((object) => {
      if ('state' in object && 'timestamp' in object) delete object.state
    }),
  ),
  mutant('task-wrapped', 'Reading a task returns {"task": …}.', { result: { getTask: (task) => ({ task }) } }),
  mutant('task-other', 'Reading a task returns the one read before.', {
    result: {
      getTask: (task, { memory }) => {
        const before = memory.get('task')
        memory.set('task', task)
        return before ?? task
      },
    },
  }),
  mutant(
    'task-changes',
    'Every read changes the timestamp.',
    tasks((task) => put(task, 'status.timestamp', anotherInstant()), ['getTask']),
  ),
  mutant(
    'state-stuck',
    'Tasks are always working when read.',
    tasks((task) => put(task, 'status.state', 'TASK_STATE_WORKING'), ['getTask']),
  ),
  mutant(
    'state-stuck-send',
    'Tasks are submitted when a send returns.',
    tasks((task) => put(task, 'status.state', 'TASK_STATE_SUBMITTED'), ['sendMessage']),
  ),
  mutant(
    'state-unspecified',
    'Finished tasks are in the unspecified state.',
    tasks((task) => put(task, 'status.state', 'TASK_STATE_UNSPECIFIED')),
  ),
  mutant(
    'state-lower-case',
    'States are written as in the older generation.',
    everywhere((object) => {
      if (typeof object.state === 'string') object.state = object.state.replace('TASK_STATE_', '').toLowerCase()
    }),
  ),
  mutant(
    'state-invented',
    'Completed tasks are TASK_STATE_DONE.',
    everywhere((object) => {
      if (object.state === 'TASK_STATE_COMPLETED') object.state = 'TASK_STATE_DONE'
    }),
  ),
  mutant(
    'state-number',
    'States are numbers.',
    everywhere((object) => {
      if (typeof object.state === 'string') object.state = 3
    }),
  ),
  mutant(
    'artifacts-lost',
    'Tasks have no artifacts when read.',
    tasks((task) => void delete task.artifacts, ['getTask']),
  ),
  mutant(
    'artifacts-lost-send',
    'Tasks have no artifacts when a send returns.',
    tasks((task) => void delete task.artifacts, ['sendMessage']),
  ),
  mutant('artifacts-lost-everywhere', 'Results are only in messages.', {
    ...tasks((task) => void delete task.artifacts),
    event: (event) => ('artifactUpdate' in event ? [] : undefined),
  }),
  mutant(
    'artifact-without-id',
    'Artifacts have no id.',
    everywhere((object) => void delete object.artifactId),
  ),
  mutant(
    'artifact-without-parts',
    'Artifacts have no parts.',
    everywhere((object) => {
      if ('artifactId' in object) object.parts = []
    }),
  ),
  mutant(
    'artifact-twice',
    'Artifacts appear twice.',
    tasks((task) => put(task, 'artifacts', [...list(task, 'artifacts'), ...list(task, 'artifacts')])),
  ),
  mutant(
    'part-two-contents',
    'Text parts also have an empty url.',
    everywhere((object) => {
      if (typeof object.text === 'string') object.url = ''
    }),
  ),
  mutant(
    'part-kind',
    'Parts have the kind of the older generation.',
    everywhere((object) =>
      list(object, 'parts').forEach((part) => {
        if (isJsonObject(part) && typeof part.text === 'string') part.kind = 'text'
      }),
    ),
  ),
  mutant(
    'part-empty',
    'Parts have no content.',
    everywhere((object) => void delete object.text),
  ),
  mutant(
    'task-kind',
    'Tasks have a kind.',
    tasks((task) => put(task, 'kind', 'task')),
  ),
  mutant('raw-not-base64', 'File bytes are sent as plain text.', {
    result: {
      any: (found) =>
        each(found, (object) => {
          if (Array.isArray(object.artifacts) && object.artifacts.length > 0)
            put(object, 'artifacts.0.parts', [{ raw: 'not base64 !', mediaType: 'text/plain' }])
        }),
    },
  }),
  mutant(
    'snake-case',
    'Members are spelled like in the proto file.',
    everywhere((object) => {
      if ('contextId' in object) {
        object.context_id = object.contextId ?? ''
        delete object.contextId
      }
    }),
  ),
  mutant(
    'timestamp-offset',
    'Timestamps have an offset instead of Z.',
    everywhere((object) => {
      if (typeof object.timestamp === 'string') object.timestamp = object.timestamp.replace('Z', '+00:00')
    }),
  ),
  mutant(
    'timestamp-seconds',
    'Timestamps have no fraction.',
    everywhere((object) => {
      if (typeof object.timestamp === 'string') object.timestamp = object.timestamp.replace(/\.\d+Z/, 'Z')
    }),
  ),
  mutant(
    'timestamp-number',
    'Timestamps are numbers.',
    everywhere((object) => {
      if (typeof object.timestamp === 'string') object.timestamp = Date.parse(object.timestamp)
    }),
  ),
  mutant(
    'timestamp-missing',
    'Statuses have no timestamp.',
    everywhere((object) => void delete object.timestamp),
  ),
  mutant(
    'metadata-list',
    'Metadata is a list.',
    tasks((task) => put(task, 'metadata', [])),
  ),
  mutant(
    'role-user',
    'The agent speaks as the user.',
    everywhere((object) => {
      if (object.role === 'ROLE_AGENT') object.role = 'ROLE_USER'
    }),
  ),
  mutant(
    'role-lower-case',
    'Roles are written in lower case.',
    everywhere((object) => {
      if (typeof object.role === 'string') object.role = object.role.replace('ROLE_', '').toLowerCase()
    }),
  ),
  mutant(
    'role-missing',
    'Messages have no role.',
    everywhere((object) => void delete object.role),
  ),
  mutant(
    'message-id-missing',
    'Messages of the agent have no id.',
    everywhere((object) => {
      if (object.role === 'ROLE_AGENT') delete object.messageId
    }),
  ),
  mutant(
    'message-id-constant',
    'All messages have the same id.',
    everywhere((object) => {
      if ('messageId' in object) object.messageId = 'message-1'
    }),
  ),
  mutant('reply-without-context', 'Direct messages name no context.', {
    result: { sendMessage: (sent) => put(sent, 'message.contextId', undefined) },
  }),
  mutant('reply-with-task', 'Direct messages name a task that does not exist.', {
    result: { sendMessage: (sent) => put(sent, 'message.taskId', 'no-such-task') },
  }),
  mutant('reply-user-role', 'Direct messages come from the user.', {
    result: { sendMessage: (sent) => put(sent, 'message.role', 'ROLE_USER') },
  }),
  mutant('reply-empty', 'Direct messages have no parts.', {
    result: { sendMessage: (sent) => put(sent, 'message.parts', []) },
  }),
  // ── blocking ──
  mutant(
    'never-blocks',
    'A send never waits.',
    requests((params, call) => {
      if (call.op === 'sendMessage') params.configuration = { ...configuration(call), returnImmediately: true }
    }),
  ),
  mutant(
    'always-blocks',
    'A send always waits.',
    requests((params, call) => {
      if (call.op === 'sendMessage') params.configuration = { ...configuration(call), returnImmediately: false }
    }),
  ),
  mutant('immediate-not-stored', 'A task returned at once cannot be read yet.', {
    result: {
      sendMessage: (sent, call) => {
        if (configuration(call).returnImmediately === true) call.memory.set(`fresh ${text(taskIn(sent), 'id')}`, true)
        return undefined
      },
    },
    request: (call) => {
      if (call.op !== 'getTask' || !call.memory.delete(`fresh ${call.taskId}`)) return
      if (call.isRpc) put(call.body, 'params.id', 'not-yet')
      else call.path = call.path.replace(/tasks\/[^?]+/, 'tasks/not-yet')
    },
  }),
  mutant('history-padded-send', 'A send returns two messages of history, whatever was asked for.', {
    result: {
      sendMessage: (sent) => {
        const said = (messageId: string) => ({ messageId, role: 'ROLE_USER', parts: [{ text: 'x' }] })
        if (sent.task !== undefined) put(sent, 'task.history', [said('a'), said('b')])
        return undefined
      },
    },
  }),
  mutant('immediate-makes-task', 'With returnImmediately a direct message becomes a task.', {
    result: {
      sendMessage: (sent, call) => {
        if (sent.message === undefined || configuration(call).returnImmediately !== true) return undefined
        return {
          task: {
            id: 'made-up',
            contextId: 'made-up',
            status: { state: 'TASK_STATE_SUBMITTED', timestamp: new Date().toISOString() },
          },
        }
      },
    },
  }),
  mutant(
    'input-is-working',
    'A send returns a task that needs input as working.',
    tasks(
      (task) => {
        if (text(task, 'status.state') === 'TASK_STATE_INPUT_REQUIRED') put(task, 'status.state', 'TASK_STATE_WORKING')
      },
      ['sendMessage'],
    ),
  ),
  mutant(
    'auth-is-failed',
    'A send returns a task that needs authorization as failed.',
    tasks(
      (task) => {
        if (text(task, 'status.state') === 'TASK_STATE_AUTH_REQUIRED') put(task, 'status.state', 'TASK_STATE_FAILED')
      },
      ['sendMessage'],
    ),
  ),
  mutant(
    'auth-unexplained',
    'A task that needs authorization does not say which.',
    tasks((task) => {
      if (text(task, 'status.state') === 'TASK_STATE_AUTH_REQUIRED') put(task, 'status.message', undefined)
    }),
  ),
  mutant(
    'auth-insecure-link',
    'Authorization is asked for over plain HTTP.',
    tasks((task) => {
      if (text(task, 'status.state') === 'TASK_STATE_AUTH_REQUIRED')
        put(task, 'status.message.parts', [{ text: 'Go to http://login.parley.invalid/now' }])
    }),
  ),
  mutant('auth-dead-end', 'A task that waits for authorization takes no messages.', {
    result: {
      sendMessage: (sent, call) => {
        if (text(sent, 'task.status.state') === 'TASK_STATE_AUTH_REQUIRED') call.memory.set(text(sent, 'task.id'), true)
        return undefined
      },
    },
    request: (call) => {
      const id = text(call.params, 'message.taskId')
      if (call.memory.has(id)) put(call.isRpc ? at(call.body, 'params') : call.body, 'message.taskId', 'gone')
    },
  }),
  mutant(
    'input-unexplained',
    'A task that needs input does not say what.',
    tasks((task) => {
      if (text(task, 'status.state') === 'TASK_STATE_INPUT_REQUIRED') put(task, 'status.message', undefined)
    }),
  ),
]
