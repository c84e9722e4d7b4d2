// Streams and subscriptions: events lost, doubled, swapped, foreign; ends that do not come or come too soon.

import type { JsonObject, JsonValue } from '../../src/model/json.ts'
import type { BaseName } from './bases.ts'
import { isArtifact, isStatus, isTerminal, of10, stateOf } from './event-kinds.ts'
import { at, each, type Mutant, type Mutation, mutant, put, text, word } from './mutant.ts'
import { subscribeMutants } from './subscribe-mutants.ts'

/** Holds the second chunk back until the third has gone. */
function swapping(): Mutation {
  return {
    event: (event, { call, sent }) => {
      if (!isArtifact(event)) return undefined
      const key = `held ${call.path} ${JSON.stringify(at(call.body, 'id') ?? '')} ${text(call.params, 'message.messageId')}${call.taskId ?? ''}`
      const held = call.memory.get(key)
      const chunks = sent.filter(isArtifact).length
      if (chunks === 1 && held === undefined) {
        call.memory.set(key, event)
        return []
      }
      if (held === undefined || held === 'done') return undefined
      call.memory.set(key, 'done')
      return [event, held]
    },
  }
}

function streamMutants(base: BaseName, prefix: string): Mutant[] {
  const made = (name: string, story: string, mutation: Mutation) => mutant(`${prefix}${name}`, story, mutation, base)
  return [
    made('stream-no-terminal', 'The terminal event is never sent.', {
      event: (event) => (isTerminal(event) ? [] : undefined),
    }),
    made('stream-two-terminals', 'The terminal event is sent twice.', {
      event: (event) => (isTerminal(event) ? [event, structuredClone(event)] : undefined),
    }),
    made('stream-after-terminal', 'A working status follows the terminal event.', {
      event: (event) => {
        if (!isTerminal(event) || !isStatus(event)) return undefined
        const late = structuredClone(event)
        const working = stateOf(event).startsWith('TASK') ? 'TASK_STATE_WORKING' : 'working'
        put(late, 'statusUpdate.status.state', working)
        if (at(late, 'status') !== undefined) put(late, 'status.state', working)
        return [event, late]
      },
    }),
    made('stream-stays-open', 'The connection stays open after the terminal event.', {
      ends: () => ({ staysOpen: true }),
    }),
    made('stream-chunk-lost', 'The second chunk is lost.', {
      event: (event, { sent }) =>
        isArtifact(event) && sent.filter(isArtifact).length === 1 && !sent.some((one) => at(one, 'x') !== undefined)
          ? [{ ...event, x: true }].slice(1)
          : undefined,
    }),
    made('stream-chunks-lost', 'Artifacts are not streamed.', {
      event: (event) => (isArtifact(event) ? [] : undefined),
    }),
    made('stream-chunk-twice', 'Every chunk is sent twice.', {
      event: (event) => (isArtifact(event) ? [event, structuredClone(event)] : undefined),
    }),
    made('stream-chunks-swapped', 'Two chunks change places.', swapping()),
    made('stream-foreign', 'Events name another task.', {
      event: (event, { sent }) => {
        if (sent.length === 0) return undefined
        for (const member of ['statusUpdate.taskId', 'artifactUpdate.taskId', 'taskId'])
          if (at(event, member) !== undefined) put(event, member, 'another-task')
        if (base === 'legacy') put(event, 'id', 'another-task')
        return undefined
      },
    }),
    ...streamFormMutants(base, prefix),
    ...streamRefusalMutants(base, prefix),
  ]
}

