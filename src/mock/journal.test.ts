import { describe, expect, test, vi } from 'vitest'
import { describeEntry, Journal, type JournalEntry } from './journal.ts'

function entry(journal: Journal, more: Partial<JournalEntry> = {}): JournalEntry {
  return {
    number: journal.nextNumber(),
    receivedAt: '2026-01-01T00:00:00.000Z',
    method: 'POST',
    url: '/',
    requestHeaders: [],
    requestBody: Buffer.alloc(0),
    requestJson: undefined,
    operation: 'sendMessage',
    rule: undefined,
    turn: undefined,
    taskId: undefined,
    contextId: undefined,
    unmatched: undefined,
    fault: undefined,
    status: 200,
    responseHeaders: [],
    responseBody: Buffer.alloc(0),
    frames: [],
    outcome: 'answered',
    durationMs: 1,
    ...more,
  }
}

function journalOf(...entries: Partial<JournalEntry>[]): Journal {
  const journal = new Journal()
  for (const more of entries) journal.add(entry(journal, more))
  return journal
}

const PLAYED = { turn: 0 }

describe('finding', () => {
  const journal = journalOf(
    { operation: 'getCard' },
    { rule: 'a', taskId: 't1' },
    { operation: 'cancelTask', taskId: 't1' },
    { unmatched: { message: 'none fits', nearest: undefined } },
  )

  test.each([
    [{}, [1, 2, 3, 4]],
    [{ operation: 'sendMessage' as const }, [2, 4]],
    [{ rule: 'a' }, [2]],
    [{ taskId: 't1' }, [2, 3]],
    [{ operation: 'cancelTask' as const, taskId: 't2' }, []],
  ])('%j', (filter, numbers) => {
    expect(journal.find(filter).map(({ number }) => number)).toEqual(numbers)
  })

  test('cancels and what had no answer', () => {
    expect(journal.cancels().map(({ number }) => number)).toEqual([3])
    expect(journal.unmatched().map(({ number }) => number)).toEqual([4])
  })

  test('numbers go on after a clear', () => {
    const journal = journalOf({}, {})
    journal.clear()
    expect(journal.entries).toEqual([])
    expect(journal.nextNumber()).toBe(3)
  })
})

describe('verifying', () => {
  const journal = journalOf({ rule: 'a', ...PLAYED }, { rule: 'b', ...PLAYED }, { rule: 'a', turn: 1 })

  test.each([
    ['a', {}, []],
    ['a', { times: 1 }, []],
    ['a', { times: { min: 1, max: 2 } }, []],
    ['b', { after: ['a'] }, []],
    ['c', {}, ["rule 'c' matched 0 times; expected at least 1"]],
    ['c', { times: 0 }, []],
    ['a', { times: 2 }, ["rule 'a' matched 1 time; expected 2"]],
    ['a', { times: { max: 0 } }, ["rule 'a' matched 1 time; expected 0"]],
    ['c', { times: 0, after: ['b'] }, ["rule 'c' did not match after 'b'"]],
    ['b', { after: ['c'] }, ["rule 'c' did not match"]],
  ])('%s %j', (rule, expectation, problems) => {
    expect(journal.verify(rule, expectation)).toEqual(problems)
  })

  test('plays are counted although their entries were let go', () => {
    const journal = new Journal()
    for (let i = 0; i < 2_500; i++) journal.add(entry(journal, { rule: 'a', ...PLAYED }))
    expect(journal.entries.length).toBeLessThanOrEqual(1_000)
    expect(journal.dropped).toBe(2_500 - journal.entries.length)
    expect(journal.entries.at(-1)?.number).toBe(2_500)
    expect(journal.verify('a', { times: 2_500 })).toEqual([])
  })
})

describe('waiting', () => {
  test('finds what is already there', async () => {
    await expect(journalOf({ rule: 'a' }).waitFor(({ rule }) => rule === 'a')).resolves.toMatchObject({ number: 1 })
  })

  test('is told of an entry that comes, and of one about which more is known', async () => {
    const journal = new Journal()
    const coming = journal.waitFor(({ operation }) => operation === 'getTask')
    const ended = journal.waitFor(({ outcome }) => outcome === 'cut')
    const open = entry(journal, { operation: 'getTask', outcome: 'open' })
    journal.add(open)
    await expect(coming).resolves.toBe(open)
    const cut = { ...open, outcome: 'cut' as const }
    journal.changed(cut)
    await expect(ended).resolves.toBe(cut)
  })

  test('ends with what the predicate throws, and the request does not notice', async () => {
    const journal = new Journal()
    const waiting = journal.waitFor(({ frames }) => frames[0]?.data === JSON.parse('no JSON'))
    const failed = expect(waiting).rejects.toThrow(SyntaxError)
    journal.add(entry(journal, { operation: 'getTask' }))
    await failed
    journal.add(entry(journal, { operation: 'getTask' }))
  })

  test('ends with what came instead', async () => {
    vi.useFakeTimers()
    try {
      const waiting = journalOf({ rule: 'a', ...PLAYED }).waitFor(() => false, 1_000)
      const failed = expect(waiting).rejects.toThrow(
        "Nothing the mock received within 1000 ms was what the test waits for; it received #1 sendMessage (rule 'a', turn 0) → 200.",
      )
      vi.advanceTimersByTime(1_000)
      await failed
    } finally {
      vi.useRealTimers()
    }
  })
})

test('whoever wants to know is told of requests that are over', () => {
  const told: number[] = []
  const journal = new Journal(({ number }) => told.push(number))
  const one = entry(journal)
  journal.add(one)
  expect(told).toEqual([])
  journal.finished(one)
  expect(told).toEqual([1])
})

test('an entry in a line', () => {
  const journal = new Journal()
  expect(describeEntry(entry(journal, { operation: undefined, url: '/x', status: 404 }))).toBe('#1 POST /x → 404')
  expect(describeEntry(entry(journal, { outcome: 'open' }))).toBe('#2 sendMessage → still open')
  expect(describeEntry(entry(journal, { outcome: 'cut', status: undefined }))).toBe('#3 sendMessage → cut')
})
