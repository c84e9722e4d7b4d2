// A check that saw nothing has no verdict: neither a body that only asks, nor one whose list was empty, passes.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { area, check, type PlacedCheck } from '../../src/judge/checks/check.ts'
import { certify, resultsOf } from '../../src/judge/index.ts'
import type { Probe } from '../../src/judge/probe/probe.ts'
import type { ListeningPeer } from '../peers/listen.ts'
import { startTinyAgent } from './tiny-agent.ts'

let agent: ListeningPeer

beforeAll(async () => {
  agent = await startTinyAgent()
})
afterAll(() => agent.close())

function claiming(body: (t: Probe) => Promise<void>): PlacedCheck[] {
  const meta = { proves: ['get-task-current-state'], fix: 'Nothing.' }
  return area({ name: 'tried', category: 'lifecycle', phase: 3 }, [check('tried', 'MUST be tried', meta, body)])
}

async function verdictOf(body: (t: Probe) => Promise<void>) {
  const [result] = resultsOf(await certify(agent.url, { checks: claiming(body), timeoutMs: 5_000 }))
  return [result?.verdict, result?.message]
}

const NOTHING = ['not-measured', 'the agent sent nothing that this check could examine']

describe('a body that claims nothing', () => {
  test('because it only asks, is not measured', async () => {
    expect(await verdictOf(async (t) => t.expectAnswered(await t.send('task')))).toEqual(NOTHING)
  })

  test('because its list is empty, is not measured', async () => {
    const lookAtAll = async (t: Probe) => {
      const { task } = await t.startTask('task')
      for (const message of task.statusMessage === undefined ? [] : [task.statusMessage])
        t.expect(message.role === 'agent', 'the role is wrong')
    }
    expect(await verdictOf(lookAtAll)).toEqual(NOTHING)
  })

  test('because only its fixture was looked at, is not measured', async () => {
    expect(await verdictOf(async (t) => void (await t.finishedTask()))).toEqual(NOTHING)
  })

  test('because it only remarks on something, is not measured', async () => {
    expect(await verdictOf(async (t) => t.note('it is late'))).toEqual(NOTHING)
  })
})

describe('a body that claims something', () => {
  test('passes when it holds', async () => {
    expect(await verdictOf(async (t) => void t.taskOf(await t.send('task')))).toEqual(['pass', undefined])
  })

  test('passes when what came is allowed', async () => {
    expect(await verdictOf(async (t) => t.allow('this is one of two ways'))).toEqual(['pass', undefined])
  })
})
