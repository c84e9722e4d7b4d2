// Places where a mutant gets at what lies around results: envelopes of answers, data of frames, deliveries.

import { isJsonObject, type JsonObject, type JsonValue } from '../../src/model/json.ts'
import type { Operation } from '../../src/model/operation.ts'
import { at, type Call, each, type Mutation, type Reply, text } from './mutant.ts'

/** Changes every error object, and the REST status with it when asked. */
export function errors(edit: (error: JsonObject, reply: Reply, call: Call) => JsonObject | undefined): Mutation {
  return { error: edit }
}

/** Changes the envelope of JSON-RPC answers, results and errors alike. */
export function envelopes(edit: (envelope: JsonObject, call: Call) => void): Mutation {
  return {
    reply: (reply, call) => {
      const body = call.isRpc ? parsed(reply.text) : undefined
      if (!isJsonObject(body)) return
      edit(body, call)
      reply.text = JSON.stringify(body)
    },
  }
}

/** Changes the data of every frame of these streams, envelope and all. */
export function frames(edit: (data: JsonObject, call: Call) => void, op?: Operation): Mutation {
  return {
    frame: (frame, { call }) => {
      if (op !== undefined && call.op !== op) return frame
      return frame.replace(/^data: (.*)$/m, (whole, json: string) => {
        const data = parsed(json)
        if (!isJsonObject(data)) return whole
        edit(data, call)
        return `data: ${JSON.stringify(data)}`
      })
    },
  }
}

/** Changes every task that is sent anywhere: in results, lists, events and notifications. */
export function tasksEverywhere(edit: (task: JsonObject) => void): Mutation {
  const visit = (value: JsonValue | undefined) =>
    each(value, (object) => {
      if (typeof object.id === 'string' && isJsonObject(object.status)) edit(object)
    })
  return {
    result: { any: (result) => visit(result) },
    event: (event) => visit(event),
    delivery: ({ body }) => visit(body),
  }
}

/** Changes every object in notifications. */
export function notifications(edit: (object: JsonObject) => void): Mutation {
  return { delivery: ({ body }) => each(body, edit) }
}

/** Counts, per mutant and key. */
export function count({ memory }: Call, key: string): number {
  const before = Number(memory.get(key) ?? 0)
  memory.set(key, before + 1)
  return before
}

export function stateIn(object: JsonObject): string {
  return text(object, 'status.state').replace('TASK_STATE_', '').toLowerCase()
}

/** A state as the generation of the object spells it. */
export function spelled(like: JsonObject, state: string): string {
  return text(like, 'status.state').startsWith('TASK_') ? `TASK_STATE_${state.toUpperCase()}` : state
}

export function parsed(body: string): JsonValue | undefined {
  try {
    return JSON.parse(body) as JsonValue
  } catch {
    return undefined
  }
}

export function requestId(call: Call): JsonValue {
  return at(call.body, 'id') ?? null
}
