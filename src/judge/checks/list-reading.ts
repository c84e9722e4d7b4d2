// Reading lists page by page, and the tasks that lists are asked for.

import { isJsonObject, type JsonValue } from '../../model/json.ts'
import type { ListTasksRequest } from '../../model/operation.ts'
import type { Answer } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { listAt, type RawTask, rawTask, textAt } from '../probe/raw.ts'

export const MANY = 5

/** Both ends of the page size alike: refused, or brought between 1 and 100. */
export async function outOfBounds(t: Probe, sizes: readonly number[]): Promise<void> {
  const changed: string[] = []
  for (const size of sizes) {
    const x = await t.call('listTasks', { pageSize: size })
    t.expectAnswered(x)
    if (x.error !== undefined) {
      t.expectError(x, 'InvalidParams')
      continue
    }
    const { tasks, pageSize } = read(t, x)
    const applied = Number(pageSize)
    t.expect(applied >= 1 && applied <= 100 && tasks.length <= 100, `the page size ${size} is applied`, {
      expected: 'a refusal, or a page size of 1 to 100',
      actual: `pageSize ${quote(pageSize)}, ${tasks.length} tasks`,
      pointer: `${x.resultPointer}/pageSize`,
      at: x,
    })
    changed.push(`${size} became ${applied}`)
  }
  if (changed.length > 0) t.conflict(28, `a page size out of bounds is not refused (${changed.join(', ')})`)
}

export interface Page {
  x: Answer
  tasks: RawTask[]
  nextPageToken: string | undefined
  pageSize: JsonValue | undefined
  totalSize: JsonValue | undefined
}

export async function list(t: Probe, request: ListTasksRequest): Promise<Page> {
  return read(t, await t.call('listTasks', request))
}

/** The same with the tasks of further pages, until there are so many: a page may be shorter than asked for. */
export async function listUpTo(t: Probe, request: ListTasksRequest, count: number): Promise<Page> {
  const first = await list(t, request)
  const tasks = [...first.tasks]
  for (let { nextPageToken: pageToken = '' } = first; pageToken !== '' && tasks.length < count; ) {
    const next = await list(t, { ...request, pageToken })
    if (next.tasks.length === 0) break
    tasks.push(...next.tasks)
    pageToken = next.nextPageToken ?? ''
  }
  return { ...first, tasks }
}

export function read(t: Probe, x: Answer): Page {
  const result = t.expectSuccess(x)
  const tasks = listAt(result, 'tasks')
  if (tasks === undefined || !isJsonObject(result)) {
    return t.fail('the result is not a list of tasks', {
      expected: '{"tasks": […]}',
      actual: quote(result),
      pointer: `${x.resultPointer}/tasks`,
      at: x,
    })
  }
  return {
    x,
    tasks: tasks.flatMap((task, at) => rawTask(task, `${x.resultPointer}/tasks/${at}`) ?? []),
    nextPageToken: textAt(result, 'nextPageToken'),
    pageSize: result.pageSize,
    totalSize: result.totalSize,
  }
}

/**
 * What was asked for, or less: the size is the one that was used (a2a.proto, ListTasksResponse). How many tasks are on the page
 * is no size, unless the page is full.
 */
export function isPageSize({ pageSize, tasks, nextPageToken = '' }: Page, asked: number): boolean {
  if (typeof pageSize !== 'number' || pageSize < 1 || pageSize > asked) return false
  return pageSize === asked || pageSize > tasks.length || (pageSize === tasks.length && nextPageToken !== '')
}

/** All pages of a listing; more than twice as many as there can be is a loop. */
export async function pages(t: Probe, request: ListTasksRequest): Promise<Page[]> {
  const found: Page[] = []
  let pageToken: string | undefined
  do {
    const page = await list(t, pageToken === undefined ? request : { ...request, pageToken })
    found.push(page)
    t.expect(found.length <= MANY * 2, 'the list does not end', {
      expected: 'an empty nextPageToken',
      actual: quote(page.nextPageToken),
      pointer: `${page.x.resultPointer}/nextPageToken`,
      at: page.x,
    })
    pageToken = page.nextPageToken
  } while (pageToken !== undefined && pageToken !== '')
  return found
}

export interface Population {
  contextId: string
  ids: string[]
}

/** Finished tasks in a context of their own, made once per surface. */
export function populated(t: Probe): Promise<Population> {
  return t.shared('a context with finished tasks', async (own) => {
    const { contextId, task: first } = await own.startInNewContext('task')
    const ids: string[] = []
    for (let count = 0; count < MANY; count++) {
      const { task } = count === 0 ? { task: first } : await own.startTask('task', { contextId })
      const done = await own.awaitTask(task.id, ({ state }) => state === 'TASK_STATE_COMPLETED')
      ids.push(own.keep(done).id)
    }
    return { contextId, ids }
  })
}
