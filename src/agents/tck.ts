// The agent test kits drive: the official kit by message id prefix, ACTS suites by text prefix. The longest prefix wins; a
// follow-up does what its own prefix says and, without a known one, goes on with what began the task. The same message id
// comes many times.

import type { Message, Part } from '../model/task.ts'
import { textOf } from '../model/task.ts'
import type { Agent, AgentContext } from '../server/engine/agent.ts'
import { specAgent } from './spec.ts'

/** `isAnswer`: the message goes on with the behaviour that began the task. */
type Behaviour = (text: string, context: AgentContext, isAnswer: boolean) => Promise<void>

const FILE: Part = {
  raw: Buffer.from('Generated file content').toString('base64'),
  filename: 'output.txt',
  mediaType: 'text/plain',
}
const RESUBSCRIBE_MS = 4_000
const LONG_RUNNING_MS = 1_000
/** Longer than any kit waits; without an end, tasks that are not canceled would take all places in the end. */
const CANCEL_WINDOW_MS = 300_000

const BEHAVIOURS = new Map<string, Behaviour>([
  ['tck-complete-task', (_, ctx) => ctx.complete('Hello from TCK')],
  ['tck-artifact-text', withArtifact({ text: 'Generated text content' })],
  ['tck-artifact-file', withArtifact(FILE)],
  [
    'tck-artifact-file-url',
    withArtifact({ url: 'https://example.com/output.txt', filename: 'output.txt', mediaType: 'text/plain' }),
  ],
  ['tck-artifact-data', withArtifact({ data: { key: 'value', count: 42 } })],
  ['tck-message-response', (_, ctx) => ctx.message('Direct message response')],
  ['tck-input-required', inputRequired],
  ['tck-reject-task', (_, ctx) => ctx.reject('Rejected, as asked.')],
  ['tck-task-failure', (_, ctx) => ctx.fail('Failed, as asked.')],
  ['tck-auth-required', authRequired],
  ['tck-long-running', lasting(LONG_RUNNING_MS, { text: 'Finished after a while' })],
  ['tck-multi-turn', multiTurn],
  ['tck-cancel', untilCanceled],
  ['tck-stream-basic', withArtifact({ text: 'Streamed content' })],
  ['tck-stream-001', withArtifact({ text: 'Streamed content' })],
  ['tck-stream-002', (_, ctx) => ctx.complete('Done')],
  ['tck-stream-003', withArtifact({ text: 'Streamed content' })],
  ['tck-stream-ordering-001', withArtifact({ text: 'Ordered content' })],
  ['tck-stream-artifact-text', withArtifact({ text: 'Streamed text content' })],
  ['tck-stream-artifact-file', withArtifact(FILE)],
  ['tck-stream-artifact-chunked', chunked('chunk-1 ', 'chunk-2')],
  ['tck-stream-chunked', chunked('chunk-1 ', 'chunk-2 ', 'chunk-3')],
  ['test-resubscribe-message-id', lasting(RESUBSCRIBE_MS)],
])

const PREFIXES = [...BEHAVIOURS.keys()].sort((a, b) => b.length - a.length)

/** Kits of 1.0 name what they want; whoever names nothing gets the spec agent. */
export const tckAgent = kitAgent(specAgent)

/** Kits of 0.3 send free text and then read, cancel and continue the task they expect to have begun. */
export const tck03Agent = kitAgent((_, context) => context.requireInput('Heard you; more input, please.'))

function kitAgent(otherwise: Agent): Agent {
  return (message, context) => {
    const opening = context.task?.history?.[0] ?? message
    const own = behaviourOf(message)
    const behaviour = own ?? behaviourOf(opening)
    if (behaviour !== undefined) return behaviour(textOf(message), context, own === undefined)
    const asked = [opening.messageId, textOf(opening)].find((text) => text.startsWith('tck-'))
    return asked === undefined
      ? otherwise(message, context)
      : context.fail(`There is no behavior for ${asked.slice(0, 60)}.`)
  }
}

function behaviourOf(message: Message): Behaviour | undefined {
  const text = textOf(message)
  for (const key of [message.messageId, text]) {
    const prefix = PREFIXES.find((known) => key.startsWith(known))
    if (prefix !== undefined) return BEHAVIOURS.get(prefix)
  }
  return undefined
}

function withArtifact(part: Part): Behaviour {
  return async (_, ctx) => {
    await ctx.status('TASK_STATE_WORKING')
    await ctx.artifact({ name: 'output', parts: [part] })
    await ctx.complete()
  }
}

function chunked(...texts: string[]): Behaviour {
  return async (_, ctx) => {
    await ctx.status('TASK_STATE_WORKING')
    const artifactId = 'chunked-output'
    for (const [index, text] of texts.entries())
      await ctx.artifact(
        { artifactId, name: artifactId, parts: [{ text }] },
        { append: index > 0, lastChunk: index === texts.length - 1 },
      )
    await ctx.complete()
  }
}

function lasting(ms: number, part?: Part): Behaviour {
  return async (_, ctx) => {
    await ctx.status('TASK_STATE_WORKING')
    await ctx.sleep(ms)
    if (part !== undefined) await ctx.artifact({ name: 'output', parts: [part] })
    await ctx.complete()
  }
}

async function inputRequired(_: string, ctx: AgentContext, isAnswer: boolean): Promise<void> {
  if (!isAnswer) return ctx.requireInput('More input, please.')
  await ctx.complete('Thank you.')
}

async function authRequired(_: string, ctx: AgentContext, isAnswer: boolean): Promise<void> {
  if (!isAnswer) return ctx.requireAuth('Authorization, please.')
  await ctx.complete('Thank you.')
}

async function multiTurn(text: string, ctx: AgentContext): Promise<void> {
  if (ctx.task !== undefined && text.trim().toLowerCase().startsWith('done')) return ctx.complete('Done.')
  // Says nothing: a suite looks for the caller's messages at fixed places of the history.
  await ctx.requireInput()
}

async function untilCanceled(_: string, ctx: AgentContext): Promise<void> {
  await ctx.status('TASK_STATE_WORKING')
  await ctx.sleep(CANCEL_WINDOW_MS)
  await ctx.complete('No cancel came.')
}
