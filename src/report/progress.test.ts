import { describe, expect, test } from 'vitest'
import { resultWith } from '../../test/report/sample-report.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { Progress } from './progress.ts'
import { styleFor } from './style.ts'

function watch(isLive: boolean, columns = 100) {
  const clock = manualClock(0)
  let text = ''
  const progress = new Progress({
    write(more) {
      text += more
    },
    isLive,
    columns,
    style: styleFor(false),
    clock,
  })
  return {
    clock,
    progress,
    /** What was written since the last time. */
    written() {
      const so = text
      text = ''
      return so
    },
  }
}

const SEND = { label: 'SendMessage', timeoutMs: 60_000 }
const ERASE_LINE = '\r\u001b[2K'

describe('in a terminal', () => {
  test('a silent agent is announced from the first second, in one line', () => {
    const { clock, progress, written } = watch(true)
    progress.onPlan({ total: 262, writes: false, turns: 0 })
    progress.onCall(SEND)
    clock.advance(1_000)
    expect(written()).toBe(`${ERASE_LINE}0/262 checks, 0 failed  waiting for an answer to SendMessage, 1 s of 60 s`)
    clock.advance(11_000)
    const lines = written().split(ERASE_LINE)
    expect(lines).toHaveLength(12)
    expect(lines.at(-1)).toBe('0/262 checks, 0 failed  waiting for an answer to SendMessage, 12 s of 60 s')
  })

  test('in a narrow one it takes the whole line', () => {
    const { clock, progress, written } = watch(true, 50)
    progress.onPlan({ total: 262, writes: false, turns: 0 })
    progress.onCall(SEND)
    clock.advance(1_000)
    expect(written()).toBe(`${ERASE_LINE}waiting for an answer to SendMessage, 1 s of 60 s`)
  })

  test('the card is waited for before anything is planned', () => {
    const { clock, progress, written } = watch(true)
    progress.onCall({ label: 'GET /.well-known/agent-card.json', timeoutMs: 5_000 })
    clock.advance(2_000)
    expect(written()).toContain(`${ERASE_LINE}waiting for an answer to GET /.well-known/agent-card.json, 2 s of 5 s`)
  })

  test('what is waited for longest is named', () => {
    const { clock, progress, written } = watch(true)
    progress.onCall(SEND)
    clock.advance(5_000)
    const answered = progress.onCall({ label: 'GetTask', timeoutMs: 60_000 })
    clock.advance(1_000)
    answered()
    expect(written()).not.toContain('GetTask')
  })

  test('nothing is said of a quick agent, and no timer is left', () => {
    const { clock, progress, written } = watch(true)
    for (let at = 0; at < 10; at++) {
      const answered = progress.onCall(SEND)
      clock.advance(300)
      answered()
    }
    clock.advance(5_000)
    written()
    clock.advance(5_000)
    expect(written()).toBe('')
  })
})

describe('beforehand', () => {
  test('the turns of the agent are announced', () => {
    const { progress, written } = watch(false)
    progress.onPlan({ total: 262, writes: true, turns: 71 })
    expect(written()).toContain('This run creates tasks on the agent and takes about 71 turns of it.\n')
  })

  test('a serial agent gets an estimate', () => {
    const { progress, written } = watch(false)
    progress.onPace({ turns: 71, perTurnMs: 2_100, isSerial: true, totalMs: 71 * 2_100 })
    expect(written()).toBe('about 71 turns, 2.1 s each, one at a time: about 2.5 minutes\n')
  })

  test('a quick one does not need it', () => {
    const { progress, written } = watch(false)
    progress.onPace({ turns: 71, perTurnMs: 210, isSerial: false, totalMs: 2_000 })
    expect(written()).toBe('')
  })
})

describe('without a terminal', () => {
  test('a silent agent is announced after a second, and then every ten', () => {
    const { clock, progress, written } = watch(false)
    progress.onCall(SEND)
    clock.advance(1_000)
    expect(written()).toBe('waiting for an answer to SendMessage, 1 s of 60 s\n')
    clock.advance(9_000)
    expect(written()).toBe('')
    clock.advance(1_000)
    expect(written()).toBe('waiting for an answer to SendMessage, 11 s of 60 s\n')
  })

  test('an agent that answers something else meanwhile is not silent', () => {
    const { clock, progress, written } = watch(false)
    progress.onCall(SEND)
    for (let at = 0; at < 10; at++) {
      const answered = progress.onCall({ label: 'GetTask', timeoutMs: 60_000 })
      clock.advance(500)
      answered()
    }
    expect(written()).toBe('')
  })

  test('every failure has its line', () => {
    const { progress, written } = watch(false)
    progress.onPlan({ total: 2, writes: true, turns: 1 })
    progress.onResult(resultWith({ status: 'fail', verdict: 'fail', message: 'it\nfails' }))
    expect(written()).toMatch(/creates tasks[\s\S]*✗ get-task-unknown@1\.0\/jsonrpc {2}it fails\n$/)
  })
})

test('what a stopped run did not get to is no progress', () => {
  const { progress, written } = watch(false)
  progress.onPlan({ total: 200, writes: false, turns: 0 })
  for (let count = 0; count < 60; count++) progress.onResult(resultWith({ status: 'pass' }))
  for (let count = 0; count < 140; count++)
    progress.onResult(resultWith({ status: 'skip', verdict: 'not-measured', notRun: 'the run ended first' }))
  expect(written()).toBe('50/200 checks, 0 failed\n')
})
