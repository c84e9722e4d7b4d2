// What JSON-RPC errors say beside their number: typed details, and numbers in their range (1.0 §9.5).

import { isEnveloped } from '../../bindings/registry.ts'
import type { DialectId } from '../../dialects/dialect.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import type { Answer } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import { reasonsOf } from '../probe/error-table.ts'
import { listAt, textAt } from '../probe/raw.ts'
import { area, check, observed, type PlacedCheck } from './check.ts'
import { ADD_BAD_REQUEST, ADD_ERROR_INFO } from './error-repairs.ts'
import { unknownTask } from './errors-jsonrpc.ts'

export const jsonRpcErrorDetailChecks: PlacedCheck[] = area(
  { name: 'errors-jsonrpc', category: 'error-handling', phase: 2, bindings: ['jsonrpc'] },
  [
    check(
      'jsonrpc-error-info',
      'SHOULD explain A2A errors with a google.rpc.ErrorInfo',
      {
        proves: ['jsonrpc-error-info'],
        fix: ADD_ERROR_INFO,
        yieldsTo: ['get-task-unknown'],
      },
      async (t) => {
        const x = await unknownTask(t)
        t.expectRefused(x)
        const info = errorInfo(x)
        t.expect(
          info?.reason === 'TASK_NOT_FOUND' && info.domain === 'a2a-protocol.org',
          'error.data has no ErrorInfo with reason and domain of the error',
          {
            expected: 'reason TASK_NOT_FOUND, domain a2a-protocol.org',
            actual: quote(x.error?.json),
            pointer: '/error/data',
            at: x,
          },
        )
      },
    ),
    check(
      'jsonrpc-bad-request',
      'SHOULD name the bad fields in a google.rpc.BadRequest',
      {
        proves: ['jsonrpc-error-bad-request'],
        fix: ADD_BAD_REQUEST,
        yieldsTo: ['jsonrpc-invalid-params', 'jsonrpc-error-info'],
      },
      async (t) => {
        const x = await t.rpc(t.surface.dialect.methods.sendMessage ?? '', {})
        t.expectRefused(x)
        const isThere = x.error?.details.some((detail) => Array.isArray(detail.fieldViolations)) === true
        t.expect(isThere, 'the validation error names no fields', {
          expected: 'fieldViolations',
          actual: quote(x.error?.json),
          pointer: '/error/data',
          at: x,
        })
      },
    ),
    observed(
      'jsonrpc-error-range',
      'MUST use codes from -32001 to -32099 for the errors of the protocol',
      {
        proves: ['jsonrpc-error-range'],
        fix: 'Use -32001 to -32099 for the errors A2A defines; errors of your own may have other codes.',
      },
      ['error'],
      ({ value, binding, generation }) => {
        if (!isEnveloped(binding)) return []
        const error = isJsonObject(value) && isJsonObject(value.error) ? value.error : undefined
        const code = error?.code
        // Others (a caller who is unknown, say) may have any code: only the errors of the protocol have a range.
        const reason = reasonOf(error, generation)
        if (typeof code !== 'number' || A2A_CODES(code) || reason === undefined) return []
        return [{ pointer: '/error/code', message: `${reason} has the code ${code}, outside of -32001 to -32099` }]
      },
    ),
    observed(
      'jsonrpc-error-data',
      'MUST write error.data as a list of typed objects',
      { proves: ['jsonrpc-error-data-array'], fix: 'Write error.data as an array whose elements each have an @type.' },
      ['error'],
      ({ value, binding }) => {
        const error = isJsonObject(value) && isJsonObject(value.error) ? value.error : undefined
        if (!isEnveloped(binding) || error?.data === undefined || error.data === null) return []
        if (!Array.isArray(error.data)) return [{ pointer: '/error/data', message: 'is not an array' }]
        return error.data.flatMap((item, at) =>
          isJsonObject(item) && typeof item['@type'] === 'string'
            ? []
            : [{ pointer: `/error/data/${at}`, message: 'has no @type' }],
        )
      },
    ),
  ],
)

const A2A_CODES = (code: number) => code <= -32001 && code >= -32099

export function errorInfo(x: Answer) {
  return x.error?.details.find((detail) => detail['@type'] === 'type.googleapis.com/google.rpc.ErrorInfo')
}

/** Why the error is one of those the protocol defines, if it is. */
function reasonOf(error: JsonObject | undefined, generation: DialectId): string | undefined {
  const reasons = (listAt(error, 'data') ?? []).flatMap((detail) => textAt(detail, 'reason') ?? [])
  const defined = reasonsOf(generation)
  return reasons.find((reason) => defined.has(reason))
}
