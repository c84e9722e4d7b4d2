// What a single fault is, and the ways in which one operation can be wrong.

import { isJsonObject, type JsonObject, type JsonValue } from '../../src/model/json.ts'
import type { Operation } from '../../src/model/operation.ts'
import { allMutants } from '../mutants/all-mutants.ts'
import type { BaseName } from '../mutants/bases.ts'
import { envelopes, parsed } from '../mutants/layer-edits.ts'
import { at, type Call, each, type Mutant, type Mutation, mutant, put, type Reply, text } from '../mutants/mutant.ts'
import { JSON_TYPE } from '../mutants/task-edits.ts'

export interface Fault extends Mutant {
  /** The checks that may tell it. */
  readonly told: readonly string[]
}

export function fault(name: string, told: string, story: string, mutation: Mutation, of: BaseName = 'spec'): Fault {
  return { ...mutant(name, story, mutation, of), told: told.split(' ') }
}

/** A mutant that is wrong in one thing only. */
export function known(name: string, told: string): Fault {
  const found = allMutants.find((one) => one.name === name)
  if (found === undefined) throw new Error(`There is no mutant ${name}.`)
  return { ...found, told: told.split(' ') }
}

export function refusal(call: Call, code: number, status: number, name: string): Reply {
  const message = 'No.'
  const body = call.isRpc
    ? { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, error: { code, message } }
    : { error: { code: status, status: name, message } }
  return { status: call.isRpc ? 200 : status, headers: JSON_TYPE, text: JSON.stringify(body) }
}

/** JSON-RPC does not know the method, REST has no such route. */
export function missing(...ops: Operation[]): Mutation {
  return {
    answer: (call) => {
      if (call.op === undefined || !ops.includes(call.op)) return undefined
      return call.isRpc ? refusal(call, -32601, 404, '') : { status: 404, headers: {}, text: 'Not Found' }
    },
  }
}

/** The handler throws whenever it is called. */
export function broken(...ops: Operation[]): Mutation {
  return {
    answer: (call) =>
      call.op !== undefined && ops.includes(call.op) ? refusal(call, -32603, 500, 'INTERNAL') : undefined,
  }
}

/** Unknown tasks make the handler throw. */
export function unknownThrows(...ops: Operation[]): Mutation {
  return {
    reply: (reply, call) => {
      const isUnknown = /-32001|TASK_NOT_FOUND/.test(reply.text)
      if (isUnknown && call.op !== undefined && ops.includes(call.op))
        Object.assign(reply, refusal(call, -32603, 500, 'INTERNAL'))
    },
  }
}

/** A cancel of a running task reads it instead. */
export function cancelIgnored(): Mutation {
  return {
    request: async (call) => {
      if (call.op !== 'cancelTask') return
      const method = text(call.body, 'method')
      const read = call.isRpc
        ? {
            text: JSON.stringify({
              ...(call.body as JsonObject),
              method: method === 'CancelTask' ? 'GetTask' : 'tasks/get',
            }),
          }
        : { method: 'GET', path: call.path.replace(':cancel', ''), text: '' }
      const found = parsed((await call.ask(read)).text)
      const state = text(found, call.isRpc ? 'result.status.state' : 'status.state')
      if (!/SUBMITTED|WORKING|INPUT_REQUIRED|AUTH_REQUIRED|^(submitted|working|input-required)$/.test(state)) return
      Object.assign(call, { body: undefined, ...read })
    },
  }
}

/** Changes the spelling of every state of a task or an event, over JSON-RPC. */
export function rpcStates(spell: (state: string) => string): Mutation {
  const visit = (value: JsonValue | undefined, call: Call) =>
    call.isRpc
      ? each(value, (object) => {
          const state = text(object, 'status.state')
          if (state !== '') put(object, 'status.state', spell(state))
        })
      : undefined
  return { result: { any: (result, call) => visit(result, call) }, event: (event, { call }) => visit(event, call) }
}

/** Results of the operation are empty objects. */
export function empty(op: Operation): Mutation {
  return { result: { [op]: () => ({}) } }
}

/** Changes the object of every error of JSON-RPC. */
export function rpcErrors(edit: (error: JsonObject) => void): Mutation {
  return envelopes((envelope) => {
    if (isJsonObject(envelope.error)) edit(envelope.error)
  })
}

export const isRest = (call: Call) => !call.isRpc && call.op !== undefined

/** Errors of one number get another, over JSON-RPC. */
export function renumbered(from: number, to: number): Mutation {
  return rpcErrors((error) => {
    if (error.code === from) Object.assign(error, { code: to, data: [] })
  })
}
