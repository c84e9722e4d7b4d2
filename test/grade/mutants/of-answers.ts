// Faults in reading answers and streams, and in what is made of them.

import type { ClientExit } from '../../../src/grade/graded-client.ts'
import { type JsonObject, type JsonValue, objectAt } from '../../../src/model/json.ts'
import { blurt, endIsEnd, type Faults, type Mutant, type Sent, swallows } from './mutant.ts'

const mutant = (id: string, breaks: string, faults: Faults, also: readonly string[] = []): Mutant => ({
  id,
  breaks,
  also,
  faults,
})
const fails: Faults = { exit: () => ({ code: 1 }) }
const hangs: Faults = { exit: () => ({ code: undefined, isTimeout: true }) }
const onTask = (change: (task: JsonObject) => void): Faults => ({
  json: ({ result }) => {
    const task = objectAt(result, 'task')
    if (task !== undefined) change(task)
  },
})
const text = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString()
/** Nothing is read from a stream that looks like this. */
const deafTo = (what: RegExp): Faults => ({ pieces: (pieces) => (what.test(text(pieces)) ? [] : pieces) })
/** One piece for each event. */
const events = (pieces: readonly Buffer[]): Buffer[] =>
  text(pieces)
    .split(/(?<=\n\n)/)
    .map((each) => Buffer.from(each))
/** Reads what is in a stream with these words changed. */
const rereads = (what: RegExp, as: string): Faults => ({
  pieces: (pieces) => [Buffer.from(text(pieces).replaceAll(new RegExp(what, 'g'), as))],
})
const isFollowUp = (rpc: string | undefined): boolean => rpc === 'SubscribeToTask' || rpc === 'GetTask'
const alone: Faults['instead'] = ({ rpc }) => (isFollowUp(rpc) ? new Response('', { status: 500 }) : undefined)
/** What a client that does not look takes an answer for. */
const RESULT = '"result":{"task":{"id":"task-1","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}'
const GOOD = `{"jsonrpc":"2.0","id":1,${RESULT}}`
function good({ json, rpc }: Sent): Response {
  const body = GOOD.replace('"id":1', `"id":${JSON.stringify(json?.id ?? 1)}`)
  const isStream = rpc === 'SendStreamingMessage'
  const headers = { 'content-type': isStream ? 'text/event-stream' : 'application/json' }
  return new Response(isStream ? `data: ${body}\n\n` : body, { headers })
}
/** Whatever has this status is good to it. */
const takesStatus = (status: number): Faults => ({
  reply: (reply, sent) => (reply.status === status && !sent.isCard ? good(sent) : reply),
})
const anyError = { outcome: { outcome: 'error', error: { kind: 'Oops', code: -1 } } } satisfies Partial<ClientExit>

/** Reads every answer that looks like this as if it were that. */
const misreads = (what: RegExp, as: string): Faults => ({
  text: (body) => body.replaceAll(new RegExp(what, 'g'), as),
})
/** Throws when an answer looks like this. */
const chokesOn = (what: RegExp): Faults => ({ text: (body) => (what.test(body) ? '{' : body) })
/** It would wait for ever; this much is enough to see it. */
const impatient: Faults = { timeoutMs: 1_000 }
const COMPLETED = 'TASK_STATE_COMPLETED'

