import { expect, test } from 'vitest'
import { GroupCommit } from './group-commit.ts'

/** Counts transactions, and keeps what they did only if nothing in them failed. */
function counting() {
  const kept: string[] = []
  let transactions = 0
  let made: string[] = []
  const commits = new GroupCommit((work) => {
    transactions++
    made = []
    work()
    kept.push(...made)
  })
  const write = (text: string) => () => {
    if (text === 'bad') throw new Error('bad')
    made.push(text)
    return text
  }
  return { commits, write, kept, transactions: () => transactions }
}

test('writes of one turn of the event loop share a transaction, in their order', async () => {
  const { commits, write, kept, transactions } = counting()
  const results = await Promise.all(['a', 'b', 'c'].map((text) => commits.run(write(text))))
  expect(results).toEqual(['a', 'b', 'c'])
  expect(kept).toEqual(['a', 'b', 'c'])
  expect(transactions()).toBe(1)
})

test('one that fails fails alone', async () => {
  const { commits, write, kept } = counting()
  const results = await Promise.allSettled(['a', 'bad', 'c'].map((text) => commits.run(write(text))))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(kept).toEqual(['a', 'c'])
})

test('nobody hears of a write before it is committed', async () => {
  let isCommitted = false
  const commits = new GroupCommit((work) => {
    work()
    isCommitted = true
  })
  await commits.run(() => {})
  expect(isCommitted).toBe(true)
})

test('many are more than one transaction, so that readers get their turn', async () => {
  const { commits, write, kept, transactions } = counting()
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => commits.run(write(`${n}`))))
  expect(kept).toHaveLength(1_000)
  expect(transactions()).toBeGreaterThan(1)
})

test('what is waiting can be committed at once', async () => {
  const { commits, write, kept } = counting()
  const written = commits.run(write('a'))
  commits.flush()
  expect(kept).toEqual(['a'])
  expect(await written).toBe('a')
})
