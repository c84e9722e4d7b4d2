// A negative history length, wherever one can be given (1.0 §3.2.4, §3.3.2; the example of §6.5).

import { area, check, type PlacedCheck } from './check.ts'
import { REFUSE_NEGATIVE_HISTORY } from './error-repairs.ts'

export const historyLengthChecks: PlacedCheck[] = [
  ...area({ name: 'history-length', category: 'error-handling', phase: 3 }, [
    check(
      'send-history-negative',
      'MUST refuse a negative historyLength in a send',
      {
        proves: ['send-history-negative'],
        fix: REFUSE_NEGATIVE_HISTORY,
        needs: ['check:send-result'],
      },
      async (t) => {
        const x = await t.send('task', { configuration: { historyLength: -1 } })
        t.expectError(x, 'InvalidParams')
      },
    ),
    check(
      'list-history-negative',
      'MUST refuse a negative historyLength in ListTasks',
      { proves: ['list-history-negative'], fix: REFUSE_NEGATIVE_HISTORY, needs: ['check:list-empty'], phase: 2 },
      async (t) => {
        const x = await t.call('listTasks', { contextId: t.unusedId(), historyLength: -5 })
        t.expectError(x, 'InvalidParams')
      },
    ),
  ]),
  ...area({ name: 'history-length', category: 'error-handling', phase: 4 }, [
    check(
      'stream-history-negative',
      'MUST refuse a negative historyLength in a streaming send',
      {
        proves: ['stream-history-negative'],
        fix: REFUSE_NEGATIVE_HISTORY,
        needs: ['check:stream-opens'],
      },
      async (t) => {
        const s = await t.openStream('task', { configuration: { historyLength: -1 } })
        await s.next()
        t.expectError(s, 'InvalidParams')
      },
    ),
  ]),
]