const STATES: readonly (readonly [string, Faults])[] = [
  ['client-rejected-is-failure', misreads(/TASK_STATE_REJECTED/, COMPLETED)],
  ['client-failed-is-failure', misreads(/TASK_STATE_FAILED/, COMPLETED)],
  ['client-canceled-is-no-success', misreads(/TASK_STATE_CANCELED/, COMPLETED)],
  ['client-input-required-returns', { ...misreads(/TASK_STATE_INPUT_REQUIRED/, 'TASK_STATE_WORKING'), ...impatient }],
  ['client-auth-required-returns', { ...misreads(/TASK_STATE_AUTH_REQUIRED/, 'TASK_STATE_WORKING'), ...impatient }],
  ['client-survives-unknown-state', chokesOn(/DREAMING/)],
  [
    'client-absent-is-default',
    { json: ({ result }) => void (contextIn(result) || Object.assign(result ?? {}, { task: 0 })) },
  ],
  ['client-null-is-default', chokesOn(/:null/)],
  ['client-ignores-unknown-members', chokesOn(/futureMember/)],
  ['client-reads-timestamps', chokesOn(/\.\d{9}Z/)],
  ['client-reads-offsets', chokesOn(/"timestamp":\s*"[^"]*[+]02:00"/)],
]

function contextIn(result: JsonValue | undefined): boolean {
  return JSON.stringify(result ?? {}).includes('contextId')
}

const LINES: readonly (readonly [string, string, RegExp, readonly string[]])[] = [
  ['reads CRLF alone', 'client-sse-lf', /^[^\r]*$/, []],
  ['reads LF alone', 'client-sse-crlf', /\r\n/, []],
  ['does not know CR', 'client-sse-cr', /\r(?!\n)/, []],
  ['stumbles over comments', 'client-sse-comments', /(?:^|\n):/, []],
  ['wants one line of data', 'client-sse-data-lines', /data: \{\n/, []],
  ['wants a space', 'client-sse-no-space', /data:\{/, []],
  ['knows data alone', 'client-sse-fields', /future:/, []],
  ['stumbles over a byte order mark', 'client-sse-bom', /^\u{feff}/u, []],
]

const KINDS = [
  'task-not-found',
  'unsupported-operation',
  'content-type-not-supported',
  'invalid-agent-response',
  'extension-support-required',
  'internal-error',
]

export const OF_ANSWERS: readonly Mutant[] = [
  ...STATES.map(([claim, faults]) => mutant(`gets ${claim} wrong`, claim, faults)),
  mutant(
    'sees no artifacts',
    'client-understands-task',
    onTask((task) => void delete task.artifacts),
  ),
  mutant('wants a task', 'client-understands-message', {
    json: ({ result }) => void delete (result as JsonObject | undefined)?.message,
  }),
  mutant(
    'sees the first part of each artifact',
    'client-all-artifacts',
    onTask((task) => {
      for (const { parts } of task.artifacts as { parts: JsonObject[] }[]) parts.splice(1)
    }),
  ),
  mutant(
    'sees the first artifact',
    'client-all-artifacts',
    onTask((task) => void (task.artifacts as JsonObject[]).splice(1)),
  ),
  mutant(
    'takes base64 for the bytes',
    'client-decodes-bytes',
    onTask((task) => {
      for (const { parts } of task.artifacts as { parts: JsonObject[] }[])
        for (const part of parts) if (typeof part.raw === 'string') part.raw = Buffer.from(part.raw).toString('base64')
    }),
  ),
  mutant('takes working for done', 'client-working-is-not-done', {
    instead: alone,
    exit: () => ({ code: 0, outcome: { outcome: 'task', state: 'completed' } }),
  }),
  mutant(
    'stops in the middle',
    'client-reads-stream',
    { pieces: (pieces) => events(pieces).slice(0, 3), instead: alone },
    ['client-counts-events'],
  ),
  mutant('asks for JSON', 'client-accepts-event-stream', {
    request: ({ isCard, headers }) => void (isCard || headers.set('accept', 'application/json')),
  }),
  mutant('loses an event', 'client-counts-events', {
    pieces: (pieces) => events(pieces).filter((_, at) => at !== 1),
  }),
  ...LINES.map(([id, claim, what, also]) => mutant(id, claim, deafTo(what), also)),
  mutant(
    'forgets a CR at the end of a piece',
    'client-sse-crlf-split',
    {
      pieces: (pieces) => (pieces.some((piece) => piece.at(-1) === 13) ? [] : pieces),
    },
    ['client-sse-torn'],
  ),
  mutant('wants whole events', 'client-sse-torn', {
    pieces: (pieces) => (pieces.length > 30 ? [] : pieces),
  }),
  mutant('decodes each piece by itself', 'client-utf8-torn', {
    pieces: (pieces) => pieces.map((piece) => Buffer.from(piece.toString('utf8'))),
  }),
  mutant('appends always', 'client-replaces-artifact', rereads(/"append":false/, '"append":true')),
  mutant('throws unknown artifacts away', 'client-appends-to-unknown', {
    pieces: (pieces) => events(pieces).filter((each) => !each.includes('"append":true')),
  }),
  mutant('forgets artifacts at a snapshot', 'client-keeps-artifacts', rereads(/,"artifacts":\[.*?\]\}\]/, '')),
  mutant('ends at an unknown event', 'client-skips-unknown-event', {
    pieces: (pieces) => events(pieces).slice(0, 3),
    instead: alone,
  }),
  mutant('mixes tasks', 'client-ignores-foreign-task', rereads(/task-of-somebody-else/, 'task-1')),
  mutant('wants a task in streams', 'client-stream-message', deafTo(/"message":/)),
  mutant('takes the end for success', 'client-stream-failed', rereads(/TASK_STATE_FAILED/, COMPLETED)),
  mutant('reads 1000 events', 'client-reads-many-events', {
    pieces: (pieces) => {
      const all = events(pieces)
      return [...all.slice(0, 1_000), ...all.slice(-1)]
    },
  }),
  mutant('takes a cut for the end', 'client-cut-is-no-success', endIsEnd, ['client-reconnects']),
  mutant('does not come back', 'client-reconnects', { instead: alone }),
  mutant('sends again after a cut', 'client-sends-once', { after: (_, { url }) => blurt(url, 'count') }),
  mutant('takes half an event for the end', 'client-cut-in-frame', endIsEnd),
  mutant('takes an early end for success', 'client-early-end-is-no-success', endIsEnd),
  mutant('takes nothing for success', 'client-empty-stream-is-no-success', endIsEnd),
  mutant('hides a reset', 'client-reset-is-error', swallows),
  mutant('sends again after a reset', 'client-no-blind-resend', { after: (_, { url }) => blurt(url) }),
  mutant('insists on a graceful close', 'client-terminal-is-enough', fails),
  mutant('waits for the close', 'client-leaves-open-stream', hangs),
  mutant('hides errors', 'client-error-is-no-success', swallows),
  ...KINDS.map((kind) => mutant(`has one error for all (${kind})`, `client-tells-${kind}`, { exit: () => anyError })),
  mutant('hides plain text', 'client-plain-text-error', takesStatus(500)),
  mutant('takes 204 for an answer', 'client-no-content', takesStatus(204)),
  mutant('takes 503 for a stream that ended well', 'client-stream-503', takesStatus(503)),
  mutant('wants a length', 'client-reads-chunked', {
    reply: (reply) => (reply.headers.has('content-length') ? reply : new Response('', { status: 500 })),
  }),
  mutant('wants artifacts', 'client-no-artifacts', chokesOn(/"artifacts":\[\]/)),
  mutant('gives up in silence', 'client-bears-silence', {
    pieces: (pieces) => [Buffer.from(text(pieces).split(': still here')[0] ?? '')],
    instead: alone,
  }),
  mutant('hangs at a huge event', 'client-bounds-events', hangs),
  mutant('cancels another task than that of the stream', 'client-cancels-own-stream', {
    request: ({ rpc, params }) => void (rpc === 'CancelTask' && Object.assign(params, { id: 'other' })),
  }),
  mutant('stops to read when it has canceled', 'client-hears-of-its-cancel', {
    exit: ({ outcome }) => (outcome === undefined ? {} : { outcome: { ...outcome, state: 'TASK_STATE_WORKING' } }),
  }),
  mutant('forgets a task that needs authorization', 'client-follows-authorization', {
    intent: ({ waits: _unused, ...intent }) => intent,
  }),
  mutant('hides that it was canceled', 'client-stream-canceled', rereads(/TASK_STATE_CANCELED/, COMPLETED)),
  mutant('hides a gateway', 'client-html-error', takesStatus(502)),
  mutant('hides a 500', 'client-empty-error', takesStatus(500)),
  mutant('takes nothing for an answer', 'client-empty-answer', {
    reply: (reply, sent) => (sent.rpc === 'SendMessage' ? good(sent) : reply),
  }),
  mutant('takes anything for an answer', 'client-neither-task-nor-message', {
    json: (answer) => void (answer.result !== undefined && Object.assign(answer, JSON.parse(GOOD))),
  }),
  mutant('takes an error for a good answer', 'client-stream-json-error', {
    reply: (reply, sent) => (sent.rpc === 'SendStreamingMessage' ? good(sent) : reply),
  }),
  mutant('takes 401 for a good answer', 'client-stream-401', takesStatus(401)),
  mutant('skips errors in streams', 'client-error-in-stream', rereads(/"error":\{.*?\}/, RESULT)),
  mutant('comes back at once', 'client-honours-retry-after', { after: (_, { url }) => blurt(url) }),
  mutant('cannot unpack', 'client-reads-gzip', {
    reply: (reply) => (reply.headers.has('content-encoding') ? new Response('\u001f\u008b') : reply),
  }),
  mutant('invents a task', 'client-unknown-task', {
    json: (answer) =>
      void (
        'error' in answer &&
        delete answer.error &&
        Object.assign(answer, { result: { id: 'task-1', contextId: 'c', status: { state: COMPLETED } } })
      ),
  }),
  mutant('speaks 1.0 alone', 'client-speaks-earlier-version', { card: (card) => void delete card.url }),
  mutant('prefers old names', 'client-prefers-current', {
    request: ({ isCard, json }) =>
      void (!isCard && json !== undefined && Object.assign(json, { method: 'message/send' })),
  }),
  mutant('hides a refused version', 'client-version-refused', swallows),
  mutant('gives up at -32601', 'client-tries-older-version', {
    instead: ({ rpc }) => (rpc?.includes('/') === true ? new Response('', { status: 500 }) : undefined),
  }),
  mutant('gives up at the first interface', 'client-falls-back', {
    instead: ({ isCard, url }) => (isCard || url.pathname === '/gone' ? undefined : new Response('', { status: 500 })),
  }),
  mutant('ignores required extensions', 'client-honours-required-extension', { after: (_, { url }) => blurt(url) }),
  mutant('asks for no extensions', 'client-activates-extensions', {
    request: ({ headers }) => headers.delete('a2a-extensions'),
  }),
  mutant('separates by semicolons', 'client-extensions-comma-separated', {
    request: ({ headers, isCard }) =>
      void (isCard || headers.set('a2a-extensions', (headers.get('a2a-extensions') ?? '').replaceAll(',', ';'))),
  }),
  mutant('forgets the token', 'client-sends-credentials', {
    request: ({ at, headers }) => void (at > 0 && headers.delete('authorization')),
  }),
  mutant('prints the token', 'client-secrets-not-printed', {
    exit: () => ({ stderr: 'Authorization: Bearer canary-bearer-5f2d8c' }),
  }),
  mutant('knows one header for keys', 'client-scheme-of-card', {
    request: ({ headers }) => {
      const key = headers.get('x-agent-key')
      headers.delete('x-agent-key')
      if (key !== null) headers.set('x-api-key', key)
    },
  }),
  mutant('hides 403', 'client-forbidden-is-error', takesStatus(403)),
  mutant('registers another address', 'client-registers-webhook', {
    request: ({ params }) => void ('url' in params && Object.assign(params, { url: 'http://localhost/other' })),
  }),
  mutant('cancels another task', 'client-cancels-task', {
    request: ({ rpc, params }) => void (rpc === 'CancelTask' && Object.assign(params, { id: 'other' })),
  }),
  mutant('hides artifacts of a task', 'client-reports-task', {
    json: ({ result }) => void delete (result as JsonObject | undefined)?.artifacts,
  }),
]
