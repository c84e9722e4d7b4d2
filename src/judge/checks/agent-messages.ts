// The messages of the agent over a whole run: each has an id of its own, and belongs to the task it is shown with
// (1.0 §4.1.4).

import { isJsonObject, type JsonObject } from '../../model/json.ts'
import type { FoundIssue, Inspect, Observation, ObservationKind } from '../probe/observation.ts'
import { sameMeaning } from '../probe/proto-json.ts'
import { listAt, objectAt, textAt } from '../probe/raw.ts'
import type { Said } from '../probe/said.ts'
import { messagesIn } from './answers.ts'
import { area, observed, type PlacedCheck } from './check.ts'
import { isSameForm } from './unaltered.ts'

const TALK: readonly ObservationKind[] = ['sendResult', 'task', 'taskList', 'event', 'notification']

/** What each run has heard, by the id of the message. */
const heardIn = new WeakMap<Said, Map<string, JsonObject>>()

export const agentMessageChecks: PlacedCheck[] = area({ name: 'agent-messages', category: 'lifecycle', phase: 6 }, [
  observed(
    'message-ids-own',
    'SHOULD give every message of the agent a unique id',
    {
      proves: ['dm-message-id-unique'],
      // A message whose ids or parts are shown wrong looks like another message.
      needs: [
        'check:schema-task',
        'check:schema-event',
        'check:message-ids-unique',
        'check:task-context-constant',
        'check:send-task-ids',
        'check:stream-ids',
        'check:part-one-content',
      ],
      fix: 'Generate a messageId for every message when it is made; never take that of the message it answers.',
      causes: ['One id per process, context or agent.', 'The answer is a copy of the question with other parts.'],
    },
    TALK,
    repeatedIds(),
  ),
  observed(
    'message-task',
    'SHOULD set taskId and contextId of a message to those of its task',
    {
      proves: ['dm-message-task'],
      // Whoever lists tasks under other ids is told that.
      needs: ['check:task-context-constant', 'check:list-by-context'],
      fix: 'Set taskId and contextId of messages in a task to those of the task, or leave them out.',
      causes: ['A message is taken over from another task.', 'The context of the request, not of the task, is used.'],
    },
    TALK,
    (observation) => {
      const found = messagesOfTasks(observation)
      return found.length === 0 ? undefined : found.flatMap(strangeIds)
    },
  ),
])

function repeatedIds(): Inspect {
  return (observation, { said }) => {
    const heard = heardIn.get(said) ?? new Map<string, JsonObject>()
    heardIn.set(said, heard)
    const { own } = messagesIn(observation)
    if (own.length === 0) return undefined
    return own.flatMap(({ messageId, json, pointer }): FoundIssue[] => {
      if (messageId === undefined || messageId === '') return []
      const here = `${pointer}/messageId`
      if (said.message(messageId) !== undefined)
        return [{ pointer: here, message: 'is the id of a message of the client' }]
      const before = heard.get(messageId)
      heard.set(messageId, before ?? json)
      const isSame = before === undefined || !isSameForm(before, json) || isOne(before, json)
      return isSame ? [] : [{ pointer: here, message: 'is the id of another message of the agent' }]
    })
  }
}

/** The same message may be shown with and without the ids of its task. */
function isOne(a: JsonObject, b: JsonObject): boolean {
  const agrees = (name: string) => {
    const [one, other] = [textAt(a, name) ?? '', textAt(b, name) ?? '']
    return one === '' || other === '' || one === other
  }
  return sameMeaning(a.parts ?? a.content, b.parts ?? b.content) && agrees('taskId') && agrees('contextId')
}

interface Placed {
  message: JsonObject
  pointer: string
  taskId: string
  contextId: string
}

/** Messages of the agent in statuses and histories, with the task they stand in. */
function messagesOfTasks({ value }: Observation): Placed[] {
  const found: Placed[] = []
  const tasks: [JsonObject | undefined, string][] = [
    [isJsonObject(value) ? value : undefined, ''],
    [objectAt(value, 'task'), '/task'],
    [objectAt(value, 'statusUpdate'), '/statusUpdate'],
    ...(listAt(value, 'tasks') ?? []).map((task, at): [JsonObject | undefined, string] => [
      isJsonObject(task) ? task : undefined,
      `/tasks/${at}`,
    ]),
  ]
  for (const [task, pointer] of tasks) {
    const status = objectAt(task, 'status')
    if (task === undefined || status === undefined) continue
    const ids = {
      taskId: textAt(task, 'taskId') ?? textAt(task, 'id') ?? '',
      contextId: textAt(task, 'contextId') ?? '',
    }
    const said = objectAt(status, 'message')
    if (said !== undefined) found.push({ message: said, pointer: `${pointer}/status/message`, ...ids })
    for (const [at, message] of (listAt(task, 'history') ?? []).entries())
      if (isJsonObject(message) && /agent$/i.test(textAt(message, 'role') ?? ''))
        found.push({ message, pointer: `${pointer}/history/${at}`, ...ids })
  }
  return found
}

function strangeIds({ message, pointer, ...ids }: Placed): FoundIssue[] {
  return (['taskId', 'contextId'] as const).flatMap((name) => {
    const own = textAt(message, name) ?? ''
    if (own === '' || ids[name] === '' || own === ids[name]) return []
    return [{ pointer: `${pointer}/${name}`, message: `is not the ${name} of the task` }]
  })
}
