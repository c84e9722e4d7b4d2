// What was said, as files that say it again: a mock script that answers as the agent did, and a test case that expects it.
// Ids and times of the recorded agent are left out; whoever plays them fills in its own.

import { stringify } from 'yaml'
import type { StreamEvent } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import { isSettled } from '../model/state-machine.ts'
import { type Artifact, type Part, type TaskStatus, textOf } from '../model/task.ts'
import type { Redactor } from '../trace/redact.ts'
import { badRequest } from './asked.ts'
import type { TurnView } from './views.ts'

interface Exchanged {
  sent: NonNullable<TurnView['sent']>
  events: readonly StreamEvent[]
}

/** The turns of one task, in order; one that begins a task begins a conversation. */
function conversationsOf(turns: readonly TurnView[]): Exchanged[][] {
  const conversations: Exchanged[][] = []
  const byTask = new Map<string, Exchanged[]>()
  for (const { sent, events } of turns) {
    if (sent === undefined || events.length === 0) continue
    const known = sent.taskId === undefined ? undefined : byTask.get(sent.taskId)
    const conversation = known ?? []
    if (known === undefined) conversations.push(conversation)
    conversation.push({ sent, events })
    for (const event of events) {
      const id = 'task' in event ? event.task.id : 'statusUpdate' in event ? event.statusUpdate.taskId : undefined
      if (id !== undefined) byTask.set(id, conversation)
    }
  }
  if (conversations.length === 0) throw badRequest('Nothing was said yet that could be saved.')
  return conversations
}

export function scriptOf(turns: readonly TurnView[], agent: string, redactor: Redactor): string {
  return redactor.registered(stringify({ agent: { name: agent }, rules: rulesOf(turns) }))
}

function rulesOf(turns: readonly TurnView[]): JsonObject[] {
  return conversationsOf(turns).map((conversation, at) => {
    const text = textOf(conversation[0]?.sent)
    return {
      id: `conversation-${at + 1}`,
      ...(text === '' ? {} : { match: { text: { equals: text } } }),
      turns: turnsOf(conversation),
    }
  })
}

/** The steps of each turn; what a task brought along from the turns before is not said again. */
function turnsOf(conversation: readonly Exchanged[]): JsonObject[][] {
  const known = new Set<string>()
  return conversation.map(({ events }) =>
    events.flatMap((event, at) => {
      const steps = stepsOf(event, known, at === events.length - 1)
      if ('artifactUpdate' in event) known.add(event.artifactUpdate.artifact.artifactId)
      return steps
    }),
  )
}

function stepsOf(event: StreamEvent, known: Set<string>, isLast: boolean): JsonObject[] {
  if ('message' in event) return [{ message: { parts: plain(event.message.parts) } }]
  if ('statusUpdate' in event) return statusSteps(event.statusUpdate.status)
  if ('artifactUpdate' in event) {
    const { artifact, append, lastChunk } = event.artifactUpdate
    return [artifactStep(artifact, { ...(append ? { append } : {}), ...(lastChunk ? { lastChunk } : {}) })]
  }
  // At the beginning of a stream a task only says where it stands.
  if (!isLast) return []
  const { status, artifacts = [] } = event.task
  const fresh = artifacts.filter(({ artifactId }) => !known.has(artifactId))
  for (const { artifactId } of fresh) known.add(artifactId)
  return [
    ...fresh.map((artifact) => artifactStep(artifact, {})),
    ...(isSettled(status.state) ? statusSteps(status) : []),
  ]
}

function statusSteps({ state, message }: TaskStatus): JsonObject[] {
  const name = state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-')
  // That a task was taken is the mock's own to say.
  if (name === 'submitted') return []
  return [{ status: name, ...(message === undefined ? {} : { parts: plain(message.parts) }) }]
}

function artifactStep({ artifactId, name, description, parts }: Artifact, more: JsonObject): JsonObject {
  const artifact = {
    artifactId,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    parts: plain(parts),
  }
  return { event: { artifactUpdate: { artifact, ...more } } }
}

/** Without members that are undefined. */
function plain(parts: readonly Part[]): JsonObject[] {
  return JSON.parse(JSON.stringify(parts)) as JsonObject[]
}

export function caseOf(turns: readonly TurnView[], id: string, redactor: Redactor): string {
  const [conversation = []] = conversationsOf(turns).slice(-1)
  const [first, ...others] = conversation
  if (first === undefined) throw badRequest('Nothing was said yet that could be saved.')
  const text = stringify({
    test_case_id: id,
    description: `What was said in the inspector, beginning with: ${textOf(first.sent).slice(0, 60) || 'no text'}`,
    proxy: { artifacts: false },
    gateway_input: { parts: first.sent.parts.map(casePart) },
    ...(others.length === 0
      ? {}
      : {
          follow_ups: others.map(({ sent, events }) => ({
            parts: sent.parts.map(casePart),
            expected_gateway_output: expected(events),
          })),
        }),
    downstream_script: {
      rules: [{ id: 'conversation', turns: turnsOf(conversation) }],
    },
    expected_gateway_output: expected(first.events),
  })
  return redactor.registered(text)
}

function casePart(part: Part): JsonObject {
  const named = {
    ...(part.filename === undefined ? {} : { filename: part.filename }),
    ...(part.mediaType === undefined ? {} : { mime_type: part.mediaType }),
  }
  if ('text' in part) return { text: part.text }
  if ('data' in part) return { data: part.data }
  return 'url' in part ? { url: part.url, ...named } : { bytes_base64: part.raw, ...named }
}

/** The last word of the turn, and what was in it. */
function expected(events: readonly StreamEvent[]): JsonObject[] {
  const last = events.at(-1)
  if (last === undefined || 'artifactUpdate' in last) return []
  const message =
    'message' in last ? last.message : 'task' in last ? last.task.status.message : last.statusUpdate.status.message
  const state = 'message' in last ? 'message' : stateName('task' in last ? last.task.status : last.statusUpdate.status)
  const text = textOf(message)
  return [
    {
      type: 'final_response',
      task_state: state,
      ...(text === '' ? {} : { content_parts: [{ type: 'text', text_contains: text }] }),
    },
  ]
}

function stateName({ state }: TaskStatus): string {
  return state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-')
}
