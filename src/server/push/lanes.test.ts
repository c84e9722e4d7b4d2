import { expect, test } from 'vitest'
import { Lanes } from './lanes.ts'

/** Work that runs until it is told to end. */
function gates() {
  const open = new Map<string, () => void>()
  const started: string[] = []
  return {
    started,
    work: (name: string) => () => {
      started.push(name)
      return new Promise<void>((resolve) => void open.set(name, resolve))
    },
    async end(name: string) {
      open.get(name)?.()
      await new Promise<void>((resolve) => void setImmediate(resolve))
    },
  }
}

test('a lane that hangs keeps its own waiting and nobody else', async () => {
  const { started, work, end } = gates()
  const lanes = new Lanes({ total: 10, perLane: 2 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) lanes.add('a', name, work(name))
  lanes.add('b', 'b1', work('b1'))
  expect(started).toEqual(['a1', 'a2', 'b1'])
  expect(lanes.waiting).toBe(2)
  await end('a2')
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3'])
})

test('the total holds over all lanes, and what waited starts when any lane has room', async () => {
  const { started, work, end } = gates()
  const lanes = new Lanes({ total: 2, perLane: 2 })
  lanes.add('a', 'a1', work('a1'))
  lanes.add('b', 'b1', work('b1'))
  lanes.add('c', 'c1', work('c1'))
  expect(started).toEqual(['a1', 'b1'])
  await end('b1')
  expect(started).toEqual(['a1', 'b1', 'c1'])
})

test('what waits already is not added twice, and idle waits for all of it', async () => {
  const { started, work, end } = gates()
  const lanes = new Lanes({ total: 1, perLane: 1 })
  lanes.add('a', 'a1', work('a1'))
  lanes.add('a', 'a2', work('a2'))
  lanes.add('a', 'a2', work('a2'))
  let isIdle = false
  const idle = lanes.idle().then(() => {
    isIdle = true
  })
  await end('a1')
  expect(isIdle).toBe(false)
  await end('a2')
  await idle
  expect(started).toEqual(['a1', 'a2'])
  await lanes.idle()
})
