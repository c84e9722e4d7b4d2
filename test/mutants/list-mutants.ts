// Lists: pages, totals, order, filters and what the entries contain.

import type { JsonObject, JsonValue } from '../../src/model/json.ts'
import { at, type Call, list, type Mutant, type Mutation, mutant, put, text, word } from './mutant.ts'

/** Changes a page in place, or replaces it by what is returned. */
function lists(edit: (page: JsonObject, call: Call) => unknown): Mutation {
  return { result: { listTasks: (page, call) => edit(page, call) as JsonValue | undefined } }
}

/** Changes or removes a parameter of a list request over both bindings. */
function parameter(name: string, value: (before: JsonValue) => JsonValue | undefined): Mutation {
  return {
    request: (call) => {
      const before = call.params[name]
      if (call.op !== 'listTasks' || before === undefined) return
      const after = value(before)
      if (call.isRpc) {
        put(call.body, `params.${name}`, after)
        return
      }
      const url = new URL(call.path, 'http://inner')
      if (after === undefined) url.searchParams.delete(name)
      else url.searchParams.set(name, word(after))
      call.path = `${url.pathname}${url.search}`
    },
  }
}

const dropped = (name: string) => parameter(name, () => undefined)

export const listMutants: Mutant[] = [
  mutant('list-unauthorised', 'Lists are only for callers who signed in, although the card asks for nothing.', {
    answer: ({ op, isRpc, body }) => {
      if (op !== 'listTasks') return undefined
      const headers = { 'content-type': 'application/json' }
      const error = { code: -32603, message: 'unauthenticated' }
      const id = at(body, 'id') ?? null
      if (isRpc) return { status: 200, headers, text: JSON.stringify({ jsonrpc: '2.0', id, error }) }
      const rest = { code: 401, status: 'UNAUTHENTICATED', message: 'unauthenticated' }
      return { status: 401, headers, text: JSON.stringify({ error: rest }) }
    },
  }),
  mutant(
    'list-empty',
    'Lists are always empty.',
    lists((page) => void Object.assign(page, { tasks: [], totalSize: 0, nextPageToken: '' })),
  ),
  mutant(
    'list-no-tasks',
    'An empty list has no member tasks.',
    lists((page) => {
      if (list(page, 'tasks').length === 0) delete page.tasks
    }),
  ),
  mutant(
    'list-no-token',
    'The last page has no token.',
    lists((page) => {
      if (page.nextPageToken === '') delete page.nextPageToken
    }),
  ),
  mutant(
    'list-never-ends',
    'The last page has a token as well.',
    lists((page) => {
      if (page.nextPageToken === '') page.nextPageToken = 'more'
    }),
  ),
  mutant(
    'list-one-page',
    'There is never a next page.',
    lists((page) => put(page, 'nextPageToken', '')),
  ),
  mutant(
    'list-no-page-size',
    'The page size is missing.',
    lists((page) => void delete page.pageSize),
  ),
  mutant(
    'list-page-size-count',
    'pageSize is the number of tasks on the page.',
    lists((page) => put(page, 'pageSize', list(page, 'tasks').length)),
  ),
  mutant(
    'list-no-total',
    'The total is missing.',
    lists((page) => void delete page.totalSize),
  ),
  mutant(
    'list-total-page',
    'The total counts the page.',
    lists((page) => put(page, 'totalSize', list(page, 'tasks').length)),
  ),
  mutant(
    'list-total-text',
    'The total is a text.',
    lists((page) => put(page, 'totalSize', word(page.totalSize))),
  ),
  mutant(
    'list-unsorted',
    'Lists are sorted oldest first.',
    lists((page) => put(page, 'tasks', list(page, 'tasks').toReversed())),
  ),
  mutant(
    'list-token-on-full-page',
    'A page that holds all tasks has a token for another.',
    lists((page, { params }) => {
      const found = list(page, 'tasks')
      if (found.length > 0 && Number(params.pageSize) === found.length) put(page, 'nextPageToken', 'more')
    }),
  ),
  mutant(
    'list-sorted-by-id',
    'Lists are sorted by id.',
    lists((page) => {
      const found = list(page, 'tasks')
      const sorted = found.toSorted((a, b) => text(a, 'id').localeCompare(text(b, 'id')))
      // By chance it may be the right order.
      put(page, 'tasks', sorted.every((task, at) => task === found[at]) ? sorted.toReversed() : sorted)
    }),
  ),
  mutant(
    'list-page-overlap',
    'The first task of a listing appears on every page.',
    lists((page, { memory, params }) => {
      const [first] = list(page, 'tasks')
      const key = `first of ${text(params, 'contextId')}`
      if (text(params, 'pageToken') !== '') put(page, 'tasks.0', memory.get(key) ?? first)
      else if (first !== undefined) memory.set(key, first)
    }),
  ),
  mutant(
    'list-loses-one',
    'The last task of a page is lost.',
    lists((page) => {
      if (page.nextPageToken !== '') list(page, 'tasks').pop()
    }),
  ),
  mutant(
    'list-page-size-ignored',
    'pageSize is ignored.',
    parameter('pageSize', (size) => (Number(size) >= 1 && Number(size) <= 100 ? 100 : size)),
  ),
  mutant(
    'list-page-size-zero',
    'pageSize 0 means the default.',
    parameter('pageSize', (size) => (Number(size) < 1 ? 50 : size)),
  ),
  mutant('list-page-size-huge', 'pageSize 150 is granted.', {
    ...parameter('pageSize', (size) => (Number(size) > 100 ? 100 : size)),
    result: {
      listTasks: (page, call) => {
        if (Number(call.params.pageSize) > 100) page.pageSize = Number(call.params.pageSize)
        return undefined
      },
    },
  }),
  mutant('list-default-all', 'Without pageSize all tasks come.', {
    answer: async (call) => {
      if (call.op !== 'listTasks' || call.params.pageSize !== undefined || call.isRpc) return undefined
      const first = await call.ask({ path: `${call.path}${call.path.includes('?') ? '&' : '?'}pageSize=100` })
      return first
    },
  }),
  mutant('list-token-any', 'An unknown token gives the first page.', {
    request: (call) => {
      if (call.op !== 'listTasks' || !/garbage|invalid|parley|nonsense|not/i.test(text(call.params, 'pageToken')))
        return
      put(call.body, 'params.pageToken', undefined)
      const url = new URL(call.path, 'http://inner')
      url.searchParams.delete('pageToken')
      call.path = `${url.pathname}${url.search}`
    },
  }),
  mutant('list-token-forgets-filter', 'Later pages forget the filters.', {
    request: (call) => {
      if (call.op !== 'listTasks' || text(call.params, 'pageToken') === '') return
      put(call.body, 'params.contextId', undefined)
      put(call.body, 'params.status', undefined)
      const url = new URL(call.path, 'http://inner')
      url.searchParams.delete('contextId')
      url.searchParams.delete('status')
      call.path = `${url.pathname}${url.search}`
    },
  }),
  mutant('list-context-ignored', 'The context filter is ignored.', dropped('contextId')),
  mutant('list-status-ignored', 'The status filter is ignored.', dropped('status')),
  mutant(
    'list-status-lenient',
    'Unknown states in the filter match everything.',
    parameter('status', (state) =>
      /^TASK_STATE_(COMPLETED|WORKING|FAILED|CANCELED|SUBMITTED|INPUT_REQUIRED|REJECTED|AUTH_REQUIRED)$/.test(
        word(state),
      )
        ? state
        : undefined,
    ),
  ),
  mutant('list-time-ignored', 'The time filter is ignored.', dropped('statusTimestampAfter')),
  mutant(
    'list-time-exclusive',
    'The time filter leaves out the instant itself.',
    parameter('statusTimestampAfter', (time) => new Date(Date.parse(word(time)) + 1).toISOString()),
  ),
  mutant(
    'list-time-seconds',
    'The time filter takes whole seconds only.',
    parameter('statusTimestampAfter', (time) => (word(time).includes('.') ? 'never' : time)),
  ),
  mutant(
    'list-time-anything',
    'The time filter takes anything.',
    parameter('statusTimestampAfter', (time) => (Number.isNaN(Date.parse(word(time))) ? undefined : time)),
  ),
  mutant('list-with-artifacts', 'Lists always contain artifacts.', {
    request: (call) => {
      if (call.op !== 'listTasks') return
      if (call.isRpc) put(call.body, 'params.includeArtifacts', true)
      else call.path += `${call.path.includes('?') ? '&' : '?'}includeArtifacts=true`
    },
  }),
  mutant(
    'list-empty-artifacts',
    'Listed tasks have artifacts: [].',
    lists((page, call) => {
      if (word(call.params.includeArtifacts) !== 'true')
        for (const task of list(page, 'tasks')) put(task, 'artifacts', [])
    }),
  ),
  mutant('list-never-artifacts', 'includeArtifacts is ignored.', dropped('includeArtifacts')),
  mutant(
    'list-history-all',
    'Listed tasks always have two messages of history.',
    lists((page) => {
      const said = (messageId: string) => ({ messageId, role: 'ROLE_USER', parts: [{ text: 'x' }] })
      for (const task of list(page, 'tasks')) put(task, 'history', [said('a'), said('b')])
    }),
  ),
  mutant(
    'list-snake-case',
    'The members of lists are spelled like in the proto file.',
    lists((page) => ({
      tasks: page.tasks ?? [],
      next_page_token: page.nextPageToken ?? '',
      page_size: page.pageSize ?? 0,
      total_size: page.totalSize ?? 0,
    })),
  ),
  mutant(
    'list-bare',
    'A list is a bare array.',
    lists((page) => page.tasks),
  ),
  mutant(
    'list-drifts',
    'Two lists differ.',
    lists((page, { memory }) => {
      memory.set('count', Number(memory.get('count') ?? 0) + 1)
      for (const task of list(page, 'tasks'))
        put(task, 'metadata', { seen: at(memory.get('count'), '') ?? Number(memory.get('count')) })
    }),
  ),
  mutant('list-crash', 'Unusual forms of parameters crash the server.', {
    answer: (call) => {
      const { status, pageSize, pageToken, historyLength, context_id: proto } = call.params
      const isOdd = pageToken === null || proto !== undefined || typeof status === 'number'
      const isText = call.isRpc && (typeof pageSize === 'string' || typeof historyLength === 'string')
      if (call.op !== 'listTasks' || !(isOdd || isText)) return undefined
      const error = { code: -32603, message: 'Internal error' }
      const body = { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, error }
      return { status: 200, headers: { 'content-type': 'application/json' }, text: JSON.stringify(body) }
    },
  }),
]
