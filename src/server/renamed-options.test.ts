// Options that got another name keep the old one for a version, and it means the same.

import { afterEach, expect, test } from 'vitest'
import { SPEC_CARD } from '../agents/cards.ts'
import { type A2AServer, createServer } from './server.ts'

let server: A2AServer | undefined
afterEach(() => server?.close())

async function post(url: string, method: string, params: object): Promise<{ result?: { task?: { id: string } } }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  return (await response.json()) as { result?: { task?: { id: string } } }
}

const message = (text: string, taskId?: string) => ({
  message: { messageId: text, role: 'ROLE_USER', parts: [{ text }], ...(taskId === undefined ? {} : { taskId }) },
})

test.each([
  { continuesInNewTask: () => true, unversionedAs: '1.0' as const },
  { hasSequel: () => true, lenient: true },
])('a message to an ended task begins another: %o', async (options) => {
  server = createServer({ card: SPEC_CARD, agent: (_, context) => context.complete('done'), ...options })
  const { url } = await server.listen({ port: 0 })
  const first = await post(url, 'SendMessage', message('one'))
  const second = await post(url, 'SendMessage', message('two', first.result?.task?.id))
  expect(second.result?.task?.id).toEqual(expect.any(String))
  expect(second.result?.task?.id).not.toBe(first.result?.task?.id)
})

test.each([{ skipCardValidation: true }, { isCardProven: true }])('a strange card is served: %o', async (options) => {
  const card = { ...SPEC_CARD, skills: 'none' as never }
  const agent = () => 'hello'
  await expect(createServer({ card, agent }).ready()).rejects.toThrow(/skills/)
  server = createServer({ card, agent, ...options })
  await expect(server.ready()).resolves.toBeUndefined()
})
