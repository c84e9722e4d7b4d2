import { expect, test } from 'vitest'
import { RemoteWakeBus } from './remote-bus.ts'

const LONG_MS = 1_000_000

test('a topic alone leaves at once, and those that follow it travel together', async () => {
  const sent: string[][] = []
  const followed = Promise.withResolvers<void>()
  const bus = await RemoteWakeBus.open(
    async () => ({
      publish: async (text) => {
        const [, ...topics] = JSON.parse(text) as string[]
        sent.push(topics)
        // On a busy machine a turn may outlast the pause.
        if (['a', 'b', 'c'].every((topic) => sent.flat().includes(topic))) followed.resolve()
      },
      close: async () => {},
    }),
    LONG_MS,
  )
  bus.wake('first')
  await Promise.resolve()
  await Promise.resolve()
  expect(sent).toEqual([['first']])
  for (const topic of ['a', 'b', 'a', 'c']) {
    bus.wake(topic)
    await new Promise((resolve) => setImmediate(resolve))
  }
  // The timer of the pause does not keep a process alive; a test has to.
  const alive = setInterval(() => {}, LONG_MS)
  await followed.promise
  clearInterval(alive)
  await bus.close()
  expect(new Set(sent.flat())).toEqual(new Set(['a', 'b', 'c', 'first']))
})

test('what only this process can be waiting for travels nowhere, and wakes its readers', async () => {
  const sent: string[] = []
  const publish = async (text: string) => void sent.push(text)
  const bus = await RemoteWakeBus.open(async () => ({ publish, close: async () => {} }), LONG_MS)
  const woken = new Promise<void>((resolve) => void bus.onWake('new', resolve))
  bus.wakeHere?.('new')
  await woken
  expect(sent).toEqual([])
  await bus.close()
})
