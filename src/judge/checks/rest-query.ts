// Query parameters of HTTP+JSON arrive decoded (1.0 §11.5).

import { isJsonObject } from '../../model/json.ts'
import { quote } from '../probe/assertions.ts'
import type { OutgoingRequest } from '../probe/outgoing.ts'
import { listAt, textAt } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'

export const restQueryChecks: PlacedCheck[] = area(
  { name: 'rest-query', category: 'error-handling', phase: 3, bindings: ['rest'] },
  [
    check(
      'rest-query-read',
      'MUST read the query parameters of a request',
      {
        proves: ['rest-query-camel'],
        fix: 'Read the query by its camelCase names: pageSize, pageToken, contextId, historyLength.',
        causes: ['Parameters are looked up in snake_case.', 'A gateway in front cuts the query off.'],
        phase: 2,
        tells: true,
      },
      async (t) => {
        // Any effect of any of them will do: what each has to do has checks of its own.
        const sized = await t.raw({ path: '/tasks?pageSize=1' })
        const page = t.expectSuccess(sized)
        if (isJsonObject(page) && page.pageSize === 1) return t.allow('pageSize has an effect')
        const tried = [sized]
        for (const query of ['pageSize=abc', 'status=NO_SUCH_STATE', 'pageToken=parley-no-such-token']) {
          const x = await t.raw({ path: `/tasks?${query}` })
          if (x.error !== undefined) return t.allow(`${query} has an effect`)
          tried.push(x)
        }
        t.fail('no query parameter has any effect', {
          expected: 'a page of one task, and errors for values that mean nothing',
          actual: quote(page),
          at: tried.map(({ exchange }) => exchange),
        })
      },
    ),
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
