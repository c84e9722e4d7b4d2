// Query parameters of HTTP+JSON arrive decoded (1.0 §11.5).

import { quote } from '../probe/assertions.ts'
import type { OutgoingRequest } from '../probe/outgoing.ts'
import { listAt, textAt } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'

export const restQueryChecks: PlacedCheck[] = area(
  { name: 'rest-query', category: 'error-handling', phase: 3, bindings: ['rest'] },
  [
    check(
      'rest-query-decoded',
      'MUST decode percent-encoded query parameters',
      {
        proves: ['rest-query-urldecode'],
        fix: 'Decode query parameter names and values once, as UTF-8.',
        causes: [
          'The query string is split by hand and compared without decoding.',
          'A gateway in front encodes it again.',
        ],
        yieldsTo: ['send-task-ids', 'list-by-context'],
      },
      async (t) => {
        t.expectSuccess(await t.call('listTasks', { statusTimestampAfter: '2000-01-01T00:00:00Z' }))
        const contextId = `parley ${t.unusedId()} /?&=#+%41:é世`
        const sent = await t.send('task', { contextId })
        if (sent.error !== undefined) t.notMeasured('the agent refuses a context id with reserved characters')
        const result = t.sendResultOf(sent)
        if (!('task' in result)) return t.notMeasured('the agent answered with a message instead of a task')
        const { task } = result
        if (task.contextId !== contextId) t.notMeasured('the agent does not use the context of the client')
        // A plus is a space only to those who read queries as forms.
        const tamper = (request: OutgoingRequest) => ({ ...request, url: request.url.replaceAll('+', '%20') })
        const x = await t.call('listTasks', { contextId }, { tamper })
        t.expectSuccess(x)
        const found = (listAt(x.result, 'tasks') ?? []).some((listed) => textAt(listed, 'id') === task.id)
        t.expect(found, 'the list for an encoded contextId does not show its task', {
          expected: `task ${task.id}`,
          actual: quote(x.result),
          at: x,
        })
      },
    ),
  ],
)
