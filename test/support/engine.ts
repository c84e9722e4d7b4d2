// An engine on a memory store, with a clock that a test moves, and agents that wait for the test.

import { randomUUID } from 'node:crypto'
import type { Scope } from '../../src/model/scope.ts'
import { mayFollow } from '../../src/model/state-machine.ts'
import type { Message } from '../../src/model/task.ts'
import { DEFAULT_LIMITS } from '../../src/net/limits.ts'
import { openMemoryStore } from '../../src/server/backend/memory/tasks.ts'
import { openMemoryBus } from '../../src/server/bus/local-bus.ts'
import type { Agent, AgentContext } from '../../src/server/engine/agent.ts'
import type { EngineDeps } from '../../src/server/engine/engine-deps.ts'
import { TaskEngine } from '../../src/server/engine/task-engine.ts'
import { TurnRoom } from '../../src/server/engine/turn-room.ts'
import { manualClock } from './manual-clock.ts'

export const SCOPE: Scope = { agent: '/test', tenant: '', subject: 'alice' }
export const CUSTOMS = { mayFollow, hasDirectReplies: true, logsSubmission: false }

export function engineOf(agent: Agent, deps: Partial<EngineDeps> = {}) {
  const clock = manualClock()
  const store = openMemoryStore()
  const engine = new TaskEngine({
    ...{ agent, store, bus: openMemoryBus(), clock, rules: CUSTOMS },
    ...{ newId: () => randomUUID(), autoComplete: true, promoteAfterMs: 50, maxConcurrentTasks: 100, isShared: false },
    taskLimits: DEFAULT_LIMITS,
    room: new TurnRoom(DEFAULT_LIMITS),
    pageBytes: DEFAULT_LIMITS.pageBytes,
    ...deps,
  })
  return { engine, clock, store }
}

export function say(text: string, ids: Partial<Message> = {}) {
  return { message: { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }], ...ids } }
}

export async function taskOf(outcome: Promise<Awaited<ReturnType<TaskEngine['send']>>>) {
  const result = await outcome
  if ('message' in result) throw new Error('expected a task')
  return result.record.task
}

/** An agent that waits inside its turn until the test lets it go. */
export function pausedAgent(then: (context: AgentContext) => Promise<void>) {
  const started = Promise.withResolvers<AgentContext>()
  const go = Promise.withResolvers<void>()
  const agent: Agent = async (_message, context) => {
    await context.status('TASK_STATE_WORKING')
    started.resolve(context)
    await go.promise
    await then(context)
  }
  return { agent, started, go }
}
