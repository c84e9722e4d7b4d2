// AUTH-5 behind a reverse proxy, over real HTTP: one guesser does not lock out everybody who comes the same way.

import { afterEach, expect, test } from 'vitest'
import { ECHO_CARD } from '../../src/agents/cards.ts'
import { echoAgent } from '../../src/agents/echo.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'

let server: A2AServer | undefined
afterEach(() => server?.close({ graceMs: 0 }))

async function call(url: string, token: string, from: string): Promise<number> {
  const answer = await fetch(`${url}/tasks/none`, {
    headers: { Authorization: `Bearer ${token}`, 'X-Forwarded-For': from, 'A2A-Version': '1.0' },
  })
  await answer.text()
  return answer.status
}

async function start(trustProxy: readonly string[]): Promise<string> {
  const auth = [{ kind: 'bearer' as const, token: 'open-sesame', subject: 'alice' }]
  server = createServer({ card: ECHO_CARD, agent: echoAgent, auth, trustProxy })
  return (await server.listen()).url
}

test.each([
  ['a trusted one counts each caller apart', ['127.0.0.0/8', '::1'], 404],
  ['any other is one caller, whatever it claims', [], 429],
])('%s', async (_, trustProxy, expected) => {
  const url = await start(trustProxy)
  for (let n = 0; n < 11; n++) await call(url, `guess-${n}`, '192.0.2.66')
  expect(await call(url, 'guess', '192.0.2.66')).toBe(429)
  expect(await call(url, 'open-sesame', '192.0.2.7')).toBe(expected)
})

test('a network that is none is refused at the start', () => {
  expect(() => createServer({ card: ECHO_CARD, agent: echoAgent, trustProxy: ['everywhere'] })).toThrow('10.0.0.0/8')
})
