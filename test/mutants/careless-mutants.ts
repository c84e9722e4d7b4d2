// Faults of careless servers: answers in the words of the framework, and promises of a configuration that nobody keeps.

import { type Call, type Delivery, type Mutant, type Mutation, mutant } from './mutant.ts'
import { refusal } from './task-edits.ts'

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
