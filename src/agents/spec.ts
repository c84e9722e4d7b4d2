// The spec agent: every interaction pattern of A2A, chosen by the first word of the text. A follow-up continues the
// pattern its task began with. Keywords, states and texts in brackets are a contract with existing clients.

import type { Message } from '../model/task.ts'
import { textOf } from '../model/task.ts'
import type { Agent, AgentContext } from '../server/engine/agent.ts'

type Behaviour = (text: string, context: AgentContext) => Promise<void>

const CANCEL_WINDOW_MS = 30_000
const STREAM_CHUNK_MS = 500
const STREAM_CHUNKS = 4
const STEP_MS = 2_000
const STEPS = 5
/** What a message may ask for; more is refused, because everybody may ask. */
const MAX_CHUNKS = 10_000
const MAX_SLOW_MS = 300_000

const BEHAVIOURS: ReadonlyMap<string, Behaviour> = new Map<string, Behaviour>([
  ['message-only', (text, ctx) => ctx.message(`[message-only] You said: ${text}`)],
  ['task-lifecycle', taskLifecycle],
  ['task-failure', taskFailure],
  ['task-cancel', taskCancel],
  ['multi-turn', multiTurn],
  ['streaming', (_, ctx) => streamChunks(ctx, STREAM_CHUNKS, STREAM_CHUNK_MS)],
  ['long-running', longRunning],
  ['data-types', dataTypes],
  ['auth-required', authRequired],
  ['reject', (_, ctx) => ctx.reject('[reject] This agent does not take that task.')],
  // Neither a message nor a task, which the server must call by its name (1.0 §3.3.2).
  ['invalid-response', async () => {}],
  ['slow', slow],
  ['chunks', chunks],
])

const HELP = `Start your message with one of: ${[...BEHAVIOURS.keys()].join(', ')}.`

export const specAgent: Agent = (message, context) => {
  const behaviour = BEHAVIOURS.get(keywordOf(openingOf(message, context)))
  return behaviour === undefined ? context.message(HELP) : behaviour(textOf(message), context)
}

/** The message that began the task, for a follow-up; the message itself otherwise. */
function openingOf(message: Message, { task }: AgentContext): Message {
  return task?.history?.[0] ?? message
}

function keywordOf(message: Message): string {
  return textOf(message).trim().split(/\s+/, 1)[0]?.toLowerCase() ?? ''
}

/** The number behind the keyword, as in `slow 500`. */
function argumentOf(text: string, fallback: number): number {
  const given = Number(text.trim().split(/\s+/, 2)[1])
  return Number.isInteger(given) && given >= 0 ? given : fallback
}

async function taskLifecycle(text: string, ctx: AgentContext): Promise<void> {
  await ctx.status('TASK_STATE_WORKING')
  await ctx.artifact({ name: 'result', parts: [{ text: `[task-lifecycle] Processed: ${text}` }] })
  await ctx.complete()
}

async function taskFailure(_: string, ctx: AgentContext): Promise<void> {
  await ctx.status('TASK_STATE_WORKING')
  await ctx.fail('[task-failure] This task was asked to fail, and it did.')
}

async function taskCancel(_: string, ctx: AgentContext): Promise<void> {
  await ctx.status('TASK_STATE_WORKING', '[task-cancel] Waiting to be canceled.')
  await ctx.sleep(CANCEL_WINDOW_MS)
  await ctx.complete('[task-cancel] No cancel came.')
}

async function multiTurn(text: string, ctx: AgentContext): Promise<void> {
  const turn = (ctx.task?.history?.filter((said) => said.role === 'ROLE_USER').length ?? 1).toString()
  if (ctx.task !== undefined && /\bdone\b/i.test(text)) {
    await ctx.status('TASK_STATE_WORKING')
    await ctx.artifact({ name: 'final', parts: [{ text: `[multi-turn] Finished after ${turn} messages.` }] })
    await ctx.complete('[multi-turn] Done.')
    return
  }
  await ctx.status('TASK_STATE_WORKING')
  await ctx.artifact({ name: `turn-${turn}`, parts: [{ text: `[multi-turn] Heard: ${text}` }] })
  await ctx.requireInput('[multi-turn] Tell me more, or say "done".')
}

async function streamChunks(ctx: AgentContext, count: number, pauseMs: number): Promise<void> {
  await ctx.status('TASK_STATE_WORKING')
  const artifactId = 'stream-result'
  for (let chunk = 1; chunk <= count; chunk++) {
    if (pauseMs > 0 && chunk > 1) await ctx.sleep(pauseMs)
    const parts = [{ text: `chunk ${chunk} of ${count}\n` }]
    await ctx.artifact({ artifactId, name: artifactId, parts }, { append: chunk > 1, lastChunk: chunk === count })
  }
  await ctx.complete()
}

async function longRunning(_: string, ctx: AgentContext): Promise<void> {
  for (let step = 1; step <= STEPS; step++) {
    await ctx.status('TASK_STATE_WORKING', `[long-running] Step ${step} of ${STEPS}`)
    await ctx.sleep(STEP_MS)
    await ctx.artifact({ name: `step-${step}`, parts: [{ text: `[long-running] Result of step ${step}` }] })
  }
  await ctx.complete()
}

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><circle cx="4" cy="4" r="4"/></svg>'
const RESULT = { type: 'test-result', passed: true, metrics: { latencyMs: 42, tokensProcessed: 7 } }

async function dataTypes(_: string, ctx: AgentContext): Promise<void> {
  await ctx.status('TASK_STATE_WORKING')
  const raw = Buffer.from(SVG).toString('base64')
  const mediaType = 'application/json'
  await ctx.artifact({ name: 'text', parts: [{ text: '[data-types] Plain text.' }] })
  await ctx.artifact({ name: 'data', parts: [{ data: RESULT, mediaType }] })
  await ctx.artifact({ name: 'file', parts: [{ raw, filename: 'test.svg', mediaType: 'image/svg+xml' }] })
  await ctx.artifact({ name: 'mixed', parts: [{ text: '[data-types] Text and data.' }, { data: RESULT, mediaType }] })
  await ctx.complete()
}

async function authRequired(_: string, ctx: AgentContext): Promise<void> {
  await ctx.status('TASK_STATE_WORKING')
  if (ctx.task === undefined) return ctx.requireAuth('[auth-required] Authorize this task, then send a follow-up.')
  await ctx.complete('[auth-required] Authorized.')
}

async function slow(text: string, ctx: AgentContext): Promise<void> {
  const ms = argumentOf(text, 1_000)
  if (ms > MAX_SLOW_MS) return ctx.reject(`[slow] This agent takes at most ${MAX_SLOW_MS} ms, not ${ms}.`)
  await ctx.status('TASK_STATE_WORKING')
  await ctx.sleep(ms)
  await ctx.complete()
}

async function chunks(text: string, ctx: AgentContext): Promise<void> {
  const count = argumentOf(text, 10)
  if (count > MAX_CHUNKS) return ctx.reject(`[chunks] This agent streams at most ${MAX_CHUNKS} chunks, not ${count}.`)
  await streamChunks(ctx, count, 0)
}
