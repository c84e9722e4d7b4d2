// More of what the text allows: other ways of writing one thing, errors of an author's own, prompts that do not work, and
// what a generation only advises.

import { isJsonObject } from '../../src/model/json.ts'
import { at, type Call, each, list, put, type Reply, text, word } from '../mutants/mutant.ts'
import { everywhere, JSON_TYPE, refusal } from '../mutants/task-edits.ts'
import type { Variation } from './variation.ts'

const NOT_CANCELABLE = {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: 'TASK_NOT_CANCELABLE',
  domain: 'a2a-protocol.org',
}

export const ALLOWED: readonly Variation[] = [
  {
    name: 'defaults-written',
    story: 'Members at their default are written in lists and left out elsewhere.',
    of: 'spec',
    areas: ['list', 'schema', 'data-model', 'get-task', 'equivalence'],
    result: {
      listTasks: (page) =>
        each(page.tasks, (object) => {
          if ('artifactId' in object) Object.assign(object, { description: '', extensions: [] })
          if ('text' in object) Object.assign(object, { filename: '' })
        }),
    },
  },
  {
    name: 'nulls-written',
    story: 'Members that are not set are written as null.',
    of: 'spec',
    areas: ['send', 'get-task', 'list', 'schema', 'data-model', 'streaming'],
    ...everywhere((object) => {
      if ('artifactId' in object) Object.assign(object, { description: null })
      if ('messageId' in object) Object.assign(object, { referenceTaskIds: null })
      if (isJsonObject(object.status) && 'id' in object) Object.assign(object, { metadata: null })
    }),
  },
  {
    name: 'own-error-code',
    story: 'A caller who is unknown gets an error of the agent itself, with a code of its own.',
    of: 'secured',
    areas: ['errors-jsonrpc', 'schema-error', 'auth-missing'],
    error: (error, reply) =>
      reply.status !== 401 || Number(error.code) > 0 ? undefined : { code: -31_401, message: 'Who are you?' },
  },
  {
    name: 'door-in-front',
    story: 'A guard in front of the agent answers 401 in words of its own.',
    of: 'secured',
    areas: ['schema-error', 'auth-missing', 'auth-status', 'auth-challenge', 'jsonrpc-error-data'],
    reply: (reply) => {
      if (reply.status === 401) reply.text = JSON.stringify({ detail: 'Not authenticated' })
    },
  },
  {
    name: 'message-without-context',
    story: 'Direct messages carry no contextId.',
    of: 'spec',
    areas: ['send-context-kept', 'send-message-only'],
    result: {
      sendMessage: (sent) => (isJsonObject(sent.message) ? put(sent, 'message.contextId', undefined) : undefined),
    },
    request: (call) => {
      const message = at(call.isRpc ? at(call.body, 'params') : call.body, 'message')
      const isAsked = call.op === 'sendMessage' && text(message, 'contextId') !== ''
      if (isAsked) put(message, 'parts', [{ text: 'message-only' }])
    },
  },
  {
    name: 'no-contexts',
    story: 'An agent uses no contexts, and its tasks name none.',
    of: 'spec',
    areas: ['send', 'get-task', 'cancel', 'list'],
    ...everywhere((object) => {
      if (isJsonObject(object.status) && 'id' in object) delete object.contextId
    }),
  },
  ...(['spec', 'spec03', 'legacy'] as const).map(
    (of): Variation => ({
      name: `vendor-members-${of}`,
      story: 'The card and the tasks have members of the author, spelled as he likes.',
      of,
      areas: ['card', 'data-model', 'schema', 'send-result', 'get-task-current'],
      card: (card) => put(card, 'x_vendor_member', { deep_inside: true }),
      ...everywhere((object) => {
        if (isJsonObject(object.status)) object.x_vendor_member = 1
      }),
    }),
  ),
  {
    name: 'provider-without-url-03',
    story: 'A card of 0.3 has a provider without url: one fault, and one finding.',
    of: 'spec03',
    areas: ['card'],
    told: ['card-valid'],
    card: (card) => put(card, 'provider', { organization: 'x' }),
  },
  {
    name: 'refuses-list-without-params',
    story: 'ListTasks wants its params, if only {}.',
    of: 'spec',
    areas: ['jsonrpc-params-omitted'],
    answer: (call) => {
      if (!call.isRpc || call.op !== 'listTasks' || at(call.body, 'params') !== undefined) return undefined
      return answered(call, { code: -32_602, message: 'params are missing' })
    },
  },
  {
    name: 'clamps-page-sizes',
    story: 'A page size out of bounds is brought into them.',
    of: 'spec',
    areas: ['list-page-size-min', 'list-page-size-max', 'error-guides', 'rest-validation'],
    request: (call) => {
      const size = call.params.pageSize
      if (call.op !== 'listTasks' || size === undefined) return
      const bounded = Math.min(100, Math.max(1, Number(size)))
      if (call.isRpc) put(call.body, 'params.pageSize', bounded)
      else call.path = call.path.replace(/pageSize=-?\d+/, `pageSize=${bounded}`)
    },
  },
  {
    name: 'small-pages',
    story: 'No page has more than four tasks, whatever was asked for, and says so.',
    of: 'spec',
    areas: [
      'list',
      'list-pages',
      'list-updates',
      'version',
      'consistency',
      'equivalence',
      'isolation',
      'request-edges',
    ],
    request: (call) => {
      if (call.op !== 'listTasks') return
      const url = new URL(call.path, 'http://inner')
      const size = Number(call.params.pageSize ?? 50)
      if (!(size > 4 && size <= 100)) return
      if (call.isRpc) put(call.body, 'params.pageSize', 4)
      else url.searchParams.set('pageSize', '4')
      call.path = `${url.pathname}${url.search}`
    },
  },
  {
    name: 'own-contexts',
    story: 'Contexts the agent did not make are refused.',
    of: 'spec',
    areas: ['send', 'list', 'list-pages', 'list-updates', 'stream-twins', 'version', 'rest-query'],
    answer: (call) => {
      const message = at(call.isRpc ? at(call.body, 'params') : call.body, 'message')
      const contextId = text(message, 'contextId')
      const isNew = contextId !== '' && text(message, 'taskId') === '' && !call.memory.has(contextId)
      return isNew ? refusal(call, 'Contexts are made here.') : undefined
    },
    result: { any: (value, { memory }) => each(value, ({ contextId }) => memory.set(word(contextId), true)) },
    event: (event, { call }) => each(event, ({ contextId }) => call.memory.set(word(contextId), true)),
  },
  {
    name: 'card-redirected',
    story: 'The well-known path leads to the card.',
    of: 'quiet',
    areas: ['card', 'card-http'],
    answer: ({ isCard, path }) =>
      isCard && !path.includes('?') ? { status: 302, headers: { location: `${path}?now=1` }, text: '' } : undefined,
  },
  {
    name: 'card-nulls',
    story: 'Members of the card that are not set are null.',
    of: 'quiet',
    areas: ['card', 'card-http', 'card-interfaces', 'card-skills', 'card-security', 'card-claims', 'card-signatures'],
    card: (card) => {
      const members = [
        'iconUrl',
        'documentationUrl',
        'provider',
        'securityRequirements',
        'securitySchemes',
        'signatures',
      ]
      for (const name of members) card[name] ??= null
      for (const skill of list(card, 'skills'))
        for (const name of ['examples', 'inputModes', 'outputModes', 'securityRequirements'])
          if (at(skill, name) === undefined) put(skill, name, null)
      return card
    },
  },
  {
    name: 'prompts-without-effect',
    story: 'The prompts of the user make the agent do something else.',
    of: 'spec',
    areas: ['send', 'input-required', 'in-task-auth', 'cancel', 'list-updates'],
    request: (call) => {
      const message = at(call.isRpc ? at(call.body, 'params') : call.body, 'message')
      const said = text(message, 'parts.0.text')
      if (/^(multi-turn|auth-required|task-cancel|slow|message-only)/.test(said))
        put(message, 'parts.0.text', 'task-lifecycle')
    },
  },
  {
    name: 'not-cancelable',
    story: 'A running task cannot be canceled, and the agent says so.',
    of: 'spec',
    areas: ['cancel', 'equivalence-cancel', 'subscribe-cancel'],
    answer: async (call) => {
      if (call.op !== 'cancelTask' || call.taskId === undefined) return undefined
      const known = await call.ask({})
      return known.text.includes('TASK_STATE_CANCELED') ? notCancelable(call) : undefined
    },
  },
  {
    name: 'http-statuses',
    story: 'Errors over JSON-RPC come with an HTTP status of their own.',
    of: 'spec',
    areas: ['errors-jsonrpc', 'get-task-unknown', 'cancel-unknown', 'send-unknown-task', 'schema-error'],
    error: (error, reply, call) => {
      if (call.isRpc) reply.status = error.code === -32_001 ? 404 : 400
      return undefined
    },
  },
  {
    name: 'takes-json-only',
    story: 'The card lists application/json alone, and text is refused.',
    of: 'quiet',
    areas: ['send', 'get-task', 'cancel', 'list', 'consistency', 'streaming'],
    card: (card) => {
      put(card, 'defaultInputModes', ['application/json'])
      for (const skill of list(card, 'skills')) put(skill, 'inputModes', ['application/json'])
      return card
    },
    answer: (call) => {
      const message = at(call.isRpc ? at(call.body, 'params') : call.body, 'message')
      const isText = typeof at(message, 'parts.0.text') === 'string' && text(message, 'taskId') === ''
      return isText && call.op === 'sendMessage' ? noText(call) : undefined
    },
  },
  {
    name: 'problem-json',
    story: 'Errors are labelled application/problem+json, as in the examples of the text.',
    of: 'spec',
    areas: ['rest-content-type', 'rest-error-code', 'schema-error'],
    reply: (reply, call) => {
      if (!call.isRpc && reply.status >= 400) reply.headers['content-type'] = 'application/problem+json'
    },
  },
]

function noText(call: Call): Reply {
  const message = 'Only application/json is taken.'
  const details = [{ ...NOT_CANCELABLE, reason: 'CONTENT_TYPE_NOT_SUPPORTED' }]
  if (call.isRpc) return answered(call, { code: -32_005, message })
  const error = { code: 400, status: 'INVALID_ARGUMENT', message, details }
  return { status: 400, headers: JSON_TYPE, text: JSON.stringify({ error }) }
}

function notCancelable(call: Call): Reply {
  const message = 'It cannot be stopped.'
  if (call.isRpc) return answered(call, { code: -32_002, message })
  const error = { code: 400, status: 'FAILED_PRECONDITION', message, details: [NOT_CANCELABLE] }
  return { status: 400, headers: JSON_TYPE, text: JSON.stringify({ error }) }
}

function answered(call: Call, error: { code: number; message: string }): Reply {
  const body = { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, error }
  return { status: 200, headers: JSON_TYPE, text: JSON.stringify(body) }
}
