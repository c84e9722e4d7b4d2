// The older generations: what their agents get wrong in their own words.

import type { JsonObject } from '../../src/model/json.ts'
import type { BaseName } from './bases.ts'
import { anotherInstant, at, each, list, type Mutant, type Mutation, mutant, put, taskIn, text } from './mutant.ts'

const OPS = ['sendMessage', 'getTask', 'cancelTask'] as const

function tasks(edit: (task: JsonObject) => void, ops: readonly (typeof OPS)[number][] = OPS): Mutation {
  const change = (result: JsonObject) => {
    const task = taskIn(result)
    if (task.status !== undefined) edit(task)
    return undefined
  }
  return { result: Object.fromEntries(ops.map((op) => [op, change])) }
}

function older(base: BaseName): Mutant[] {
  const made = (name: string, story: string, mutation: Mutation) => mutant(`${base}-${name}`, story, mutation, base)
  return [
    made(
      'state-stuck',
      'Tasks are always working when read.',
      tasks((task) => put(task, 'status.state', 'working'), ['getTask']),
    ),
    made(
      'state-new-spelling',
      'States are spelled as in 1.0.',
      tasks((task) => put(task, 'status.state', `TASK_STATE_${text(task, 'status.state').toUpperCase()}`)),
    ),
    made(
      'status-missing',
      'Tasks have no status.',
      tasks((task) => put(task, 'status', {})),
    ),
    made(
      'task-id-missing',
      'Tasks have no id.',
      tasks((task) => void delete task.id),
    ),
    made(
      'task-other',
      'Reading a task returns another.',
      tasks((task) => put(task, 'id', 'another'), ['getTask']),
    ),
    made('send-null', 'A send returns null.', { result: { sendMessage: () => null } }),
    made('cancel-nothing', 'Canceling returns the task as it was.', {
      answer: async (call) =>
        call.op === 'cancelTask'
          ? (async () => {
              const read = await call.ask({
                text: JSON.stringify({
                  jsonrpc: '2.0',
                  id: at(call.body, 'id') ?? null,
                  method: 'tasks/get',
                  params: { id: call.taskId ?? '' },
                }),
              })
              return read.text.includes('"working"') ? read : undefined
            })()
          : undefined,
    }),
    ...olderRules(base),
  ]
}

function olderRules(base: BaseName): Mutant[] {
  const made = (name: string, story: string, mutation: Mutation) => mutant(`${base}-${name}`, story, mutation, base)
  return [
    made('cancel-wrapped', 'Canceling returns {"task": …}.', { result: { cancelTask: (task) => ({ task }) } }),
    made('cancel-finished', 'Finished tasks can be canceled.', {
      answer: async (call) => {
        if (call.op !== 'cancelTask') return undefined
        const read = await call.ask({
          text: JSON.stringify({
            jsonrpc: '2.0',
            id: at(call.body, 'id') ?? null,
            method: 'tasks/get',
            params: { id: call.taskId ?? '' },
          }),
        })
        return read.text.includes('"completed"') ? read : undefined
      },
    }),
    made('history-unlimited', 'historyLength is ignored.', {
      request: (call) => {
        if (call.op === 'getTask') put(call.body, 'params.historyLength', 100)
      },
    }),
    made('unknown-task', 'Unknown tasks are read as null.', {
      reply: (reply, call) => {
        if (call.op === 'getTask' && reply.text.includes('-32001'))
          reply.text = JSON.stringify({ jsonrpc: '2.0', id: at(call.body, 'id') ?? null, result: null })
      },
    }),
    made(
      'task-changes',
      'Every read changes the timestamp.',
      tasks((task) => put(task, 'status.timestamp', anotherInstant()), ['getTask']),
    ),
    made('follow-up-new-task', 'A follow-up is answered with another task.', {
      result: {
        sendMessage: (result, call) => {
          const id = text(call.params, 'message.taskId') || text(call.params, 'id')
          const key = `seen ${id}`
          if (id !== '' && call.memory.has(key)) put(taskIn(result), 'id', 'another')
          call.memory.set(`seen ${text(taskIn(result), 'id')}`, true)
          return undefined
        },
      },
    }),
  ]
}

export const olderMutants: Mutant[] = [
  ...older('spec03'),
  ...older('legacy'),
  mutant(
    'spec03-artifact-without-id',
    'Artifacts have no id.',
    tasks((task) => each(task.artifacts, (object) => void delete object.artifactId)),
    'spec03',
  ),
  mutant(
    'spec03-no-kind',
    'Results have no kind.',
    tasks((task) => void delete task.kind),
    'spec03',
  ),
  mutant(
    'spec03-role',
    'Roles are spelled as in 1.0.',
    tasks((task) =>
      each(task.history, (object) => {
        if (object.role === 'user') object.role = 'ROLE_USER'
      }),
    ),
    'spec03',
  ),
  mutant(
    'spec03-push-works',
    'Push configurations are taken although the card says no.',
    {
      answer: (call) =>
        call.op === 'createPushConfig'
          ? {
              status: 200,
              headers: { 'content-type': 'application/json' },
              text: JSON.stringify({ jsonrpc: '2.0', id: at(call.body, 'id') ?? null, result: call.params }),
            }
          : undefined,
    },
    'spec03',
  ),
  mutant(
    'spec03-context-lost',
    'A follow-up moves to another context.',
    {
      result: {
        sendMessage: (result, call) => {
          if (text(call.params, 'message.taskId') !== '') put(taskIn(result), 'contextId', 'another')
          return undefined
        },
      },
    },
    'spec03',
  ),
  mutant(
    'spec03-task-ids',
    'All tasks have the same id.',
    tasks((task) => put(task, 'id', 'task-1'), ['sendMessage']),
    'spec03',
  ),
  mutant(
    'legacy-history-forgotten',
    'The promised history of states is not kept.',
    tasks((task) => put(task, 'history', list(task, 'history').slice(0, 1))),
    'legacy',
  ),
]
