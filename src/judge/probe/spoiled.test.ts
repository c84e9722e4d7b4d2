import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../model/json.ts'
import type { Exchange } from '../../trace/exchange.ts'
import { IssueCollector, type Knowledge, type Observation } from './observation.ts'
import { Said } from './said.ts'
import { Spoiled } from './spoiled.ts'

const EXCHANGE: Exchange = {
  id: 'x',
  startedAt: '2026-01-01T00:00:00.000Z',
  request: { method: 'POST', url: 'http://127.0.0.1/', headers: [], body: new Uint8Array() },
}

function said(messageId: string, parts: JsonValue): JsonObject {
  return { messageId, role: 'ROLE_USER', parts }
}

function task(id: string, history: JsonObject[]): JsonObject {
  return { id, status: { state: 'TASK_STATE_COMPLETED' }, history }
}

function seen(value: JsonValue, kind: Observation['kind'] = 'task'): Observation {
  return { kind, generation: '1.0', binding: 'jsonrpc', value, pointer: '/result', exchange: EXCHANGE }
}

const NOTHING_ELSE: Knowledge = {
  comparison: { compared: new Set(), contradictions: [] },
  secrets: [],
  said: new Said(),
}

/** Complains about everything named by these pointers. */
function watching(spoiled: Spoiled, ...pointers: string[]): IssueCollector {
  return new IssueCollector(() => pointers.map((pointer) => ({ pointer, message: 'is wrong' })), spoiled)
}

describe('what was sent wrong on purpose', () => {
  test('is not held against the agent in a history', () => {
    const spoiled = new Spoiled()
    spoiled.sent({ params: { message: said('ours', [{}]) } })
    const collector = watching(spoiled, '/history/0/parts/0', '/history/1/parts/0')
    collector.look(seen(task('t', [said('ours', [{}]), said('theirs', [{}])])), NOTHING_ELSE)
    expect(collector.issues.map(({ pointer }) => pointer)).toEqual(['/result/history/1/parts/0'])
  })

  test('is not held against the agent in a list of tasks, when the message had no id', () => {
    const spoiled = new Spoiled()
    spoiled.sent({ message: { role: 'ROLE_BOSS', parts: [] } })
    spoiled.answered({ task: task('ours', []) })
    const collector = watching(spoiled, '/tasks/0/history/0/role')
    collector.look(seen({ tasks: [task('ours', [said('x', [])]), task('other', [])] }, 'taskList'), NOTHING_ELSE)
    expect(collector.issues).toEqual([])
  })

  test('is not held against the agent in a notification that came before the answer', () => {
    const spoiled = new Spoiled()
    const collector = watching(spoiled, '/statusUpdate/status/message')
    collector.look(seen({ statusUpdate: { taskId: 'ours', status: { message: {} } } }, 'notification'), NOTHING_ELSE)
    expect(collector.issues).toHaveLength(1)
    spoiled.answered({ task: task('ours', []) })
    expect(collector.issues).toEqual([])
  })

  test('does not hide the same fault elsewhere', () => {
    const spoiled = new Spoiled()
    spoiled.answered(task('ours', []))
    const collector = watching(spoiled, '/status')
    collector.look(seen(task('ours', [])), NOTHING_ELSE)
    collector.look(seen(task('other', [])), NOTHING_ELSE)
    expect(collector.issues).toMatchObject([{ pointer: '/result/status', times: 1 }])
  })

  test('is not held against the agent either when another run sent it', () => {
    const made = new Set<string>()
    const collector = watching(new Spoiled(made), '/tasks/0/history/0/role', '/tasks/1/history/0/role')
    collector.look(seen({ tasks: [task('older', [{}]), task('ours', [{}])] }, 'taskList'), NOTHING_ELSE)
    made.add('ours')
    expect(collector.issues.map(({ pointer }) => pointer)).toEqual(['/result/tasks/1/history/0/role'])
  })

  test('does not excuse what the agent itself said in a task of another run', () => {
    const collector = watching(new Spoiled(new Set()), '/history/0/parts')
    collector.look(seen(task('older', [{ messageId: 'm', role: 'ROLE_AGENT' }])), NOTHING_ELSE)
    expect(collector.issues).toHaveLength(1)
  })

  test('does not push a fault out of kind by being frequent', () => {
    const made = new Set(['ours'])
    const collector = watching(new Spoiled(made), '/history/0/role')
    for (let at = 0; at < 20; at++) collector.look(seen(task(`older ${at}`, [{}])), NOTHING_ELSE)
    collector.look(seen(task('ours', [{}])), NOTHING_ELSE)
    expect(collector.issues).toHaveLength(1)
  })
})
