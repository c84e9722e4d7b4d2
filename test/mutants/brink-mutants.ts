// Edges of requests and lists where an implementation is right almost everywhere.

import { isJsonObject, type JsonObject } from '../../src/model/json.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { BaseName } from './bases.ts'
import { frames, parsed } from './layer-edits.ts'
import { at, type Call, list, type Mutant, type Mutation, mutant, put, type Reply, text, word } from './mutant.ts'
import { JSON_TYPE, refusal } from './task-edits.ts'

/** The list request as the agent gets it, over both bindings. */
function listing(edit: (params: Record<string, string>, call: Call) => void): Mutation {
  return {
    request: (call) => {
      if (call.op !== 'listTasks') return
      const url = new URL(call.path, 'http://inner')
      const params = call.isRpc
        ? Object.fromEntries(Object.entries(call.params).map(([name, value]) => [name, word(value)]))
        : Object.fromEntries(url.searchParams)
      const before = { ...params }
      edit(params, call)
      for (const name of new Set([...Object.keys(before), ...Object.keys(params)])) {
        if (before[name] === params[name]) continue
        if (call.isRpc) put(call.body, `params.${name}`, params[name])
        else if (params[name] === undefined) url.searchParams.delete(name)
        else url.searchParams.set(name, params[name])
      }
      if (!call.isRpc) call.path = `${url.pathname}${url.search}`
    },
  }
}

/** Pages are counted off from the front, so that they move when a task is added. */
function offsetPages(): Mutation {
  return {
    answer: async (call) => {
      if (call.op !== 'listTasks') return undefined
      const size = Number(call.params.pageSize ?? 50)
      const token = text(call.params, 'pageToken')
      const known = /^offset-(\d+)$/.exec(token)
      if (!(size >= 1 && size <= 99) || (token !== '' && known === null)) return undefined
      const from = Number(known?.[1] ?? 0)
      const whole = await askForAll(call)
      const page = parsed(whole.text)
      const inside = call.isRpc ? at(page, 'result') : page
      if (!isJsonObject(inside) || !Array.isArray(inside.tasks)) return undefined
      const more = inside.tasks.length > from + size
      Object.assign(inside, {
        tasks: inside.tasks.slice(from, from + size),
        nextPageToken: more ? `offset-${from + size}` : '',
        pageSize: size,
      })
      return { ...whole, text: JSON.stringify(page) }
    },
  }
}

function askForAll(call: Call): Promise<Reply> {
  if (!call.isRpc) {
    const url = new URL(call.path, 'http://inner')
    url.searchParams.set('pageSize', '100')
    url.searchParams.delete('pageToken')
    return call.ask({ path: `${url.pathname}${url.search}` })
  }
  const { pageToken: _, ...params } = call.params
  const body = { ...(isJsonObject(call.body) ? call.body : {}), params: { ...params, pageSize: 100 } }
  return call.ask({ text: JSON.stringify(body) })
}

function refusing(isWrong: (call: Call) => boolean): Mutation {
  return { answer: (call) => (isWrong(call) ? refusal(call, 'This is not understood.') : undefined) }
}

/** Ids that count as false are forgotten on streams. */
function falsyIds(): Mutation {
  return frames((data) => {
    if (data.id === 0 || data.id === '') data.id = null
  })
}

/** An operation without the id of its task succeeds. */
function needsNoId(op: Operation, value: JsonObject | []): Mutation {
  return {
    answer: (call) => {
      if (call.op !== op || !call.isRpc || (text(call.params, 'id') || text(call.params, 'taskId')) !== '')
        return undefined
      const body = { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, result: value }
      return { status: 200, headers: JSON_TYPE, text: JSON.stringify(body) }
    },
  }
}

const isDeep = (value: unknown): boolean => JSON.stringify(value ?? null).includes('parleyUnknownMember')

