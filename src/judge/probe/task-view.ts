// The tasks inside something an agent sent, each with what the place it was sent in has to show of it: a list may
// leave artifacts out, an event of a status shows nothing but the status.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { TaskState } from '../../model/task.ts'
import { type Exchange, isGrpcRequest } from '../../trace/exchange.ts'
import type { Observation } from './observation.ts'
import { listAt, objectAt, type RawArtifact, type RawTask, rawEvent, rawSendResult, rawTask } from './raw.ts'

export interface TaskView {
  id: string
  contextId: string | undefined
  state: TaskState | undefined
  timestamp: string | undefined
  how: 'send' | 'get' | 'cancel' | 'list' | 'event' | 'push'
  /** Of the artifacts that are seen here. */
  artifactIds: readonly string[]
  /** Members that are complete here; `status.message` is a member of a member. */
  shows: readonly string[]
  json: JsonObject
  pointer: string
}

/** A status that was streamed is not compared: its message need not be kept (1.0 §3.7). */
const HEAD = ['contextId', 'status.timestamp', 'status.message', 'metadata']
const WHOLE = [...HEAD, 'artifacts']

export function viewsIn(observation: Observation): TaskView[] {
  const { kind, value, exchange, op } = observation
  if (kind === 'sendResult') {
    const sent = rawSendResult(value, '')
    return sent !== undefined && 'task' in sent ? [viewOf(sent.task, 'send', WHOLE)] : []
  }
  if (kind === 'task') {
    const task = rawTask(value, '')
    if (task === undefined) return []
    if (op === 'cancelTask') return [viewOf(task, 'cancel', WHOLE)]
    return [viewOf(task, 'get', limitsHistory(exchange) ? WHOLE : [...WHOLE, 'history'])]
  }
  if (kind === 'taskList') {
    const shows = asksForArtifacts(exchange) ? WHOLE : HEAD
    return (listAt(value, 'tasks') ?? []).flatMap((item, at) => {
      const task = rawTask(item, `/tasks/${at}`)
      return task === undefined ? [] : [viewOf(task, 'list', shows)]
    })
  }
  if (kind === 'event') return viewOfEvent(value, 'event')
  return kind === 'notification' ? viewOfEvent(value, 'push') : []
}

function viewOf(task: RawTask, how: TaskView['how'], shows: readonly string[]): TaskView {
  const { id, contextId, state, timestamp, artifacts, json, pointer } = task
  return { id, contextId, state, timestamp, how, shows, artifactIds: idsOf(artifacts), json, pointer }
}

function viewOfEvent(value: JsonValue, how: 'event' | 'push'): TaskView[] {
  const { kind, task, taskId, contextId, state, timestamp, artifact } = rawEvent(value, 0)
  if (task !== undefined) return [viewOf(task, how, WHOLE)]
  if (taskId === undefined || (kind !== 'status' && kind !== 'artifact')) return []
  const member = kind === 'status' ? 'statusUpdate' : 'artifactUpdate'
  const wrapped = objectAt(value, member)
  const json = wrapped ?? (isJsonObject(value) ? value : {})
  const pointer = wrapped === undefined ? '' : `/${member}`
  const artifactIds = idsOf(artifact === undefined ? [] : [artifact])
  return [{ id: taskId, contextId, state, timestamp, how, shows: [], artifactIds, json, pointer }]
}

function idsOf(artifacts: readonly RawArtifact[]): string[] {
  return artifacts.flatMap(({ id }) => id ?? [])
}

function asksForArtifacts(exchange: Exchange): boolean {
  return /includeArtifacts"?[=:]\s*true/.test(wordsOf(exchange))
}

function limitsHistory(exchange: Exchange): boolean {
  return wordsOf(exchange).includes('historyLength')
}

/** What the request asks for, as a query or as parameters. */
function wordsOf({ request }: Exchange): string {
  if (isGrpcRequest(request)) return request.message ?? ''
  return `${URL.parse(request.url)?.search ?? ''} ${new TextDecoder().decode(request.body)}`
}
