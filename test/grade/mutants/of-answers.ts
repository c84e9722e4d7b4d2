// Faults in reading answers and streams, and in what is made of them.

import type { ClientExit } from '../../../src/grade/graded-client.ts'
import type { Outcome } from '../../../src/grade/intent.ts'
import { blurt, type Faults, type Mutant } from './mutant.ts'

const mutant = (id: string, breaks: string, faults: Faults, also: readonly string[] = []): Mutant => ({
  id,
  breaks,
  also,
  faults,
})
const succeeds: Faults = { exit: () => ({ code: 0 }) }
const fails: Faults = { exit: () => ({ code: 1 }) }
const hangs: Faults = { exit: () => ({ code: undefined, isTimeout: true }) }
const says = (change: (outcome: Outcome) => Partial<Outcome>): Faults => ({
  exit: ({ outcome }) => (outcome === undefined ? {} : { outcome: { ...outcome, ...change(outcome) } }),
})
const failsWords: Faults = { exit: () => ({ code: 1, outcome: { outcome: 'error' } }) }
const text = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString()
/** Nothing is read from a stream that looks like this. */
const deafTo = (what: RegExp): Faults => ({ pieces: (pieces) => (what.test(text(pieces)) ? [] : pieces) })
const isFollowUp = (rpc: string | undefined): boolean => rpc === 'SubscribeToTask' || rpc === 'GetTask'
const alone: Faults['instead'] = ({ rpc }) => (isFollowUp(rpc) ? new Response('', { status: 500 }) : undefined)
const anyError = { outcome: { outcome: 'error', error: { kind: 'Oops', code: -1 } } } satisfies Partial<ClientExit>

const STATES: readonly (readonly [string, Faults])[] = [
  ['client-rejected-is-failure', succeeds],
  ['client-failed-is-failure', succeeds],
  ['client-canceled-is-no-success', succeeds],
  ['client-input-required-returns', hangs],
  ['client-auth-required-returns', hangs],
  ['client-survives-unknown-state', failsWords],
  ['client-absent-is-default', fails],
  ['client-null-is-default', fails],
  ['client-ignores-unknown-members', fails],
  ['client-reads-timestamps', fails],
]

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
    says(() => ({ text: '' })),
  ),
  mutant('wants a task', 'client-understands-message', fails),
  mutant(
    'sees the first artifact',
    'client-all-artifacts',
    says(({ artifacts }) => ({ artifacts: artifacts?.slice(0, 1) ?? [] })),
  ),
  mutant(
    'takes base64 for the bytes',
    'client-decodes-bytes',
    says(() => ({ artifacts: [{ sha256: 'no' }, { sha256: 'no' }] })),
  ),
  mutant('takes working for done', 'client-working-is-not-done', {
    instead: alone,
    exit: () => ({ code: 0, outcome: { outcome: 'task', state: 'completed' } }),
  }),
  mutant('stops in the middle', 'client-reads-stream', fails),
  mutant('asks for JSON', 'client-accepts-event-stream', {
    request: ({ isCard, headers }) => void (isCard || headers.set('accept', 'application/json')),
  }),
  mutant(
    'loses an event',
    'client-counts-events',
    says(({ events = 0 }) => ({ events: events - 1 })),
  ),
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
  mutant(
    'appends always',
    'client-replaces-artifact',
    says(({ text: said = '' }) => ({ text: `draft${said}` })),
  ),
  mutant(
    'throws unknown artifacts away',
    'client-appends-to-unknown',
    says(() => ({ text: '' })),
  ),
  mutant(
    'forgets artifacts at a snapshot',
    'client-keeps-artifacts',
    says(() => ({ text: 'two' })),
  ),
  mutant('ends at an unknown event', 'client-skips-unknown-event', fails),
  mutant(
    'mixes tasks',
    'client-ignores-foreign-task',
    says(({ text: said = '' }) => ({ text: `${said}SECRET` })),
  ),
  mutant('wants a task in streams', 'client-stream-message', fails),
  mutant('takes the end for success', 'client-stream-failed', succeeds),
  mutant(
    'reads 1000 events',
    'client-reads-many-events',
    says(({ text: said = '' }) => ({ text: said.slice(0, 1_000) })),
  ),
  mutant('takes a cut for the end', 'client-cut-is-no-success', { instead: alone, ...succeeds }, ['client-reconnects']),
  mutant('does not come back', 'client-reconnects', { instead: alone }),
  mutant('sends again after a cut', 'client-sends-once', { after: (_, { url }) => blurt(url, 'count') }),
  mutant('takes half an event for the end', 'client-cut-in-frame', { instead: alone, ...succeeds }),
  mutant('takes an early end for success', 'client-early-end-is-no-success', { instead: alone, ...succeeds }),
  mutant('takes nothing for success', 'client-empty-stream-is-no-success', succeeds),
  mutant('hides a reset', 'client-reset-is-error', succeeds),
  mutant('sends again after a reset', 'client-no-blind-resend', { after: (_, { url }) => blurt(url) }),
  mutant('insists on a graceful close', 'client-terminal-is-enough', fails),
  mutant('waits for the close', 'client-leaves-open-stream', hangs),
  mutant('hides errors', 'client-error-is-no-success', succeeds),
  ...KINDS.map((kind) => mutant(`has one error for all (${kind})`, `client-tells-${kind}`, { exit: () => anyError })),
  mutant('hides plain text', 'client-plain-text-error', succeeds),
  mutant('takes 204 for an answer', 'client-no-content', succeeds),
  mutant('takes 503 for an empty stream', 'client-stream-503', succeeds),
  mutant('wants a length', 'client-reads-chunked', fails),
  mutant('wants artifacts', 'client-no-artifacts', fails),
  mutant('gives up in silence', 'client-bears-silence', fails),
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
  mutant('hides that it was canceled', 'client-stream-canceled', succeeds),
  mutant('hides a gateway', 'client-html-error', succeeds),
  mutant('hides a 500', 'client-empty-error', succeeds),
  mutant('takes nothing for an answer', 'client-empty-answer', succeeds),
  mutant('takes anything for an answer', 'client-neither-task-nor-message', succeeds),
  mutant('takes an error for an empty stream', 'client-stream-json-error', succeeds),
  mutant('takes 401 for an empty stream', 'client-stream-401', succeeds),
  mutant('skips errors in streams', 'client-error-in-stream', succeeds),
  mutant('comes back at once', 'client-honours-retry-after', { after: (_, { url }) => blurt(url) }),
  mutant('cannot unpack', 'client-reads-gzip', fails),
  mutant('invents a task', 'client-unknown-task', succeeds),
  mutant('speaks 1.0 alone', 'client-speaks-earlier-version', fails),
  mutant('prefers old names', 'client-prefers-current', {
    request: ({ isCard, json }) =>
      void (!isCard && json !== undefined && Object.assign(json, { method: 'message/send' })),
  }),
  mutant('hides a refused version', 'client-version-refused', succeeds),
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
  mutant('hides 403', 'client-forbidden-is-error', succeeds),
  mutant('registers another address', 'client-registers-webhook', {
    request: ({ params }) => void ('url' in params && Object.assign(params, { url: 'http://localhost/other' })),
  }),
  mutant('cancels another task', 'client-cancels-task', {
    request: ({ rpc, params }) => void (rpc === 'CancelTask' && Object.assign(params, { id: 'other' })),
  }),
  mutant(
    'hides artifacts of a task',
    'client-reports-task',
    says(() => ({ text: '' })),
  ),
]
