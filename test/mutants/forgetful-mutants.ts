// Agents that lose what they said: in the encoding of their answers, and by forgetting tasks as soon as they have ended.

import { isJsonObject, type JsonValue } from '../../src/model/json.ts'
import type { BaseName } from './bases.ts'
import { at, type Call, each, type Mutant, type Mutation, mutant, text } from './mutant.ts'

const ENDED = /completed|failed|canceled|rejected/i

/** Tasks are not found any more, so long after their end was first shown. */
export function forgets(afterMs: number): Mutation {
  const key = (id: string) => `end of ${id}`
  const note = (value: JsonValue, { memory }: Call) =>
    each(value, (object) => {
      const id = text(object, 'taskId') || text(object, 'id')
      if (id !== '' && isJsonObject(object.status) && ENDED.test(text(object, 'status.state')) && !memory.has(key(id)))
        memory.set(key(id), Date.now())
    })
  return {
    request: (call) => {
      const endedAt = call.op === 'getTask' ? call.memory.get(key(call.taskId ?? '')) : undefined
      if (endedAt === undefined || Date.now() - Number(endedAt) < afterMs) return
      if (isJsonObject(at(call.body, 'params'))) Object.assign(at(call.body, 'params') as object, { id: 'forgotten' })
      else call.path = call.path.replace(/\/tasks\/[^/?]+/, '/tasks/forgotten')
    },
    result: { any: (result, call) => note(result, call) },
    event: (event, { call }) => note(event, call),
  }
}

const made = (of: BaseName, prefix: string): Mutant[] => [
  mutant(
    `${prefix}answers-bom`,
    'A byte order mark stands before every answer.',
    {
      reply: (reply, call) => {
        if (!call.isCard && reply.text !== '') reply.text = `\uFEFF${reply.text}`
      },
    },
    of,
  ),
  mutant(`${prefix}answers-latin1`, 'Answers are encoded in ISO 8859-1.', { wire: { latin1: true } }, of),
  mutant(`${prefix}forgets-finished`, 'Finished tasks are forgotten at once.', forgets(700), of),
]

export const forgetfulMutants: Mutant[] = [...made('spec', ''), ...made('spec03', 'spec03-')]