export const brinkMutants: Mutant[] = [
  mutant('list-offset', 'Page tokens are offsets.', offsetPages()),
  mutant(
    'list-token-tail',
    'What follows a page token is ignored.',
    listing((params) => {
      if (params.pageToken !== undefined) params.pageToken = params.pageToken.replaceAll('!', '')
    }),
  ),
  mutant('list-token-brings-filter', 'A page token brings the filters it was made with.', {
    request: (call) => {
      const filter = call.memory.get(text(call.params, 'pageToken'))
      if (call.op !== 'listTasks' || typeof filter !== 'string') return
      if (call.isRpc) put(call.body, 'params.contextId', filter)
      else call.path = call.path.replace(/contextId=[^&]*/, `contextId=${filter}`)
    },
    result: {
      listTasks: (page, { memory, params }) => {
        const [token, filter] = [text(page, 'nextPageToken'), text(params, 'contextId')]
        if (token !== '' && filter !== '') memory.set(token, filter)
        return undefined
      },
    },
  }),
  mutant('list-page-of-one', 'A page of one has a token although no task is left.', {
    result: {
      listTasks: (page, { params }) => {
        const isLast = page.nextPageToken === '' && list(page, 'tasks').length === 1 && Number(params.pageSize) === 1
        return isLast ? put(page, 'nextPageToken', text(params, 'pageToken') || 'x') : undefined
      },
    },
  }),
  mutant(
    'list-context-any-case',
    'Context ids are compared without case.',
    listing((params) => {
      if (/^[0-9A-F-]{36}$/.test(params.contextId ?? '')) params.contextId = params.contextId?.toLowerCase() ?? ''
    }),
  ),
  mutant(
    'list-context-longer',
    'Only the beginning of the context filter counts.',
    listing((params) => {
      if (/^[0-9a-f-]{37}$/.test(params.contextId?.replace(/x$/, '0') ?? ''))
        params.contextId = params.contextId?.slice(0, 36) ?? ''
    }),
  ),
  mutant(
    'list-time-by-minute',
    'The time filter counts in whole hours.',
    listing((params) => {
      const moment = params.statusTimestampAfter
      const isNow = moment !== undefined && Math.abs(Date.parse(moment) - Date.now()) < 60_000
      if (isNow) params.statusTimestampAfter = `${moment.slice(0, 13)}:00:00.000Z`
    }),
  ),
  mutant(
    'list-time-without-status',
    'The time filter is forgotten when there is one for the state.',
    listing((params) => {
      if (params.status !== undefined) delete params.statusTimestampAfter
    }),
  ),
  mutant('list-history-oldest', 'Lists keep the oldest messages.', {
    request: (call) => {
      if (call.op !== 'listTasks') return
      if (call.isRpc && Number(call.params.historyLength) === 1) put(call.body, 'params.historyLength', 100)
      else call.path = call.path.replace('historyLength=1', 'historyLength=100')
    },
    result: {
      listTasks: (page, { params }) => {
        if (Number(params.historyLength) !== 1) return undefined
        for (const task of list(page, 'tasks'))
          if (list(task, 'history').length > 1) put(task, 'history', list(task, 'history').slice(0, 1))
        return undefined
      },
    },
  }),
  ...(['spec', 'spec03'] as const).map((of: BaseName) =>
    mutant(
      `${of}-history-length-bounded`,
      'A historyLength above 500 is refused.',
      refusing(({ params }) => Number(params.historyLength) > 500),
      of,
    ),
  ),
  ...(['spec', 'spec03', 'legacy'] as const).map((of: BaseName) =>
    mutant(`${of}-stream-falsy-ids`, 'Ids 0 and "" are forgotten by streaming calls.', falsyIds(), of),
  ),
  mutant('id-null-numbered', 'A request with id null is answered under a number.', {
    reply: (reply, call) => {
      const body = parsed(reply.text)
      if (!isJsonObject(body) || !isJsonObject(call.body) || call.body.id !== null) return
      reply.text = JSON.stringify({ ...body, id: 1 })
    },
  }),
  ...(['push', 'push03'] as const).map((of: BaseName) =>
    mutant(
      `${of}-list-without-id`,
      'Push configurations of no task are an empty list.',
      needsNoId('listPushConfigs', of === 'push' ? { configs: [] } : []),
      of,
    ),
  ),
  mutant('legacy-cancel-without-id', 'Canceling no task succeeds.', needsNoId('cancelTask', {}), 'legacy'),
  mutant(
    'refuses-unknown-in-message',
    'Unknown members of messages are refused.',
    refusing(({ params }) => isDeep(params.message)),
  ),
  mutant(
    'refuses-unknown-in-configuration',
    'Unknown members of configurations are refused.',
    refusing(({ params }) => isDeep(params.configuration)),
  ),
  ...(['spec', 'spec03'] as const).map((of: BaseName) =>
    mutant(
      `${of}-refuses-charset`,
      'A Content-Type with a charset is refused.',
      refusing(({ headers }) => (headers['content-type'] ?? '').includes(';')),
      of,
    ),
  ),
  mutant('rest-path-undecoded', 'Percent-encoded letters of paths are not decoded.', {
    request: (call) => {
      if (!call.isRpc) call.path = call.path.replace(/(\/tasks\/)%/, '$1%25')
    },
  }),
  mutant(
    'extension-header-exact',
    'The header of extensions is only found in one spelling.',
    {
      request: (call) => {
        if (call.spelling['a2a-extensions'] !== undefined && call.spelling['a2a-extensions'] !== 'A2A-Extensions')
          delete call.headers['a2a-extensions']
      },
    },
    'extension',
  ),
]
