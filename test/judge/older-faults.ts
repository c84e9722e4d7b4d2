// Single faults of agents of the older generations.

import { envelopes, parsed } from '../mutants/layer-edits.ts'
import { at, type Mutation } from '../mutants/mutant.ts'
import {
  broken,
  cancelIgnored,
  empty,
  type Fault,
  fault,
  known,
  missing,
  refusal,
  renumbered,
  rpcStates,
} from './fault-kinds.ts'

/** The older generations, which have JSON-RPC only here. */
function older(of: 'spec03' | 'legacy'): Fault[] {
  const made = (name: string, told: string, story: string, mutation: Mutation) =>
    fault(`${of}-${name}`, told, story, mutation, of)
  return [
    known(`${of}-not-found`, 'get-task-unknown'),
    known(`${of}-not-cancelable`, 'cancel-finished'),
    made('cancel-ignored', 'cancel-state', 'Canceling returns the running task and does nothing.', cancelIgnored()),
    made('state-in-capitals', 'json-enums schema-task', 'States are written in capitals.', {
      ...rpcStates((state) => state.toUpperCase()),
    }),
    known(`${of}-unknown-task`, 'get-task-unknown'),
    made('send-empty', 'send-result', 'A send answers an empty object.', empty('sendMessage')),
    made('get-broken', 'get-task-current', 'Reading a task throws.', {
      reply: (reply, call) => {
        if (call.op === 'getTask' && at(parsed(reply.text), 'result') !== undefined)
          Object.assign(reply, refusal(call, -32603, 500, 'INTERNAL'))
      },
    }),
    made('cancel-missing', 'cancel-returns-task', 'There is no cancel.', missing('cancelTask')),
    made('stream-missing', 'stream-opens', 'There is no streaming send.', missing('streamMessage')),
    made('subscribe-missing', 'subscribe-works', 'There is no resubscription.', missing('subscribeTask')),
    made(
      'id-counted',
      'jsonrpc-id-echo',
      'Answers have ids of their own.',
      envelopes((envelope, call) => {
        if (typeof at(call.body, 'id') === 'number') envelope.id = 4711
      }),
    ),
  ]
}

export const OLDER_FAULTS: readonly Fault[] = [
  ...older('spec03'),
  ...older('legacy'),
  known('spec03-state-stuck', 'get-task-current get-task-completes'),
  fault(
    'spec03-invalid-params-number',
    'jsonrpc-invalid-params',
    'Bad parameters are internal errors.',
    renumbered(-32602, -32603),
    'spec03',
  ),
  known('old-final-never', 'stream-final-flag'),
  fault(
    'push03-set-broken',
    'push-create',
    'Setting a push configuration throws.',
    broken('createPushConfig'),
    'push03',
  ),
  fault('push03-get-broken', 'push-get', 'Reading a push configuration throws.', broken('getPushConfig'), 'push03'),
  fault('push03-list-broken', 'push-list', 'Listing push configurations throws.', broken('listPushConfigs'), 'push03'),
  fault(
    'push03-delete-broken',
    'push-delete',
    'Deleting a push configuration throws.',
    broken('deletePushConfig'),
    'push03',
  ),
]
