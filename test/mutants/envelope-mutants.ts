// JSON-RPC envelopes, REST routes, error objects and headers.

import { isJsonObject, type JsonObject, type JsonValue } from '../../src/model/json.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { BaseName } from './bases.ts'
import { errors } from './layer-edits.ts'
import { at, type Call, each, list, type Mutant, type Mutation, mutant, put, type Reply, text, word } from './mutant.ts'
import { restMutants } from './rest-mutants.ts'
import { JSON_TYPE } from './task-edits.ts'

/** Changes the JSON-RPC envelope of unary answers. */
function envelope(edit: (body: JsonObject, call: Call, reply: Reply) => JsonValue | undefined): Mutation {
  return {
    reply: (reply, call) => {
      if (call.isCard || !reply.text.startsWith('{"jsonrpc"')) return
      const body = JSON.parse(reply.text) as JsonObject
      reply.text = JSON.stringify(edit(body, call, reply) ?? body)
    },
  }
}

function renumber(from: number, to: number, status?: number): Mutation {
  return errors((error, reply) => {
    const reason = text(error, 'data.0.reason') || text(error, 'details.0.reason')
    if (Number(error.code) < 0 ? error.code === from : REASONS[from] === reason) {
      const isRpc = Number(error.code) < 0
      error.code = isRpc ? to : (status ?? 500)
      if (!isRpc) reply.status = status ?? 500
    }
    return error
  })
}

const REASONS: Readonly<Record<number, string>> = {
  [-32001]: 'TASK_NOT_FOUND',
  [-32002]: 'TASK_NOT_CANCELABLE',
  [-32003]: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
  [-32004]: 'UNSUPPORTED_OPERATION',
  [-32005]: 'CONTENT_TYPE_NOT_SUPPORTED',
  [-32008]: 'EXTENSION_SUPPORT_REQUIRED',
  [-32009]: 'VERSION_NOT_SUPPORTED',
}

const old = ['spec03', 'legacy'] as const

const ROUTES: readonly [Operation, BaseName][] = [
  ['sendMessage', 'spec'],
  ['streamMessage', 'spec'],
  ['getTask', 'spec'],
  ['listTasks', 'spec'],
  ['cancelTask', 'spec'],
  ['getExtendedCard', 'spec'],
  ['subscribeTask', 'spec'],
  ['createPushConfig', 'push'],
  ['getPushConfig', 'push'],
  ['listPushConfigs', 'push'],
  ['deletePushConfig', 'push'],
]

