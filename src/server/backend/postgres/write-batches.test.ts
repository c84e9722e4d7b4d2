import { expect, test } from 'vitest'
import { type Write, WriteBatches } from './write-batches.ts'

interface Named extends Write {
  readonly task: string
}

const inTime = () => false
const write = (task: string, size = 1): Named => ({ task, size })
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Keeps the statements until they are answered. */
function statements() {
  const sent: { tasks: string[]; answer: (places: readonly number[]) => void; fail: (error: Error) => void }[] = []
  const batches = new WriteBatches<Named>((writes) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlySet<number>>()
    const answer = (places: readonly number[]) => resolve(new Set(places))
    sent.push({ tasks: writes.map(({ task }) => task), answer, fail: reject })
    return promise
  })
  return { batches, sent }
}

test('writes of one turn of the event loop are one statement, and each learns its own fate', async () => {
  const { batches, sent } = statements()
  const made = Promise.all(['a', 'b', 'c'].map((task) => batches.run(write(task), inTime)))
  await turn()
  expect(sent.map(({ tasks }) => tasks)).toEqual([['a', 'b', 'c']])
  sent[0]?.answer([1, 3])
  expect(await made).toEqual([true, false, true])
})

test('two writes to one task are not in one statement', async () => {
  const { batches, sent } = statements()
  for (const task of ['a', 'a', 'b']) void batches.run(write(task), inTime)
  await turn()
  expect(sent.map(({ tasks }) => tasks)).toEqual([['a', 'b'], ['a']])
})

test('what comes while two statements are under way gathers', async () => {
  const { batches, sent } = statements()
  for (const task of ['a', 'b', 'c', 'd']) {
    void batches.run(write(task), inTime)
    await turn()
  }
  expect(sent.map(({ tasks }) => tasks)).toEqual([['a'], ['b']])
  sent[0]?.answer([1])
  await turn()
  expect(sent.map(({ tasks }) => tasks)).toEqual([['a'], ['b'], ['c', 'd']])
})

test('a large write does not take others with it', async () => {
  const { batches, sent } = statements()
  for (const task of ['a', 'b']) void batches.run(write(task, 3_000_000), inTime)
  await turn()
  expect(sent.map(({ tasks }) => tasks)).toEqual([['a'], ['b']])
})

test('when a statement fails each of its writes is made again alone', async () => {
  const { batches, sent } = statements()
  const made = Promise.allSettled(['a', 'bad', 'c'].map((task) => batches.run(write(task), inTime)))
  await turn()
  sent[0]?.fail(new Error('invalid input'))
  await turn()
  for (const { tasks, answer, fail } of sent.slice(1))
    if (tasks[0] === 'bad') fail(new Error('bad'))
    else answer([1])
  expect((await made).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('a connection that breaks is told to all: they know whether to try again', async () => {
  const { batches, sent } = statements()
  const made = Promise.allSettled(['a', 'b'].map((task) => batches.run(write(task), inTime)))
  await turn()
  sent[0]?.fail(Object.assign(new Error('gone'), { code: 'ECONNRESET' }))
  expect((await made).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(sent).toHaveLength(1)
})

test('what nobody waits for any more is not begun', async () => {
  const { batches, sent } = statements()
  const made = Promise.allSettled([batches.run(write('late'), () => true), batches.run(write('a'), inTime)])
  await turn()
  expect(sent.map(({ tasks }) => tasks)).toEqual([['a']])
  sent[0]?.answer([1])
  expect((await made).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})
