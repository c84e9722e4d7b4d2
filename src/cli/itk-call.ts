// How the ITK peer calls other agents: in the manner its instruction asks for, and no further than the relay may go.

import type { ItkCall, ItkOptions } from '../agents/itk.ts'
import { TASK_FINISHED } from '../agents/itk.ts'
import type { A2AClient } from '../client/a2a-client.ts'
import type { StreamEvent } from '../model/event.ts'
import type { SendMessageRequest } from '../model/operation.ts'
import { type Message, textOf } from '../model/task.ts'
import type { ForwardOptions } from './forward.ts'

/** What the kit's own agents put into the configurations they register. */
const WEBHOOK_TOKEN = 'itk-token'

export function itkCallWith({ allowsPrivate = false }: ForwardOptions = {}): ItkOptions['call'] {
  return async (call, signal) => {
    const { A2AClient } = await import('../client/a2a-client.ts')
    const { asUpstreamError } = await import('../client/upstream-error.ts')
    const { reachOf } = await import('../net/guard/reach.ts')
    try {
      const reach = reachOf({ named: [], guard: { allowPrivateNetworks: allowsPrivate } })
      using client = await A2AClient.connect(call.target, { signal, reach, transports: [call.binding] })
      return await textsOf(client, call, signal)
    } catch (error) {
      throw asUpstreamError(error, 'The agent that was to be called')
    }
  }
}

async function textsOf(client: A2AClient, call: ItkCall, signal: AbortSignal): Promise<readonly string[]> {
  const request = requestOf(call)
  if (call.manner === 'resubscribe') return resubscribe(client, request, signal)
  const texts: string[] = []
  if (call.manner === 'stream') {
    for await (const { event } of client.streamMessage(request, { signal })) texts.push(...wordsIn(event))
  } else texts.push(...wordsIn(await client.sendMessage(request, { signal })))
  return texts
}

function requestOf({ message, webhook }: ItkCall): SendMessageRequest {
  if (webhook === undefined) return { message }
  const base = /^https?:\/\//i.test(webhook) ? webhook : `http://${webhook}`
  return {
    message,
    configuration: { taskPushNotificationConfig: { url: `${base}/notifications`, token: WEBHOOK_TOKEN } },
  }
}

/** Leaves the stream after its first event, comes back as a subscriber, and ends the task once it has said its words. */
async function resubscribe(client: A2AClient, request: SendMessageRequest, signal: AbortSignal): Promise<string[]> {
  let id = ''
  for await (const { event } of client.streamMessage(request, { signal })) {
    id = taskIdOf(event)
    break
  }
  const texts: string[] = []
  for await (const { event } of client.subscribeTask({ id }, { signal })) {
    const words = [...wordsIn(event), ...pastWordsIn(event)]
    texts.push(...words.map((text) => text.replaceAll(TASK_FINISHED, '')))
    if (words.some((text) => text.includes(TASK_FINISHED))) break
  }
  // It may have ended meanwhile.
  await client.cancelTask({ id }, { signal }).catch(() => {})
  return texts
}

function taskIdOf(event: StreamEvent): string {
  if ('task' in event) return event.task.id
  if ('statusUpdate' in event) return event.statusUpdate.taskId
  return 'artifactUpdate' in event ? event.artifactUpdate.taskId : ''
}

function wordsIn(event: StreamEvent): string[] {
  if ('message' in event) return wordsOf(event.message)
  if ('task' in event) return wordsOf(event.task.status.message)
  return 'statusUpdate' in event ? wordsOf(event.statusUpdate.status.message) : []
}

/** What the agent said before the subscription stands in the history of the task it begins with. */
function pastWordsIn(event: StreamEvent): string[] {
  if (!('task' in event)) return []
  return (event.task.history ?? []).filter(({ role }) => role === 'ROLE_AGENT').flatMap(wordsOf)
}

function wordsOf(message: Message | undefined): string[] {
  const text = textOf(message)
  return text === '' ? [] : [text]
}