export const envelopeMutants: Mutant[] = [
  mutant(
    'id-missing',
    'The answer has no id.',
    envelope((body) => void delete body.id),
  ),
  mutant(
    'id-constant',
    'Every answer has the id 1.',
    envelope((body) => put(body, 'id', 1)),
  ),
  mutant(
    'id-as-text',
    'Numeric ids come back as text.',
    envelope((body) => put(body, 'id', typeof body.id === 'number' ? String(body.id) : (body.id ?? null))),
  ),
  mutant(
    'id-on-parse-error',
    'A body that cannot be read is answered with id 0.',
    envelope((body) => (body.id === null ? { ...body, id: 0 } : body)),
  ),
  mutant(
    'id-null-on-errors',
    'Errors have no id.',
    envelope((body) => ('error' in body ? { ...body, id: null } : body)),
  ),
  mutant(
    'jsonrpc-version',
    'The envelope says jsonrpc 1.0.',
    envelope((body) => put(body, 'jsonrpc', '1.0')),
  ),
  mutant(
    'jsonrpc-member-missing',
    'The envelope has no member jsonrpc.',
    envelope((body) => void delete body.jsonrpc),
  ),
  mutant(
    'result-and-error',
    'A success also has error: null and an error result: null.',
    envelope((body) => ('error' in body ? { ...body, result: null } : { ...body, error: { code: 0, message: 'OK' } })),
  ),
  mutant(
    'rpc-content-type',
    'JSON-RPC answers are labelled text/plain.',
    envelope((body, _call, reply) => {
      reply.headers['content-type'] = 'text/plain'
      return body
    }),
  ),
  mutant(
    'rpc-error-status-500',
    'JSON-RPC errors come with HTTP 500.',
    envelope((body, _call, reply) => {
      if ('error' in body) reply.status = 500
      return body
    }),
  ),
  mutant('parse-error-wrong', 'Broken JSON is an invalid request.', renumber(-32700, -32600)),
  mutant('invalid-request-wrong', 'An invalid request is a parse error.', renumber(-32600, -32700)),
  mutant('method-not-found-wrong', 'An unknown method is an invalid request.', renumber(-32601, -32600)),
  mutant('invalid-params-wrong', 'Bad parameters are an internal error.', renumber(-32602, -32603)),
  mutant('method-any-case', 'Method names are compared without case.', {
    request: (call) => {
      if (isJsonObject(call.body) && typeof call.body.method === 'string' && call.op === undefined) {
        const known = ['SendMessage', 'GetTask', 'ListTasks', 'CancelTask'].find(
          (name) => name.toLowerCase() === word((call.body as JsonObject).method).toLowerCase(),
        )
        if (known !== undefined) call.body.method = known
      }
    },
  }),
  mutant('method-unknown-is-send', 'Unknown methods are answered with an empty result.', {
    answer: (call) =>
      isJsonObject(call.body) && call.isRpc && call.op === undefined
        ? {
            status: 200,
            headers: { 'content-type': 'application/json' },
            text: JSON.stringify({ jsonrpc: '2.0', id: call.body.id ?? null, result: {} }),
          }
        : undefined,
  }),
  mutant('method-missing-list', 'ListTasks was never implemented.', {
    request: (call) => {
      if (call.op === 'listTasks' && isJsonObject(call.body)) call.body.method = 'ListAllTasks'
      if (call.op === 'listTasks' && !call.isRpc) call.path = call.path.replace('/tasks', '/all-tasks')
    },
  }),
  mutant('params-needed', 'A request without params is invalid.', {
    request: (call) => {
      if (call.isRpc && isJsonObject(call.body) && call.body.params === undefined) call.body.params = 'none'
    },
  }),
  mutant('notification-answered', 'Requests without id are answered as if their id were null.', {
    request: (call) => {
      if (call.isRpc && isJsonObject(call.body) && !('id' in call.body)) call.body.id = 7
    },
  }),
  mutant('html-on-bad-json', 'Broken JSON gets the error page of the framework.', {
    reply: (reply, call) => {
      if (call.isCard || call.body !== undefined || call.text === '') return
      reply.status = 400
      reply.headers['content-type'] = 'text/html'
      reply.text = '<pre>SyntaxError: Unexpected token<br> &nbsp; at JSON.parse (&lt;anonymous&gt;)</pre>'
    },
  }),
  mutant('error-as-200', 'REST errors come with status 200.', {
    error: (_error, reply, call) => {
      if (!call.isRpc) reply.status = 200
      return undefined
    },
  }),
  mutant(
    'error-as-result',
    'JSON-RPC errors come as a result.',
    envelope((body) =>
      'error' in body ? { jsonrpc: '2.0', id: body.id ?? null, result: { error: body.error ?? null } } : body,
    ),
  ),
  mutant(
    'error-empty-message',
    'The message of errors is empty.',
    errors((error) => ({ ...error, message: '' })),
  ),
  mutant(
    'error-no-message',
    'Errors have no message.',
    errors((error) => void delete error.message),
  ),
  mutant(
    'error-code-text',
    'The code of errors is a text.',
    errors((error) => ({ ...error, code: word(error.code) })),
  ),
  mutant(
    'error-no-details',
    'Errors have no details.',
    errors((error) => {
      delete error.details
      delete error.data
      return error
    }),
  ),
  mutant(
    'error-untyped-details',
    'The details of errors have no @type.',
    errors((error) => {
      for (const detail of [...list(error, 'details'), ...list(error, 'data')]) put(detail, '@type', undefined)
      return error
    }),
  ),
  mutant(
    'error-own-types',
    'The details of errors are of a type of their own.',
    errors((error) => {
      for (const detail of [...list(error, 'details'), ...list(error, 'data')])
        put(detail, '@type', 'type.example.com/our.Error')
      return error
    }),
  ),
  mutant(
    'error-data-object',
    'The data of JSON-RPC errors is one object.',
    errors((error, _reply, call) =>
      call.isRpc && list(error, 'data')[0] !== undefined ? { ...error, data: list(error, 'data')[0] ?? null } : error,
    ),
  ),
  mutant(
    'error-wrong-reason',
    'All errors have the reason ERROR.',
    errors((error) => {
      each(error, (detail) => {
        if ('reason' in detail) detail.reason = 'ERROR'
      })
      return error
    }),
  ),
  mutant(
    'error-wrong-domain',
    'The domain of errors is the own product.',
    errors((error) => {
      each(error, (detail) => {
        if ('domain' in detail) detail.domain = 'our-product.example.com'
      })
      return error
    }),
  ),
  mutant(
    'error-no-bad-request',
    'Validation errors do not say which field is wrong.',
    errors((error) => {
      for (const member of ['details', 'data'])
        if (Array.isArray(error[member]))
          error[member] = list(error, member).filter((detail) => !text(detail, '@type').includes('BadRequest'))
      error.message = 'Bad request'
      return error
    }),
  ),
  mutant(
    'error-stack-trace',
    'Errors show a stack trace.',
    errors((error) => ({
      ...error,
      message: `${text(error, 'message')}\n    at TaskStore.find (/app/src/store.ts:42:11)`,
    })),
  ),
  mutant(
    'error-code-out-of-range',
    'A2A errors have codes of their own.',
    errors((error, _reply, call) =>
      call.isRpc && Number(error.code) > -32100 && Number(error.code) < -32000 ? { ...error, code: -31999 } : error,
    ),
  ),
  ...restMutants,
  mutant('not-found-as-internal', 'Unknown tasks are internal errors.', {
    error: (error, reply, call) => {
      if (!JSON.stringify(error).includes('TASK_NOT_FOUND')) return error
      if (call.isRpc) return { code: -32603, message: 'Internal error' }
      reply.status = 500
      return { code: 500, status: 'INTERNAL', message: 'Internal error', details: [] }
    },
  }),
  mutant(
    'wrong-code-task-not-found',
    'Unknown tasks get code -32004, with the right reason.',
    renumber(-32001, -32004, 400),
  ),
  mutant('wrong-code-not-cancelable', 'Finished tasks get code -32004 when canceled.', renumber(-32002, -32004, 500)),
  mutant('wrong-code-unsupported', 'Unsupported operations get code -32601.', renumber(-32004, -32601, 501)),
  mutant('wrong-code-content-type', 'Unsupported media types get code -32602.', renumber(-32005, -32602, 406)),
  mutant('wrong-code-version', 'Unsupported versions get code -32600.', renumber(-32009, -32600, 505)),
  mutant('wrong-code-push', 'Push without capability gets code -32004.', renumber(-32003, -32004, 501)),
  mutant('wrong-code-extension', 'A missing extension gets code -32600.', renumber(-32008, -32600, 428), 'extension'),
  ...old.flatMap((base) => [
    mutant(
      `${base}-id-missing`,
      'The answer has no id.',
      envelope((body) => void delete body.id),
      base,
    ),
    mutant(`${base}-parse-error`, 'Broken JSON is an internal error.', renumber(-32700, -32603), base),
    mutant(`${base}-method-not-found`, 'Unknown methods are internal errors.', renumber(-32601, -32603), base),
    mutant(`${base}-not-found`, 'Unknown tasks are internal errors.', renumber(-32001, -32603), base),
    mutant(`${base}-not-cancelable`, 'Canceling a finished task is an internal error.', renumber(-32002, -32603), base),
    mutant(`${base}-invalid-params`, 'Bad parameters are internal errors.', renumber(-32602, -32603), base),
    mutant(
      `${base}-error-no-message`,
      'Errors have no message.',
      errors((error) => void delete error.message),
      base,
    ),
  ]),
  ...ROUTES.map(([op, base]) =>
    mutant(
      `rest-no-${op}`,
      `Over REST ${op} has no route.`,
      {
        answer: (call) =>
          !call.isRpc && call.op === op
            ? { status: 404, headers: JSON_TYPE, text: '{"detail":"Not Found"}' }
            : undefined,
      },
      base,
    ),
  ),
  mutant(
    'method-missing-undeclared',
    'The methods of what the card does not declare are unknown.',
    {
      answer: ({ op, isRpc, body }) => {
        if (!isRpc || op !== 'subscribeTask') return undefined
        const error = { code: -32601, message: 'Method not found' }
        const text = JSON.stringify({ jsonrpc: '2.0', id: at(body, 'id') ?? null, error })
        return { status: 200, headers: { 'content-type': 'application/json' }, text }
      },
    },
    'quiet',
  ),
  mutant('rest-v1-reads', 'Over REST tasks are read below /v1.', {
    answer: (call) =>
      call.op === 'getTask' &&
      !call.isRpc &&
      !call.path.includes('/v1/') &&
      call.headers.accept?.includes('event-stream') === true
        ? { status: 404, headers: {}, text: 'Not Found' }
        : undefined,
    request: (call) => {
      if (!call.isRpc) call.path = call.path.replace('/v1/', '/')
    },
  }),
]
