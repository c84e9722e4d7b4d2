// JSON-RPC as an envelope: what comes back for requests good, bad and unreadable (1.0 §9).

import { isJsonObject, type JsonValue } from '../../model/json.ts'
import { isStreaming, type Operation } from '../../model/operation.ts'
import { type Answer, header, isInternalError } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { envelopeIssues, idIssues, labelIssues } from './answers.ts'
import { area, check, everywhere, type PlacedCheck } from './check.ts'
import { ANSWER_NO_JSON, VALIDATE } from './error-repairs.ts'

export const jsonRpcChecks: PlacedCheck[] = area(
  { name: 'errors-jsonrpc', category: 'error-handling', phase: 2, bindings: ['jsonrpc'] },
  [
    everywhere(
      check(
        'jsonrpc-envelope',
        'MUST answer with JSON-RPC 2.0 response objects',
        {
          proves: ['jsonrpc-envelope'],
          fix: 'Return {"jsonrpc": "2.0", "id": <that of the request>} with exactly one of result and error.',
          mandatory: true,
        },
        async (t) => {
          for (const x of [await unknownTask(t), await t.rpc('NoSuchMethod', {})]) {
            const { envelope } = x
            // A server that breaks down, or says nothing at all, says nothing about its envelopes; over what, another check says.
            if (envelope === undefined && (x.status >= 500 || x.text === '')) continue
            if (envelope === undefined)
              return t.fail('the body is not a JSON object', {
                expected: 'a JSON-RPC response',
                actual: quote(x.text),
                at: x,
              })
            t.expectEqual(envelope.jsonrpc, '2.0', 'jsonrpc', { pointer: '/jsonrpc', at: x })
            t.expect('id' in envelope, 'the response has no id', {
              expected: 'the id of the request',
              actual: quote(envelope),
              pointer: '/id',
              at: x,
            })
            const hasError = (envelope.error ?? null) !== null
            // Beside an error, a result that is null is none.
            const both = Number(hasError) + Number('result' in envelope && !(hasError && envelope.result === null))
            t.expect(
              both === 1,
              `the response has ${both === 0 ? 'neither result nor error' : 'both result and error'}`,
              {
                expected: 'exactly one',
                actual: quote(envelope),
                at: x,
              },
            )
          }
        },
      ),
      ['answer'],
      envelopeIssues,
    ),
    everywhere(
      check(
        'jsonrpc-id-echo',
        'MUST return the id of the request unchanged',
        {
          proves: ['jsonrpc-id-echo'],
          fix: 'Copy the id of the request into the response, with its value and its type.',
          yieldsTo: ['jsonrpc-envelope'],
        },
        async (t) => {
          for (const id of [
            1,
            'abc',
            t.unusedId(),
            9_007_199_254_740_991,
            0,
            '',
            -1,
            'ключ-世界-😀',
            'x'.repeat(100),
          ]) {
            const x = await t.call('getTask', { id: t.unusedId() }, { id })
            t.expectAnswered(x)
            if (x.envelope === undefined) return t.notMeasured('the response is not JSON; another check reports that')
            t.expectEqual(x.envelope.id, id, 'the id of the response', { pointer: '/id', at: x })
          }
        },
      ),
      ['answer'],
      idIssues,
    ),
    check(
      'jsonrpc-parse-error',
      'MUST report invalid JSON as a parse error',
      { proves: ['jsonrpc-parse-error'], fix: ANSWER_NO_JSON, tells: true },
      async (t) => {
        const x = await t.raw({ body: '{"jsonrpc": "2.0", "id": 1, "method": ' })
        t.expectErrorNumber(x, 'ParseError')
      },
    ),
    check(
      'jsonrpc-parse-error-id',
      'MUST answer with id null when the id could not be read',
      {
        proves: ['jsonrpc-id-null-on-parse-error'],
        fix: 'Set "id": null in the response to a body that is not JSON.',
        yieldsTo: ['jsonrpc-parse-error', 'jsonrpc-id-echo'],
      },
      async (t) => {
        const x = await t.raw({ body: '{"jsonrpc":' })
        t.expectRefused(x)
        t.expect(x.envelope !== undefined && x.envelope.id === null, 'the id is not null', {
          expected: 'null',
          actual: quote(x.envelope?.id),
          pointer: '/id',
          at: x,
        })
      },
    ),
    check(
      'jsonrpc-invalid-request',
      'MUST report a body that is not a request as an invalid request',
      {
        proves: ['jsonrpc-invalid-request'],
        fix: 'Return -32600 when jsonrpc or method is missing or of the wrong type, or the body is not an object.',
        tells: true,
      },
      async (t) => {
        const bodies = [
          '{"id": 1}',
          '{"jsonrpc": "1.0", "id": 1, "method": "x"}',
          '"text"',
          '{"jsonrpc": "2.0", "id": 1, "method": 7}',
          '{"not": "valid jsonrpc"}',
        ]
        for (const body of bodies) t.expectErrorNumber(await t.raw({ body }), 'InvalidRequest')
      },
    ),
    check(
      'jsonrpc-method-not-found',
      'MUST report an unknown method as not found',
      { proves: ['jsonrpc-method-not-found'], fix: 'Return -32601 for methods that do not exist.', tells: true },
      async (t) => {
        t.expectErrorNumber(await t.rpc('NoSuchMethod', {}), 'MethodNotFound')
      },
    ),
    check(
      'jsonrpc-method-case',
      'SHOULD match method names case-sensitively',
      {
        proves: ['jsonrpc-method-case'],
        fix: 'Compare method names exactly; sendMessage is not SendMessage.',
        yieldsTo: ['jsonrpc-method-not-found'],
      },
      async (t) => {
        const exact = t.surface.dialect.methods.getTask ?? ''
        for (const name of [exact.toLowerCase(), exact.toUpperCase()]) {
          t.expectErrorNumber(await t.rpc(name, { id: t.unusedId() }), 'MethodNotFound')
        }
      },
    ),
    check(
      'jsonrpc-method-names',
      'MUST know every method of its protocol version',
      {
        proves: ['jsonrpc-method-names'],
        fix: 'Route every method, also those whose feature is off: they return their own error, not -32601.',
      },
      async (t) => {
        for (const [op, method] of offeredMethods(t)) {
          if (!t.works(op)) continue
          // Parameters of the wrong kind: nothing happens, and only a missing route answers "method not found".
          const x = await t.rpc(method, { parley: { op } })
          t.expectAnswered(x)
          t.expect(x.error?.code !== -32601, `the method ${method} is unknown`, {
            expected: 'any answer but -32601',
            actual: '-32601',
            pointer: '/error/code',
            at: x,
          })
        }
      },
    ),
    check(
      'jsonrpc-invalid-params',
      'MUST report bad parameters as invalid',
      {
        proves: ['jsonrpc-invalid-params', 'send-missing-message'],
        fix: VALIDATE,
        tells: true,
      },
      async (t) => {
        const method = t.surface.dialect.methods.sendMessage ?? ''
        for (const params of [{}, { message: 'text' }, { message: { role: 7, parts: 'x' } }]) {
          t.expectErrorNumber(await t.rpc(method, params), 'InvalidParams')
        }
      },
    ),
    check(
      'jsonrpc-params-omitted',
      'MUST accept requests without params where nothing is required',
      { proves: ['jsonrpc-params-omitted'], fix: 'Treat absent params as an empty object.' },
      async (t) => {
        const refused: string[] = []
        for (const op of ['getExtendedCard', 'listTasks'] as const) {
          const method = t.surface.dialect.methods[op]
          if (method === undefined) continue
          const x = await t.rpc(method, undefined)
          t.expectAnswered(x)
          const isRefused = x.error?.code === -32600 || x.error?.code === -32602
          t.expect(!isRefused || op === 'listTasks', `${method} without params is refused`, {
            expected: 'the same as with {}',
            actual: quote(x.error?.json),
            pointer: '/error/code',
            at: x,
          })
          if (isRefused) refused.push(method)
        }
        if (refused.length > 0) t.conflict(42, `${refused.join(', ')} without params is refused`)
      },
    ),
    everywhere(
      check(
        'jsonrpc-content-type',
        'MUST label JSON-RPC responses application/json',
        {
          proves: ['jsonrpc-content-type'],
          fix: 'Send Content-Type: application/json with every unary response, errors included.',
        },
        async (t) => {
          for (const x of [await unknownTask(t), await t.raw({ body: '{' })]) {
            t.expectAnswered(x)
            // A page is rightly labeled as one; that it came has a check of its own.
            if (x.body === undefined) continue
            t.expect(x.mediaType === 'application/json', `the response is labeled ${x.mediaType || 'nothing'}`, {
              expected: 'application/json',
              actual: header(x, 'content-type') ?? 'no Content-Type',
              at: x,
            })
          }
        },
      ),
      ['answer'],
      labelIssues('application/json'),
    ),
    check(
      'jsonrpc-http-status',
      'SHOULD NOT send JSON-RPC errors as failures of the server',
      {
        proves: ['jsonrpc-http-status'],
        fix: 'Return HTTP 200 with the error object: HTTP 5xx says that the server is broken, and gateways and clients act on it.',
        yieldsTo: ['get-task-unknown'],
      },
      async (t) => {
        const x = await unknownTask(t)
        t.expectAnswered(x)
        // The text is silent about HTTP 4xx around an error (docs/spec-conflicts.md, place 21).
        if (x.status >= 400 && x.status < 500) return t.allow(`the error arrives with HTTP ${x.status}`)
        t.expect(x.status < 300, `the error arrives with HTTP ${x.status}`, {
          expected: 'HTTP 200',
          actual: `HTTP ${x.status}`,
          at: x,
        })
      },
    ),
    check(
      'jsonrpc-notification',
      'SHOULD NOT answer a request without id as if it had one',
      {
        proves: ['jsonrpc-notification'],
        fix: 'Answer a request without id with no body, or with -32600 and id null.',
        yieldsTo: ['jsonrpc-id-echo', 'jsonrpc-parse-error-id'],
      },
      async (t) => {
        const { id: _id, ...body } = t.envelope('getTask', { id: t.unusedId() })
        const x = await t.raw({ body })
        t.expectAnswered(x)
        if (x.text === '') return t.allow('answered without a body')
        t.expect(
          x.envelope?.id === null || x.envelope?.id === undefined,
          'the response carries an id the request did not have',
          {
            expected: 'no body, or id null',
            actual: quote(x.envelope?.id),
            pointer: '/id',
            at: x,
          },
        )
      },
    ),
    check(
      'jsonrpc-batch',
      'MUST NOT crash on batch or non-object bodies',
      {
        proves: ['sec-input-validation', 'jsonrpc-internal-error'],
        fix: 'Validate the body before using it; answer every shape of JSON with an error object, never with HTTP 5xx or HTML.',
      },
      async (t) => {
        const odd: JsonValue[] = [
          [],
          [{ jsonrpc: '2.0' }],
          { jsonrpc: '2.0', id: {}, method: 'GetTask', params: [] },
          { jsonrpc: '2.0', id: 1, method: null, params: 'x' },
        ]
        for (const body of odd) {
          const x = await t.raw({ body: JSON.stringify(body) })
          t.expectAnswered(x)
          const isInternal = isInternalError(x)
          t.expect(
            x.body !== undefined && (x.status < 500 || isJsonObject(x.body)),
            `${quote(body)} is answered with HTTP ${x.status} ${x.mediaType}`,
            { expected: 'a JSON-RPC error', actual: quote(x.text), at: x },
          )
          t.expect(!isInternal, `${quote(body)} causes an internal error`, {
            expected: '-32600 or -32602',
            actual: quote(x.error?.json),
            pointer: '/error/code',
            at: x,
          })
        }
      },
    ),
  ],
)

export function unknownTask(t: Probe): Promise<Answer> {
  return t.call('getTask', { id: t.unusedId() })
}

/** The methods an agent has to know: all of 1.0; before, the core ones and those of what it declares. */
function offeredMethods(t: Probe): [Operation, string][] {
  const all = Object.entries(t.surface.dialect.methods) as [Operation, string][]
  return all.filter(([op]) => !t.rules.optionalMethods || isOffered(t, op))
}

/** Whether the card declares what the operation belongs to. */
export function isOffered(t: Probe, op: Operation): boolean {
  if (isStreaming(op)) return t.declares('streaming')
  if (op === 'getExtendedCard') return t.declares('extendedAgentCard')
  return !op.endsWith('PushConfig') && !op.endsWith('PushConfigs') ? true : t.declares('pushNotifications')
}
