// The usual places where a mutant of tasks gets at the wire.

import type { JsonObject, JsonValue } from '../../src/model/json.ts'
import { at, type Call, each, type Mutation, type Reply, taskIn } from './mutant.ts'

export const JSON_TYPE = { 'content-type': 'application/json' }

/** Changes the task in the results of these operations. */
export function tasks(
  edit: (task: JsonObject, call: Call) => void,
  ops: readonly ('sendMessage' | 'getTask' | 'cancelTask')[] = ['sendMessage', 'getTask', 'cancelTask'],
): Mutation {
  const change = (result: JsonObject, call: Call) => {
    const task = taskIn(result)
    if (task.status !== undefined) edit(task, call)
    return undefined
  }
  return { result: Object.fromEntries(ops.map((op) => [op, change])) }
}

export function everywhere(edit: (object: JsonObject) => void): Mutation {
  return {
    result: { any: (result) => each(result, edit) },
    event: (event) => each(event, edit),
  }
}

export function result(call: Call, value: JsonValue): Reply {
  const body = call.isRpc ? { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, result: value } : value
  return { status: 200, headers: JSON_TYPE, text: JSON.stringify(body) }
}

/** An error about parameters. */
export function refusal(call: Call, message: string): Reply {
  const body = call.isRpc
    ? { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, error: { code: -32_602, message } }
    : { error: { code: 400, status: 'INVALID_ARGUMENT', message } }
  return { status: call.isRpc ? 200 : 400, headers: JSON_TYPE, text: JSON.stringify(body) }
}

export function configuration(call: Call): JsonObject {
  const found = at(call.params, 'configuration')
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? found : {}
}

/** Edits the params of a request in place, over both bindings. */
export function requests(edit: (params: JsonObject, call: Call) => void): Mutation {
  return {
    request: (call) => {
      const params = call.isRpc ? at(call.body, 'params') : call.body
      if (typeof params === 'object' && params !== null && !Array.isArray(params)) edit(params, call)
    },
  }
}
