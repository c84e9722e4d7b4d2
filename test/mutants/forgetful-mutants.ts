// Agents that lose what they said: in the encoding of their answers, and by forgetting tasks that have ended.

import { isJsonObject } from '../../src/model/json.ts'
import type { BaseName } from './bases.ts'
import { count, stateIn } from './layer-edits.ts'
import { at, type Mutant, type Mutation, mutant, put, text } from './mutant.ts'

const ENDED = /completed|failed|canceled|rejected/

/** A task is not found any more after its end was read so often. */
function forgets(afterReads: number): Mutation {
  return {
    request: (call) => {
      if (call.op !== 'getTask' || !call.memory.has(`forgotten ${call.taskId}`)) return
      if (isJsonObject(at(call.body, 'params'))) put(call.body, 'params.id', 'forgotten')
      else call.path = call.path.replace(/\/tasks\/[^/?]+/, '/tasks/forgotten')
    },
    result: {
      getTask: (task, call) => {
        const id = text(task, 'id')
        if (ENDED.test(stateIn(task)) && count(call, `read ${id}`) + 1 >= afterReads)
          call.memory.set(`forgotten ${id}`, true)
        return undefined
      },
    },
  }
}

function inEveryGeneration(of: BaseName, prefix: string): Mutant[] {
  const made = (name: string, story: string, mutation: Mutation) => mutant(`${prefix}${name}`, story, mutation, of)
  return [
    made('answers-bom', 'A byte order mark stands before every answer.', {
      reply: (reply, call) => {
        if (!call.isCard && reply.text !== '') reply.text = `\uFEFF${reply.text}`
      },
    }),
    made('answers-latin1', 'Answers are encoded in ISO 8859-1.', { wire: { latin1: true } }),
    made('forgets-at-once', 'The end of a task can be read once.', forgets(1)),
    made('forgets-soon', 'The end of a task can be read four times.', forgets(4)),
  ]
}

export const forgetfulMutants: Mutant[] = [...inEveryGeneration('spec', ''), ...inEveryGeneration('spec03', 'spec03-')]
