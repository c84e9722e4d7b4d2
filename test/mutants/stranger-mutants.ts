// What callers get at who are not the owners: of tasks, push configurations, totals, streams.

import type { Operation } from '../../src/model/operation.ts'
import { at, type Call, each, type Mutant, type Mutation, mutant, put, text } from './mutant.ts'
import { JSON_TYPE } from './task-edits.ts'

/** Answers of one operation are as if it had been asked by somebody else. */
function asOwner(ops: readonly Operation[]): Mutation {
  return {
    request: (call) => {
      const owner = call.memory.get(call.taskId ?? '')
      if (call.op !== undefined && ops.includes(call.op) && typeof owner === 'string')
        call.headers.authorization = owner
    },
    result: {
      sendMessage: (sent, { memory, headers }) => {
        const id = text(sent, 'task.id')
        if (id !== '') memory.set(id, headers.authorization ?? '')
        return undefined
      },
    },
  }
}

/** Sent to another operation of the agent over the same binding. */
function errorFor(
  call: Call,
  code: number,
  status: number,
  reason: string,
): { status: number; headers: Record<string, string>; text: string } {
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' }
  if (call.isRpc)
    return {
      status: 200,
      headers: JSON_TYPE,
      text: JSON.stringify({
        jsonrpc: '2.0',
        id: at(call.body, 'id') ?? null,
        error: { code, message: 'no', data: [info] },
      }),
    }
  return {
    status,
    headers: JSON_TYPE,
    text: JSON.stringify({ error: { code: status, status: 'FAILED_PRECONDITION', message: 'no', details: [info] } }),
  }
}

/** What is done to a finished task of somebody else tells that it is finished. */
function tellsEnds(op: Operation, code: number, reason: string): Mutation {
  return {
    answer: (call) => {
      const owner = call.memory.get(call.taskId ?? '')
      if (call.op !== op || typeof owner !== 'string' || owner === call.headers.authorization) return undefined
      return errorFor(call, code, 400, reason)
    },
    result: {
      any: (value, { memory, headers }) =>
        each(value, (object) => {
          const isOver = /COMPLETED$/.test(text(object, 'status.state'))
          if (isOver && typeof object.id === 'string' && !memory.has(object.id))
            memory.set(object.id, headers.authorization ?? '')
        }),
    },
  }
}

export const strangerMutants: Mutant[] = [
  mutant(
    'foreign-get-push',
    'Push configurations of others can be read by their id.',
    asOwner(['getPushConfig']),
    'secured',
  ),
  mutant(
    'foreign-delete-push',
    'Push configurations of others can be deleted.',
    asOwner(['deletePushConfig']),
    'secured',
  ),
  mutant('foreign-list-push', 'Push configurations of others are listed.', asOwner(['listPushConfigs']), 'secured'),
  mutant('foreign-subscribe', 'Tasks of others can be subscribed to.', asOwner(['subscribeTask']), 'secured'),
  mutant(
    'foreign-cancel-told',
    'Canceling a finished task of somebody else says that it is finished.',
    tellsEnds('cancelTask', -32_002, 'TASK_NOT_CANCELABLE'),
    'secured',
  ),
  mutant(
    'foreign-subscribe-told',
    'Subscribing to a finished task of somebody else says that it is finished.',
    tellsEnds('subscribeTask', -32_004, 'UNSUPPORTED_OPERATION'),
    'secured',
  ),
  mutant(
    'auth-not-for-reads',
    'Over HTTP+JSON nobody asks who reads.',
    {
      request: (call) => {
        if (call.method === 'GET' && !call.isCard) call.headers.authorization = 'Bearer mutants-first-user'
      },
    },
    'secured',
  ),
  mutant(
    'auth-not-for-streams',
    'Streams are open to everybody.',
    {
      request: (call) => {
        if (call.op === 'streamMessage') call.headers.authorization = 'Bearer mutants-first-user'
      },
    },
    'secured',
  ),
  mutant(
    'list-counts-others',
    'The total counts the tasks of everybody.',
    {
      result: {
        listTasks: (page, { headers }) =>
          headers.authorization?.includes('second') === true
            ? put(page, 'totalSize', Number(page.totalSize) + 40)
            : undefined,
      },
    },
    'secured',
  ),
]