function streamFormMutants(base: BaseName, prefix: string): Mutant[] {
  const made = (name: string, story: string, mutation: Mutation) => mutant(`${prefix}${name}`, story, mutation, base)
  return [
    made('stream-content-type', 'Streams are labelled text/plain.', {
      reply: (reply) => {
        if (reply.headers['content-type']?.startsWith('text/event-stream') === true)
          reply.headers['content-type'] = 'text/plain'
      },
    }),
    made('stream-buffered', 'All events come at the end.', { buffers: true }),
    made('stream-not-json', 'The data of events is no JSON.', {
      frame: (frame) => frame.replace(/data: \{/, 'data: {,'),
    }),
    made('stream-no-data-field', 'Only the first line of the JSON of an event has a field name.', {
      frame: (frame) =>
        frame.replace(/^data: (.*)$/m, (_, json: string) => `data: ${JSON.stringify(JSON.parse(json), null, 1)}`),
    }),
    made('stream-time-backwards', 'Timestamps go backwards.', {
      event: (event, { sent }) => {
        each(event, (object) => {
          if (typeof object.timestamp === 'string')
            object.timestamp = new Date(Date.parse(object.timestamp) - sent.length * 60_000).toISOString()
        })
        return undefined
      },
    }),
    made('stream-state-differs', 'The stream ends failed; the task is completed.', {
      event: (event) => {
        if (!isTerminal(event)) return undefined
        each(event, (object) => {
          if (object.state === 'TASK_STATE_COMPLETED') object.state = 'TASK_STATE_FAILED'
          if (object.state === 'completed') object.state = 'failed'
        })
        return undefined
      },
    }),
  ]
}

function streamRefusalMutants(base: BaseName, prefix: string): Mutant[] {
  const made = (name: string, story: string, mutation: Mutation) => mutant(`${prefix}${name}`, story, mutation, base)
  return [
    made('stream-refused', 'Streaming calls are internal errors.', {
      answer: (call) =>
        call.op === 'streamMessage'
          ? {
              status: call.isRpc ? 200 : 500,
              headers: { 'content-type': 'application/json' },
              text: JSON.stringify(
                call.isRpc
                  ? { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, error: { code: -32603, message: 'Oops' } }
                  : { error: { code: 500, status: 'INTERNAL', message: 'Oops' } },
              ),
            }
          : undefined,
    }),
    made('stream-breaks', 'The connection breaks instead of ending.', { ends: () => ({ breaks: true }) }),
    made('subscribe-refused', 'Nobody can subscribe.', {
      answer: (call) =>
        call.op === 'subscribeTask'
          ? {
              status: call.isRpc ? 200 : 400,
              headers: { 'content-type': 'application/json' },
              text: JSON.stringify(
                call.isRpc
                  ? { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, error: { code: -32004, message: 'no' } }
                  : {
                      error: {
                        code: 400,
                        status: 'FAILED_PRECONDITION',
                        message: 'no',
                        details: [
                          {
                            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
                            reason: 'UNSUPPORTED_OPERATION',
                            domain: 'a2a-protocol.org',
                          },
                        ],
                      },
                    },
              ),
            }
          : undefined,
    }),
  ]
}

function envelopes(edit: (payload: JsonObject, index: number) => JsonValue): Mutation {
  return {
    frame: (frame, { call, sent }) =>
      call.isRpc
        ? frame.replace(
            /data: (.*)/,
            (_, data: string) => `data: ${JSON.stringify(edit(JSON.parse(data) as JsonObject, sent.length))}`,
          )
        : frame,
  }
}

export const allStreamMutants: Mutant[] = [
  ...streamMutants('spec', ''),
  ...streamMutants('spec03', 'old-'),
  ...streamMutants('legacy', 'legacy-'),
  mutant(
    'stream-no-first-task',
    'The stream begins with an update.',
    of10('streamMessage', (event, { sent }) => (sent.length === 0 && event.task !== undefined ? [] : undefined)),
  ),
  mutant('stream-task-again', 'The task is sent with every update.', {
    event: (event, { sent }) =>
      sent.length > 0 && sent[0]?.task !== undefined && !isTerminal(event)
        ? [event, structuredClone(sent[0])]
        : undefined,
  }),
  mutant('stream-message-too', 'A message is sent in the middle.', {
    event: (event, { sent }) =>
      sent.length === 1
        ? [{ message: { messageId: 'm', role: 'ROLE_AGENT', contextId: 'c', parts: [{ text: 'hello' }] } }, event]
        : undefined,
  }),
  mutant('stream-two-members', 'Events have two members.', {
    event: (event, { sent }) =>
      sent.length > 0 && sent[0]?.task !== undefined ? [{ ...event, task: sent[0].task ?? null }] : undefined,
  }),
  mutant('stream-bare-events', 'Events are not wrapped in their kind.', {
    event: (event) => [Object.values(event)[0] ?? null],
  }),
  mutant('stream-kind', 'Events have the kind of the older generation.', {
    event: (event) =>
      each(event, (object) => {
        if ('taskId' in object) object.kind = 'status-update'
      }),
  }),
  mutant('stream-final-member', 'Status updates say final.', {
    event: (event) => put(event, 'statusUpdate.final', isTerminal(event)),
  }),
  mutant('stream-no-task-id', 'Updates name no task.', {
    event: (event) => {
      put(event, 'statusUpdate.taskId', undefined)
      put(event, 'artifactUpdate.taskId', undefined)
      return undefined
    },
  }),
  mutant('stream-no-context-id', 'Updates name no context.', {
    event: (event) => {
      put(event, 'statusUpdate.contextId', undefined)
      put(event, 'artifactUpdate.contextId', undefined)
      return undefined
    },
  }),
  mutant('stream-foreign-context', 'Updates name another context.', {
    event: (event) => {
      if (event.statusUpdate !== undefined) put(event, 'statusUpdate.contextId', 'another')
      return undefined
    },
  }),
  mutant('stream-message-goes-on', 'After a direct message a status follows.', {
    event: (event) =>
      event.message === undefined
        ? undefined
        : [
            event,
            {
              statusUpdate: {
                taskId: 't',
                contextId: 'c',
                status: { state: 'TASK_STATE_COMPLETED', timestamp: new Date().toISOString() },
              },
            },
          ],
  }),
  mutant('stream-message-hangs', 'After a direct message the stream stays open.', {
    ends: ({ sent }) => ({ staysOpen: sent[0]?.message !== undefined }),
  }),
  mutant('stream-append-missing', 'Further chunks do not say append.', {
    event: (event) => put(event, 'artifactUpdate.append', undefined),
  }),
  mutant('stream-append-always', 'Every chunk says append.', {
    event: (event) => {
      if (event.artifactUpdate !== undefined) put(event, 'artifactUpdate.append', true)
      return undefined
    },
  }),
  mutant('stream-last-chunk-always', 'Every chunk says it is the last.', {
    event: (event) => {
      if (event.artifactUpdate !== undefined) put(event, 'artifactUpdate.lastChunk', true)
      return undefined
    },
  }),
  mutant('stream-artifact-id-changes', 'Every chunk has another artifact id.', {
    event: (event, { sent }) => {
      if (event.artifactUpdate !== undefined) put(event, 'artifactUpdate.artifact.artifactId', `a${sent.length}`)
      return undefined
    },
  }),
  mutant('stream-early-end', 'With returnImmediately the stream ends after the task.', {
    event: (event, { sent, call }) =>
      sent.length > 0 && at(call.params, 'configuration.returnImmediately') === true && event !== undefined
        ? []
        : undefined,
  }),
  mutant(
    'stream-envelope-missing',
    'JSON-RPC events have no envelope.',
    envelopes((payload) => payload.result ?? null),
  ),
  mutant(
    'stream-envelope-version',
    'JSON-RPC events say jsonrpc 1.0.',
    envelopes((payload) => ({ ...payload, jsonrpc: '1.0' })),
  ),
  mutant(
    'stream-ids-counted',
    'JSON-RPC events are numbered by id.',
    envelopes((payload, index) => ({ ...payload, id: index })),
  ),
  mutant(
    'stream-id-null',
    'JSON-RPC events have no id.',
    envelopes((payload) => ({ ...payload, id: null })),
  ),
  mutant(
    'stream-id-text',
    'JSON-RPC events have the id as text.',
    envelopes((payload) => ({ ...payload, id: word(payload.id) })),
  ),
  mutant('stream-rest-envelope', 'REST events have a JSON-RPC envelope.', {
    frame: (frame, { call }) =>
      call.isRpc ? frame : frame.replace(/data: (.*)/, 'data: {"jsonrpc":"2.0","id":1,"result":$1}'),
  }),
  mutant('stream-named-events', 'Events have a name.', { frame: (frame) => `event: update\n${frame}` }),
  mutant('stream-error-in-stream', 'Errors of REST streams come as events with status 200.', {
    reply: (reply, call) => {
      if (call.isRpc || call.op !== 'streamMessage' || reply.status < 400) return
      reply.status = 200
      reply.headers['content-type'] = 'text/event-stream'
      reply.text = `data: ${reply.text}\n\n`
    },
  }),
  mutant('stream-error-no-envelope', 'Errors of JSON-RPC streams have another id.', {
    reply: (reply, call) => {
      if (call.isRpc && call.op === 'streamMessage' && reply.text.startsWith('{'))
        reply.text = reply.text.replace(/"id":("[^"]*"|\d+)/, '"id":null')
    },
  }),
  mutant('stream-unknown-task', 'Streaming to an unknown task makes a new one.', {
    request: (call) => {
      if (call.op === 'streamMessage')
        put(call.isRpc ? at(call.body, 'params') : call.body, 'message.taskId', undefined)
    },
  }),
  mutant('stream-media-any', 'Streams take parts of any media type.', {
    request: (call) => {
      if (call.op === 'streamMessage')
        put(call.isRpc ? at(call.body, 'params') : call.body, 'message.parts.0.mediaType', 'text/plain')
    },
  }),
  mutant('stream-cancels', 'A task is canceled when its stream is left.', {
    event: async (event, { call, sent }) => {
      const id = text(event, 'task.id')
      // The proxy cannot see the reader leave in time; it cancels every streamed slow task after its first event.
      if (sent.length === 0 && id !== '' && JSON.stringify(call.params).includes('slow')) {
        await call.ask({
          method: 'POST',
          path: `/spec/tasks/${id}:cancel`,
          text: '{}',
          headers: { ...call.headers, accept: 'application/json' },
        })
      }
      return undefined
    },
  }),
  ...subscribeMutants,
  mutant(
    'old-final-always',
    'Every status update is final.',
    { event: (event) => put(event, 'final', at(event, 'status') === undefined ? undefined : true) },
    'spec03',
  ),
  mutant(
    'old-final-never',
    'No status update is final.',
    {
      event: (event) => {
        if (event.kind === 'status-update') put(event, 'final', false)
        return undefined
      },
    },
    'spec03',
  ),
  mutant('old-no-kind', 'Events have no kind.', { event: (event) => put(event, 'kind', undefined) }, 'spec03'),
  mutant(
    'legacy-final-never',
    'No event is final.',
    {
      event: (event) => {
        if (at(event, 'final') !== undefined) put(event, 'final', false)
        return undefined
      },
    },
    'legacy',
  ),
  mutant(
    'legacy-first-artifact',
    'The stream begins with an artifact.',
    { event: (event, { sent }) => (sent.length === 0 && isStatus(event) ? [] : undefined) },
    'legacy',
  ),
]
