// What errors say besides their number (1.0 §3.3.2, §9.5, §11.6).

import { BINDINGS } from '../../bindings/registry.ts'
import { quote } from '../probe/assertions.ts'
import { textAt } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'

const STACK_TRACE =
  /\n[ \t]+at |Traceback \(most recent|\bat [\w.$]+\([\w./]+:\d+|File "[^"]+", line \d+|goroutine \d+ \[/

export const errorTextChecks: PlacedCheck[] = area({ name: 'error-texts', category: 'error-handling', phase: 2 }, [
  check(
    'error-discreet',
    'SHOULD write errors for the caller: a message, and no stack trace',
    {
      proves: ['err-actionable'],
      fix: 'Write messages for the caller; keep stack traces and class names in the log.',
    },
    async (t) => {
      const answers = [
        await t.call('getTask', { id: t.unusedId() }),
        await t.call('sendMessage', { message: t.message('x') }, { edit: () => ({ message: 7 }) }),
        await t.raw({ body: '{"broken', ...(BINDINGS[t.binding].probe.isEnveloped ? {} : { path: '/message:send' }) }),
      ]
      for (const x of answers) {
        t.expect(!STACK_TRACE.test(x.text), 'an error shows a stack trace', {
          expected: 'a message for the caller',
          actual: quote(x.text),
          at: x,
        })
        const message = x.error?.message
        if (message !== undefined) t.expect(message.trim() !== '', 'an error has an empty message', { at: x })
      }
    },
  ),
  check(
    'error-details-known',
    'SHOULD use well-known types for the details of errors',
    {
      proves: ['err-details-well-known'],
      fix: 'Use google.rpc types (ErrorInfo, BadRequest, RetryInfo …) in the details of errors.',
      yieldsTo: ['get-task-unknown', 'rest-error-info', 'jsonrpc-error-info', 'schema-error', 'jsonrpc-error-data'],
    },
    async (t) => {
      const x = await t.call('getTask', { id: t.unusedId() })
      t.expectRefused(x)
      const details = x.error?.details ?? []
      if (details.length === 0) t.notMeasured('the error has no details')
      const odd = details.find(
        (detail) => !(textAt(detail, '@type') ?? '').startsWith('type.googleapis.com/google.rpc.'),
      )
      t.expect(odd === undefined, 'an error detail has a type outside google.rpc', { actual: quote(odd), at: x })
    },
  ),
])
