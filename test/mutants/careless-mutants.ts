// Faults of careless servers: answers in the words of the framework, and promises of a configuration that nobody keeps.

import { at, type Call, type Delivery, each, type Mutant, type Mutation, mutant, put, text, word } from './mutant.ts'
import { everywhere, refusal } from './task-edits.ts'

const isRest = (call: Call) => !call.isRpc && !call.isCard

/** "Not found" of an unknown task, in the words of the framework. */
function unknownInWords(isMeant: (call: Call) => boolean): Mutation {
  return {
    reply: (reply, call) => {
      if (!isRest(call) || reply.status !== 404 || !isMeant(call)) return
      reply.headers = { 'content-type': 'text/plain' }
      reply.text = 'Not Found'
    },
  }
}

function withoutToken({ headers }: Delivery): undefined {
  for (const name of Object.keys(headers)) if (name.includes('token')) delete headers[name]
}

export const carelessMutants: Mutant[] = [
  mutant('rest-unknown-forbidden', 'Whoever asks for an unknown task over REST is forbidden to.', {
    reply: (reply, call) => {
      if (!isRest(call) || !reply.text.includes('TASK_NOT_FOUND')) return
      reply.status = 403
      reply.text = JSON.stringify({ error: { code: 403, status: 'PERMISSION_DENIED', message: 'No.' } })
    },
  }),
  mutant('unknown-no-content', 'Unknown tasks are answered with nothing over JSON-RPC.', {
    reply: (reply, call) => {
      if (call.isRpc && reply.text.includes('-32001')) Object.assign(reply, { status: 204, text: '' })
    },
  }),
  mutant(
    'push-notification-list',
    'Notifications are lists of one event.',
    {
      delivery: (delivery) => {
        delivery.body = [delivery.body]
        return undefined
      },
    },
    'push',
  ),
  ...(['push', 'push03'] as const).flatMap((base) => [
    mutant(
      `${base}-token-lost`,
      'Notifications do not carry the token of their configuration.',
      { delivery: withoutToken },
      base,
    ),
    mutant(
      `${base}-delete-denied`,
      'A deletion removes the configuration, and answers an error.',
      {
        reply: (reply, call) => {
          if (call.op === 'deletePushConfig' && !reply.text.includes('"error"'))
            Object.assign(reply, refusal(call, 'There is nothing to delete.'))
        },
      },
      base,
    ),
  ]),
  mutant(
    'rest-delete-page',
    'A deletion over REST is answered with a page of HTML.',
    {
      reply: (reply, call) => {
        if (isRest(call) && call.op === 'deletePushConfig' && reply.status < 300)
          Object.assign(reply, { status: 200, headers: { 'content-type': 'text/html' }, text: '<p>Deleted.</p>' })
      },
    },
    'push',
  ),
  mutant('unknown-breaks-down', 'Unknown tasks get the page of a server that broke down.', {
    reply: (reply, call) => {
      if (!call.isCard && /TASK_NOT_FOUND|-32001/.test(reply.text))
        Object.assign(reply, { status: 500, headers: { 'content-type': 'text/html' }, text: '<h1>500</h1>' })
    },
  }),
  mutant('rest-errors-in-words', 'Over REST every error is a line of plain text.', {
    reply: (reply, call) => {
      if (isRest(call) && reply.status >= 400)
        Object.assign(reply, { headers: { 'content-type': 'text/plain' }, text: 'Something is wrong.' })
    },
  }),
  mutant('card-url-spaced', 'The url of an interface ends with a space.', {
    card: (card) => put(card, 'supportedInterfaces.0.url', `${text(card, 'supportedInterfaces.0.url')} `),
  }),
  mutant('events-twice', 'Every event of a stream is sent twice.', {
    event: (event) => [event, structuredClone(event)],
  }),
  mutant(
    'spec03-error-code-text',
    'The code of errors is a text.',
    { error: (error) => ({ ...error, code: word(error.code) }) },
    'spec03',
  ),
  mutant(
    'spec03-final-text',
    'The end of a stream is marked with a text.',
    {
      event: (event) =>
        each(event, (object) => {
          if (typeof object.final === 'boolean') object.final = String(object.final)
        }),
    },
    'spec03',
  ),
  mutant(
    'spec03-parts-typed',
    'Parts say their type, not their kind.',
    everywhere(({ parts }) => {
      if (!Array.isArray(parts)) return
      for (const part of parts) {
        put(part, 'type', at(part, 'kind'))
        put(part, 'kind', undefined)
      }
    }),
    'spec03',
  ),
  mutant(
    'rest-unknown-in-words',
    'Over REST unknown tasks are "Not Found" in plain text when they are read.',
    unknownInWords(({ op }) => op === 'getTask'),
  ),
  mutant(
    'rest-unknown-in-words-everywhere',
    'Over REST unknown tasks are "Not Found" in plain text, whatever is asked of them.',
    unknownInWords(() => true),
    'push',
  ),
]
