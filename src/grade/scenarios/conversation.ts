// What a client keeps of a conversation: contexts, tasks and references (1.0 §3.4).

import { listAt, textAt } from '../../model/json.ts'
import type { Agent } from '../../server/index.ts'
import { type Scenario, SINCE_0_3, surfaceKey } from '../scenario.ts'

const asksBack: Agent = async (_message, context) => {
  if (context.task === undefined) {
    await context.requireInput('Which city?')
    return
  }
  await context.artifact({ artifactId: 'answer', parts: [{ text: 'Sunny.' }] })
  await context.complete()
}

export const conversation: readonly Scenario[] = [
  {
    id: 'conversation-input-required',
    area: 'conversation',
    about: 'The agent asks for input before it can finish.',
    on: SINCE_0_3,
    intent: () => ({ do: 'continue', text: 'weather', reply: 'Paris' }),
    world: () => ({ agent: asksBack }),
    claims: [
      {
        id: 'client-answers-same-task',
        title: 'MUST answer a question of the agent within the same task',
        proves: ['client-continue-input-required', 'client-task-id-existing'],
        cites: ['gemini-cli #22724'],
        fix: 'Send the taskId of the task that waits for input with the next message.',
        judge(e) {
          const [, second] = e.sent
          e.need(second !== undefined, 'the client sent a single message')
          const id = textAt(second?.message, 'taskId')
          e.expect(id !== undefined && id !== '', 'the second message names no taskId', second)
          e.expect(
            id === e.stage.firstTaskId,
            `the second message is for task ${id}, not for the one that asked`,
            second,
          )
        },
      },
      {
        id: 'client-keeps-context',
        title: 'MUST stay in the context of the task it answers',
        proves: ['client-continue-input-required', 'client-context-opaque'],
        cites: ['gemini-cli #22724'],
        fix: 'Keep the contextId of the first answer and send it unchanged, or leave it to the taskId alone.',
        judge(e) {
          const [, second] = e.sent
          e.need(second !== undefined, 'the client sent a single message')
          const id = textAt(second?.message, 'contextId')
          e.expect(
            id === undefined || id === '' || id === e.stage.firstContextId,
            `the second message is in context ${id}, not in that of the task`,
            second,
          )
        },
      },
      {
        id: 'client-finishes-conversation',
        title: 'MUST understand the answer to its second message',
        proves: ['client-handles-both-results'],
        fix: 'Treat the answer to a follow-up like any other.',
        judge(e) {
          e.need(e.sent.length > 1, 'the client sent a single message')
          e.expectSuccess()
          e.expectText('Sunny.')
        },
      },
    ],
  },
  {
    id: 'conversation-after-terminal',
    area: 'conversation',
    about: 'The first task has ended when the user sends the next message.',
    on: SINCE_0_3,
    intent: () => ({ do: 'continue', text: 'first', reply: 'second' }),
    world: () => ({}),
    claims: [
      {
        id: 'client-new-task-after-end',
        title: 'MUST begin a new task when the earlier one has ended',
        proves: ['client-new-task-after-terminal'],
        fix: 'Leave taskId out once a task is completed, failed, canceled or rejected.',
        judge(e) {
          const [, second] = e.sent
          e.need(second !== undefined, 'the client sent a single message')
          const id = textAt(second?.message, 'taskId')
          e.expect(id === undefined || id === '', `the client wrote to the finished task ${id}`, second)
        },
      },
      {
        id: 'client-same-context-after-end',
        title: 'SHOULD continue in the same context',
        proves: ['client-context-opaque', 'client-new-task-after-terminal'],
        cites: ['gemini-cli #22724'],
        fix: 'Send the contextId of the first answer with the next message of the conversation.',
        judge(e) {
          const [, second] = e.sent
          e.need(second !== undefined, 'the client sent a single message')
          const id = textAt(second?.message, 'contextId')
          e.expect(
            id === e.stage.firstContextId,
            `the second message has the contextId ${JSON.stringify(id ?? null)}`,
            second,
          )
        },
      },
      {
        id: 'client-references-earlier-task',
        title: 'SHOULD name the earlier task in referenceTaskIds',
        proves: ['client-reference-tasks'],
        fix: 'Add the id of the task that the message is about to referenceTaskIds.',
        judge(e) {
          const [, second] = e.sent
          e.need(second !== undefined, 'the client sent a single message')
          const isNamed = !['0.3/rest', '0.3/grpc'].includes(surfaceKey(e.surface))
          e.need(isNamed, 'messages of this version and binding have no referenceTaskIds')
          const ids = listAt(second?.message, 'referenceTaskIds') ?? []
          e.expect(ids.includes(e.stage.firstTaskId ?? ''), 'the second message refers to no earlier task', second)
        },
      },
    ],
  },
  {
    id: 'conversation-first-message',
    area: 'conversation',
    about: 'The user says something for the first time.',
    on: SINCE_0_3,
    intent: () => ({ do: 'send', text: 'hello' }),
    world: () => ({}),
    claims: [
      {
        id: 'client-invents-no-context',
        title: 'SHOULD NOT invent a contextId',
        proves: ['client-context-not-invented'],
        fix: 'Leave contextId out of the first message; the agent assigns one.',
        judge(e) {
          const id = textAt(e.firstMessage(), 'contextId')
          e.expect(id === undefined || id === '', `the first message has the contextId ${id}`, e.firstSent)
        },
      },
      {
        id: 'client-invents-no-task',
        title: 'MUST NOT invent a taskId',
        proves: ['client-task-id-existing'],
        fix: 'Leave taskId out of the first message; only the agent assigns task ids.',
        judge(e) {
          const id = textAt(e.firstMessage(), 'taskId')
          e.expect(id === undefined || id === '', `the first message has the taskId ${id}`, e.firstSent)
        },
      },
    ],
  },
]
