import { expect, test } from 'vitest'
import { PassingSessions } from './passing-sessions.ts'
import { MockServer } from './server.ts'

test('a session somebody only looked at goes first, then one that was used long ago, and never one that was asked for', () => {
  let now = 0
  const sessions = new PassingSessions(() => now)
  sessions.note('used', 'POST', true)
  sessions.note('looked-at', 'GET', true)
  sessions.note('asked-for', 'POST', false)
  expect(sessions.dispensable()).toBe('looked-at')
  sessions.note('looked-at', 'POST', false)
  expect(sessions.dispensable()).toBeUndefined()
  now = 10 * 60_000 + 1
  expect(sessions.dispensable()).toBe('used')
  sessions.note('used', 'GET', false)
  expect(sessions.dispensable()).toBe('looked-at')
  sessions.keep('looked-at')
  expect(sessions.dispensable()).toBeUndefined()
})

test('reading the cards of 1,100 sessions leaves room for a test, and takes away none of its sessions', async () => {
  const mock = new MockServer()
  await mock.start()
  const own = await mock.session('own')
  for (let n = 0; n < 1_100; n++) {
    const answer = await fetch(`${mock.url}/__session/s${n}/.well-known/agent-card.json`)
    await answer.arrayBuffer()
    expect(answer.status).toBe(200)
  }
  await expect(mock.session('another')).resolves.toBeDefined()
  expect(await mock.session('own')).toBe(own)
  await mock.stop()
})
