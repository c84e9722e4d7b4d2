// Versions, extensions, credentials, foreign tasks, and bindings that disagree.

import { isJsonObject } from '../../src/model/json.ts'
import { at, list, type Mutant, mutant, put, text } from './mutant.ts'
import { negotiationMutants } from './negotiation-mutants.ts'

export const callerMutants: Mutant[] = [
  ...negotiationMutants,
  // ── the extended card ──
  mutant('extended-open', 'Everybody gets the extended card.', {
    request: (call) => {
      if (call.op === 'getExtendedCard') call.headers.authorization = 'Bearer mutants-first-user'
    },
  }),
  mutant(
    'extended-wrong-error',
    'The undeclared extended card is not configured.',
    {
      error: (error, _reply, call) => {
        if (call.op !== 'getExtendedCard') return error
        for (const detail of [...list(error, 'data'), ...list(error, 'details')])
          put(detail, 'reason', 'EXTENDED_AGENT_CARD_NOT_CONFIGURED')
        return call.isRpc ? { ...error, code: -32007 } : error
      },
    },
    'quiet',
  ),
  mutant('extended-partial', 'The extended card holds only what is new.', {
    result: { getExtendedCard: (card) => ({ skills: card.skills ?? [] }) },
  }),
  mutant('extended-drifts', 'The extended card has a new description every time.', {
    result: { getExtendedCard: (card) => put(card, 'description', crypto.randomUUID()) },
  }),
  mutant('extended-secret', 'The extended card contains a password.', {
    result: {
      getExtendedCard: (card) => put(card, 'documentationUrl', 'https://admin:hunter2@parley.invalid/docs'),
    },
  }),
  mutant('extended-versionless', 'The extended card has no version.', {
    result: { getExtendedCard: (card) => put(card, 'version', '') },
  }),
  mutant('extended-cacheable', 'The extended card may be cached by everybody.', {
    reply: (reply, call) => {
      if (call.op === 'getExtendedCard') reply.headers['cache-control'] = 'public, max-age=3600'
    },
  }),
  mutant('extended-missing', 'The extended card is an unknown method.', {
    request: (call) => {
      if (call.op !== 'getExtendedCard') return
      if (isJsonObject(call.body)) call.body.method = 'GetMoreCard'
      call.path = call.path.replace('/extendedAgentCard', '/card')
    },
  }),
  // ── credentials ──
  mutant(
    'auth-none',
    'Nobody looks at credentials.',
    {
      request: (call) => {
        call.headers.authorization = 'Bearer mutants-first-user'
      },
    },
    'secured',
  ),
  mutant(
    'auth-any',
    'Any credential will do.',
    {
      request: (call) => {
        if (call.headers.authorization !== undefined) call.headers.authorization = 'Bearer mutants-first-user'
      },
    },
    'secured',
  ),
  mutant(
    'auth-not-on-lists',
    'Lists need no credentials.',
    {
      request: (call) => {
        if (call.op === 'listTasks') call.headers.authorization ??= 'Bearer mutants-first-user'
      },
    },
    'secured',
  ),
  mutant(
    'auth-not-on-streams',
    'Streams need no credentials.',
    {
      request: (call) => {
        if (call.op === 'streamMessage') call.headers.authorization ??= 'Bearer mutants-first-user'
      },
    },
    'secured',
  ),
  mutant(
    'auth-status-200',
    'Missing credentials are a JSON-RPC error with status 200.',
    {
      reply: (reply, call) => {
        if (call.isRpc && reply.status === 401) reply.status = 200
      },
    },
    'secured',
  ),
  mutant(
    'auth-no-challenge',
    'Refusals do not say what is wanted.',
    { reply: (reply) => void delete reply.headers['www-authenticate'] },
    'secured',
  ),
  mutant(
    'auth-refuses-valid',
    'The declared scheme is not accepted.',
    {
      request: (call) => {
        // Triage is let through: an agent that refuses everything is not judged at all.
        if (call.op !== 'getTask') return
        const count = Number(call.memory.get('reads') ?? 0) + 1
        call.memory.set('reads', count)
        if (count > 2) call.headers.authorization = 'Bearer nobody'
      },
    },
    'secured',
  ),
  mutant(
    'auth-echo',
    'Refusals repeat the credential.',
    {
      reply: (reply, call) => {
        if (reply.status === 401 && reply.text.startsWith('{'))
          reply.text = reply.text.replace('Who are you?', `Bad token ${call.headers.authorization ?? ''}`)
      },
    },
    'secured',
  ),
  mutant(
    'auth-echo-header',
    'Answers repeat the credential in a header.',
    {
      reply: (reply, call) => {
        if (call.headers.authorization !== undefined) reply.headers['x-request-auth'] = call.headers.authorization
      },
    },
    'secured',
  ),
  // ── two users ──
  ...(['getTask', 'cancelTask', 'subscribeTask', 'sendMessage', 'listTasks', 'listPushConfigs'] as const).map((op) =>
    mutant(
      `foreign-${op}`,
      `${op} does not ask whose task it is.`,
      {
        request: (call) => {
          if (call.op === op && call.headers.authorization !== undefined && call.headers.authorization.endsWith('user'))
            call.headers.authorization = 'Bearer mutants-first-user'
        },
      },
      'secured',
    ),
  ),
  mutant(
    'foreign-forbidden',
    'Foreign tasks are forbidden, unknown ones not found.',
    {
      reply: (reply, call) => {
        const [first] = [call.memory.get('first task')]
        if (
          call.headers.authorization === 'Bearer mutants-second-user' &&
          call.op === 'getTask' &&
          call.memory.has(String(call.taskId)) &&
          first === undefined
        ) {
          reply.text = call.isRpc
            ? JSON.stringify({
                jsonrpc: '2.0',
                id: at(call.body, 'id') ?? null,
                error: { code: -32000, message: 'That task belongs to somebody else.' },
              })
            : JSON.stringify({
                error: { code: 403, status: 'PERMISSION_DENIED', message: 'That task belongs to somebody else.' },
              })
          if (!call.isRpc) reply.status = 403
        }
      },
      result: {
        sendMessage: (sent, call) => {
          if (text(sent, 'task.id') !== '') call.memory.set(text(sent, 'task.id'), true)
          return undefined
        },
      },
    },
    'secured',
  ),
  mutant(
    'foreign-words',
    'Foreign tasks get other words than unknown ones.',
    {
      result: {
        sendMessage: (sent, call) => {
          if (text(sent, 'task.id') !== '') call.memory.set(text(sent, 'task.id'), true)
          return undefined
        },
      },
      error: (error, _reply, call) =>
        call.op === 'getTask' && call.memory.has(String(call.taskId)) ? { ...error, message: 'Not yours.' } : error,
    },
    'secured',
  ),
  // ── bindings that disagree ──
  mutant('rest-separate-store', 'REST has tasks of its own.', {
    request: (call) => {
      if (!call.isRpc && call.taskId !== undefined && !call.memory.has(call.taskId))
        call.path = call.path.replace(call.taskId, 'not-here')
    },
    result: {
      sendMessage: (sent, call) => {
        if (!call.isRpc && text(sent, 'task.id') !== '') call.memory.set(text(sent, 'task.id'), true)
        return undefined
      },
    },
    event: (event, { call }) => {
      if (!call.isRpc && text(event, 'task.id') !== '') call.memory.set(text(event, 'task.id'), true)
      return undefined
    },
  }),
  mutant('rest-loses-history', 'Over REST tasks have no history.', {
    result: { getTask: (task, call) => void (call.isRpc || put(task, 'history', undefined)) },
  }),
  mutant('rest-no-lists', 'Over REST there are no lists.', {
    request: (call) => {
      if (!call.isRpc && call.op === 'listTasks') call.path = call.path.replace('/tasks', '/none')
    },
  }),
  mutant('rest-other-error', 'Over REST a finished task cannot be found for canceling.', {
    request: (call) => {
      if (!call.isRpc && call.op === 'cancelTask' && call.taskId !== undefined)
        call.path = call.path.replace(call.taskId, 'gone')
    },
  }),
  mutant(
    'rest-open',
    'REST needs no credentials.',
    {
      request: (call) => {
        if (!call.isRpc && !call.isCard) call.headers.authorization ??= 'Bearer mutants-first-user'
      },
    },
    'secured',
  ),
  mutant(
    'push-undeclared',
    'Push operations answer although push is not declared.',
    {
      answer: (call) => {
        if (!['createPushConfig', 'getPushConfig', 'listPushConfigs', 'deletePushConfig'].includes(call.op ?? ''))
          return undefined
        const value =
          call.op === 'listPushConfigs'
            ? { configs: [] }
            : call.op === 'deletePushConfig'
              ? {}
              : { id: 'c', taskId: call.taskId ?? '', url: 'https://parley.invalid/' }
        const body = call.isRpc ? { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, result: value } : value
        return { status: 200, headers: { 'content-type': 'application/json' }, text: JSON.stringify(body) }
      },
    },
    'quiet',
  ),
]
