// What every pair is asked to do: the intent of the client's user, and what has to come of it. The words are those of the
// agents in interop/; an agent that does not know them still has to answer.

import { A2AClient } from '../client/index.ts'
import type { ClientExit } from '../grade/graded-client.ts'
import type { Intent } from '../grade/intent.ts'
import type { Surface } from '../grade/scenario.ts'
import type { Operation } from '../model/operation.ts'
import type { CONVERSATIONS } from '../scenario/matrix/matrix-shape.ts'

export type ConversationId = (typeof CONVERSATIONS)[number]

export interface Conversation {
  readonly title: string
  /** What the version must have for it. */
  readonly needs: Operation
  /** Made with a task of our own where one has to be there; a text is why it cannot be tried. */
  readonly intent: (place: Place) => Promise<Intent | string>
  /** What is wrong with how it ended; undefined when nothing is. */
  readonly expect: (exit: ClientExit) => string | undefined
}

/** Where a conversation takes place: the server itself, past the tap, for what has to be there before. */
export interface Place {
  readonly server: string
  readonly surface: Surface
  readonly webhook: string
}

const fulfilled = ({ code, isTimeout, outcome }: ClientExit): string | undefined => {
  if (isTimeout) return 'the client did not end in time'
  if (code === 0) return undefined
  const { kind = '', message = '' } = outcome?.error ?? {}
  const said = [kind, message].filter((each) => each !== '').join(': ') || outcome?.state
  return `the client reports failure${said === undefined ? '' : ` (${said.slice(0, 200)})`}`
}

const says = (text: string) => async (): Promise<Intent> => ({ do: 'send', text })

export const CONVERSATION: Readonly<Record<ConversationId, Conversation>> = {
  card: {
    needs: 'getCard',
    title: 'The client reads the card',
    intent: async () => ({ do: 'card' }),
    expect: fulfilled,
  },
  send: { needs: 'sendMessage', title: 'A message is answered', intent: says('task hello'), expect: fulfilled },
  stream: {
    needs: 'streamMessage',
    title: 'A stream is read to its end',
    intent: async () => ({ do: 'stream', text: 'stream 3' }),
    expect: (exit) =>
      fulfilled(exit) ?? (exit.outcome?.events === 0 ? 'the client has seen no event of the stream' : undefined),
  },
  'multi-turn': {
    needs: 'sendMessage',
    title: 'The agent asks for input and gets it',
    intent: async () => ({ do: 'continue', text: 'ask', reply: 'blue' }),
    expect: fulfilled,
  },
  cancel: {
    needs: 'cancelTask',
    title: 'A working task is canceled',
    intent: (place) => withTask(place, 'slow', (taskId) => ({ do: 'cancel', taskId })),
    expect: fulfilled,
  },
  get: {
    needs: 'getTask',
    title: 'A task is read again',
    intent: (place) => withTask(place, 'task hello', (taskId) => ({ do: 'get', taskId })),
    expect: fulfilled,
  },
  list: { needs: 'listTasks', title: 'Tasks are listed', intent: async () => ({ do: 'list' }), expect: fulfilled },
  subscribe: {
    needs: 'subscribeTask',
    title: 'A running task is followed',
    intent: (place) => withTask(place, 'steps 4', (taskId) => ({ do: 'subscribe', taskId })),
    expect: fulfilled,
  },
  error: {
    needs: 'getTask',
    title: 'An unknown task is reported as an error',
    intent: async () => ({ do: 'get', taskId: '00000000-0000-4000-8000-000000000000' }),
    expect: ({ code, isTimeout }) => {
      if (isTimeout) return 'the client did not end in time'
      return code === 0 ? 'the client reports success although there is no such task' : undefined
    },
  },
  file: { needs: 'sendMessage', title: 'A file arrives', intent: says('file'), expect: fulfilled },
  data: { needs: 'sendMessage', title: 'Structured data arrives', intent: says('data'), expect: fulfilled },
  push: {
    needs: 'createPushConfig',
    title: 'A webhook is registered',
    intent: (place) =>
      withTask(place, 'slow', (taskId) => ({ do: 'push', taskId, webhook: { url: place.webhook, token: 'matrix' } })),
    expect: fulfilled,
  },
}

async function withTask(
  { server, surface }: Place,
  text: string,
  then: (id: string) => Intent,
): Promise<Intent | string> {
  const { version, binding } = surface
  try {
    using client = await A2AClient.connect(server, { versions: [version], transports: [binding] })
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] }
    const result = await client.sendMessage({ message, configuration: { returnImmediately: true } })
    return 'task' in result ? then(result.task.id) : 'the server answers without a task'
  } catch (error) {
    return `no task could be created on the server: ${error instanceof Error ? error.message : String(error)}`
  }
}
