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
        if (sent.length === 2) followed.resolve()
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
  expect(sent.flat().sort()).toEqual(['a', 'b', 'c', 'first'])
})
