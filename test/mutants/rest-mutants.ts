// HTTP+JSON: errors, labels, routes and queries that are not as written.

import type { JsonObject } from '../../src/model/json.ts'
import { errors } from './layer-edits.ts'
import { type Mutant, mutant } from './mutant.ts'

export const restMutants: Mutant[] = [
  mutant(
    'rest-error-code-differs',
    'error.code is not the HTTP status.',
    errors((error, _reply, call) => (call.isRpc ? error : { ...error, code: 1 })),
  ),
  mutant(
    'rest-error-status-name',
    'error.status is always UNKNOWN.',
    errors((error, _reply, call) => (call.isRpc ? error : { ...error, status: 'UNKNOWN' })),
  ),
  mutant('rest-problem-json', 'REST errors are problem+json.', {
    reply: (reply, call) => {
      if (call.isRpc || call.isCard || reply.status < 400) return
      reply.headers['content-type'] = 'application/problem+json'
      reply.text = JSON.stringify({ type: 'about:blank', title: 'Error', status: reply.status, detail: 'It failed.' })
    },
  }),
  mutant('rest-bare-error', 'REST errors are not wrapped.', {
    reply: (reply, call) => {
      if (!call.isRpc && !call.isCard && reply.status >= 400)
        reply.text = JSON.stringify((JSON.parse(reply.text) as JsonObject).error ?? null)
    },
  }),
  mutant('rest-content-type', 'REST answers are labelled text/json.', {
    reply: (reply, call) => {
      if (!call.isRpc && !call.isCard && reply.headers['content-type']?.includes('json') === true)
        reply.headers['content-type'] = 'text/json'
    },
  }),
  ...(['application/a2a+json', 'application/json'] as const).map((type) =>
    mutant(`rest-refuses-${type.replace(/\W/g, '-')}`, `Bodies labelled ${type} are refused.`, {
      answer: (call) =>
        !call.isRpc && call.op !== undefined && call.headers['content-type'] === type
          ? { status: 415, headers: {}, text: '' }
          : undefined,
    }),
  ),
  mutant('rest-v1-prefix', 'REST routes live below /v1.', {
    request: (call) => {
      if (call.isRpc || call.isCard) return
      if (/\/v1\/(message|tasks|extended)/.test(call.path)) call.path = call.path.replace('/v1/', '/')
      else call.path = call.path.replace(/\/(message|tasks|extended)/, '/no/such/place/$1')
    },
  }),
  mutant('rest-any-route', 'Unknown routes are answered with 200 and nothing.', {
    answer: (call) =>
      !call.isRpc && !call.isCard && call.op === undefined && /^\/\w+\/./.test(call.path)
        ? { status: 200, headers: { 'content-type': 'application/json' }, text: '{}' }
        : undefined,
  }),
  mutant('rest-snake-query', 'Query parameters are read in snake_case only.', {
    request: (call) => {
      if (!call.isRpc && call.method === 'GET')
        call.path = call.path.replace(/([?&])(\w+)=/g, (_, before: string, name: string) => `${before}x${name}=`)
    },
  }),
  mutant('rest-query-lenient', 'pageSize=abc is ignored.', {
    request: (call) => {
      if (!call.isRpc) call.path = call.path.replace(/pageSize=[^&\d-][^&]*/, 'pageSize=5')
    },
  }),
  mutant('rest-query-undecoded', 'Percent-encoding in queries is not decoded.', {
    request: (call) => {
      if (!call.isRpc && call.method === 'GET') call.path = call.path.replaceAll('%', '%25')
    },
  }),
  mutant(
    'rest-validation-422',
    'Validation errors are 422.',
    errors((error, reply, call) => {
      if (!call.isRpc && error.status === 'INVALID_ARGUMENT') {
        reply.status = 422
        error.code = 422
      }
      return error
    }),
  ),
]
