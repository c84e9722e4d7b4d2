import { expect, test } from 'vitest'
import { engineOf, pausedAgent, SCOPE, say, taskOf } from '../../test/support/engine.ts'
import { LEGACY_CARD } from '../agents/cards.ts'
import { dialectById } from '../dialects/index.ts'
import { AgentService } from './agent-service.ts'
import { openMemoryStore } from './backend/memory/tasks.ts'
import type { TaskStore } from './store/task-store.ts'

test('the history of statuses ends with the status of the task, whatever happens while they are read', async () => {
  const memory = openMemoryStore()
  const { agent, started } = pausedAgent((ctx) => ctx.complete())
  // Somebody else writes to the task between the two looks at it.
  const store: TaskStore = {
    ...{ create: memory.create.bind(memory), append: memory.append.bind(memory), get: memory.get.bind(memory) },
    ...{ list: memory.list.bind(memory), unfinished: memory.unfinished.bind(memory), close: memory.close.bind(memory) },
    async readEvents(scope, id, after, limit) {
      const current = await memory.get(scope, id)
      const status = { state: 'TASK_STATE_INPUT_REQUIRED' as const, timestamp: '2026-01-01T00:00:00.000Z' }
      await memory.append(scope, id, current?.seq ?? 0, [{ statusUpdate: { taskId: id, contextId: '', status } }])
      return memory.readEvents(scope, id, after, limit)
    },
  }
  const { engine } = engineOf(agent, { store })
  const { id } = await taskOf(engine.send(SCOPE, say('go'), false, {}))
  await started.promise
  const card = { ...LEGACY_CARD, supportedInterfaces: [] }
  const service = new AgentService({ name: SCOPE.agent, card, engine })
  const call = { dialect: dialectById('0.1'), subject: SCOPE.subject, tenant: SCOPE.tenant, extensions: [] }
  const task = await service.call('getTask', { id }, call)
  expect(task.status.state).toBe('TASK_STATE_WORKING')
  expect(task).toMatchObject({ statusHistory: [{ state: 'TASK_STATE_WORKING' }] })
})
