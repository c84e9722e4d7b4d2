// What holds for every JSON-RPC method alike: the id comes back, and parameters that are missing are missed (1.0 §9.3, §9.5).

import type { JsonObject } from '../../model/json.ts'
import { isStreaming, type Operation, type OperationRequest } from '../../model/operation.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { area, check, type PlacedCheck } from './check.ts'

/** Methods that cannot do anything without parameters, whatever the card declares. */
const NEED_PARAMS: readonly Operation[] = ['sendMessage', 'getTask', 'cancelTask']

export const jsonRpcMethodChecks: PlacedCheck[] = area(
  { name: 'errors-jsonrpc', category: 'error-handling', phase: 2, bindings: ['jsonrpc'] },
  [
    check(
      'jsonrpc-id-echo-everywhere',
      'MUST return the id of the request unchanged from every method',
      {
        proves: ['jsonrpc-id-echo'],
        fix: 'Write the id of the request into the response in one place, for all methods, with its value and its type.',
        causes: ['One method has a separate handler that builds the envelope itself.', 'Ids are stored as strings.'],
      },
      async (t) => {
        const ops = Object.keys(t.surface.dialect.methods) as Operation[]
        // Streams write their envelopes elsewhere, and are looked at there.
        for (const op of ops.filter((one) => !isStreaming(one))) {
          for (const id of [17, 'seventeen', 0, '']) {
            const { params = {}, method } = t.envelope(op, aboutNothing(t, op), id) as JsonObject & { method: string }
            const x = await t.rpc(method, params, { id })
            t.expectAnswered(x)
            // Without an envelope there is nothing to compare; another check reports this.
            if (x.envelope === undefined) continue
            t.expect(x.envelope.id === id, `${method} answers ${quote(id)} with the id ${quote(x.envelope.id)}`, {
              expected: quote(id),
              actual: quote(x.envelope.id),
              pointer: '/id',
              at: x,
            })
          }
        }
      },
    ),
    check(
      'jsonrpc-params-missing',
      'MUST report missing parameters as invalid, with the id of the request',
      {
        proves: ['jsonrpc-invalid-params'],
        fix: 'Treat absent params as an empty object and validate it: -32602, with the id of the request.',
        causes: ['The parameters are used without checking that they are present.'],
        needs: ['check:jsonrpc-invalid-params'],
      },
      async (t) => {
        for (const op of NEED_PARAMS) {
          const method = t.surface.dialect.methods[op]
          if (method === undefined) continue
          const id = `parley-${op}`
          const x = await t.rpc(method, undefined, { id })
          t.expectErrorNumber(x, 'InvalidParams')
          t.expectEqual(x.envelope?.id, id, `the id of the answer to ${method} without params`, {
            pointer: '/id',
            at: x,
          })
        }
      },
    ),
  ],
)

/** A request about a task that does not exist, so that nothing happens whether or not it is refused. */
function aboutNothing(t: Probe, op: Operation): OperationRequest<Operation> {
  const id = t.unusedId()
  switch (op) {
    case 'sendMessage':
    case 'streamMessage':
      return { message: t.message('x', { taskId: id }) }
    case 'listTasks':
      return { contextId: id }
    case 'createPushConfig':
      return { taskId: id, url: 'https://parley.invalid/hook' }
    case 'getPushConfig':
    case 'deletePushConfig':
      return { taskId: id, id: t.unusedId() }
    case 'listPushConfigs':
      return { taskId: id }
    case 'getCard':
    case 'getExtendedCard':
      return {}
    case 'getTask':
    case 'cancelTask':
    case 'subscribeTask':
      return { id }
  }
}
