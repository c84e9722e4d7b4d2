import { expect, test } from 'vitest'
import type { Exchange } from '../../trace/exchange.ts'
import { withSteps } from './steps.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function exchange(id: string, path: string, sent: string, received: string): Exchange {
  return {
    id,
    startedAt: '',
    request: { method: 'POST', url: `http://127.0.0.1:1${path}`, headers: [], body: bytes(sent) },
    response: { status: 200, headers: [], body: bytes(received) },
  }
}

const send = exchange('send', '/', '{"message":{"messageId":"m-11111111"}}', '{"task":{"id":"task-12345678"}}')
const other = exchange('other', '/', '{}', '{"task":{"id":"task-87654321"}}')

test.each([
  ['in its body', exchange('cancel', '/', '{"id":"task-12345678"}', '{}')],
  ['in its path', exchange('cancel', '/tasks/task-12345678:cancel', '', '{}')],
])('a request about a task, named %s, follows the one that made it', (_, cancel) => {
  expect(withSteps([cancel], [other, send, cancel])).toEqual([send, cancel])
})

test('an id we chose ourselves was made by nobody', () => {
  const get = exchange('get', '/', '{"id":"never-00000001"}', '{"error":"never-00000001"}')
  const again = exchange('again', '/', '{"id":"never-00000001"}', '{}')
  expect(withSteps([again], [get, again])).toEqual([again])
})

test('nothing is named twice, and what came later is no step', () => {
  const cancel = exchange('cancel', '/', '{"id":"task-12345678"}', '{"id":"task-12345678"}')
  const get = exchange('get', '/', '{"id":"task-12345678"}', '{"id":"task-12345678"}')
  expect(withSteps([send, cancel], [send, cancel, get])).toEqual([send, cancel])
})
