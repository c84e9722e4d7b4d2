// A page of a caller's tasks as ListTasks answers it (1.0 §3.1.4): an overview, so history and artifacts stay out
// unless asked for. It is bounded by the size of its tasks too, so it may be shorter than asked for.

import { A2AError } from '../../model/errors.ts'
import type { ListTasksRequest } from '../../model/operation.ts'
import type { Scope } from '../../model/scope.ts'
import type { Task } from '../../model/task.ts'
import type { Page, TaskStore } from '../store/task-store.ts'
import { limitHistory, withoutArtifacts } from './history.ts'

const DEFAULT_PAGE_SIZE = 50
const MAX_PAGE_SIZE = 100

export type TaskPage = Page<Task> & { pageSize: number }

export async function listTasks(
  store: TaskStore,
  scope: Scope,
  request: ListTasksRequest,
  pageBytes: number,
): Promise<TaskPage> {
  const pageSize = request.pageSize ?? DEFAULT_PAGE_SIZE
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE_SIZE)
    throw new A2AError('InvalidParams', `pageSize must be between 1 and ${MAX_PAGE_SIZE}, not ${pageSize}.`, {
      issues: [{ pointer: '/pageSize', message: `must be between 1 and ${MAX_PAGE_SIZE}` }],
    })
  const page = await store.list(scope, {
    pageSize,
    pageBytes,
    ...(request.contextId ? { contextId: request.contextId } : {}),
    ...(request.status && request.status !== 'TASK_STATE_UNSPECIFIED' ? { state: request.status } : {}),
    ...(request.statusTimestampAfter ? { statusAfterMs: Date.parse(request.statusTimestampAfter) } : {}),
    ...(request.pageToken ? { pageToken: request.pageToken } : {}),
  })
  const items = page.items.map(({ task }) => {
    const lean = limitHistory(task, request.historyLength ?? 0)
    return request.includeArtifacts ? lean : withoutArtifacts(lean)
  })
  return { ...page, items, pageSize }
}
