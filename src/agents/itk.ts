// A peer of the integration test kit (ITK): does what the instruction in its message says, which is mostly to pass another
// instruction on to the next agent and to return what came back. The texts are a contract with the kit's other agents.

import { defined } from '../base/defined.ts'
import type { BindingId } from '../dialects/dialect.ts'
import { A2AError } from '../model/errors.ts'
import type { Message } from '../model/task.ts'
import type { Agent, AgentContext } from '../server/engine/agent.ts'
import {
  type CallInstruction,
  INSTRUCTION_FILE,
  INSTRUCTION_TYPE,
  type Instruction,
  instructionIn,
} from './itk-instruction.ts'

/** What the kit's agents look for in the words of a task that is held. */
export const TASK_FINISHED = 'task-finished'

/** A held task is a working one for so long; then it ends by itself. */
const HOLD_PERIODS = 5
const HOLD_PERIOD_MS = 2_000

export interface ItkCall {
  target: string
  binding: BindingId
  message: Message
  manner: 'send' | 'stream' | 'resubscribe'
  /** Where the called agent shall send push notifications. */
  webhook?: string
}

export interface ItkOptions {
  /** Whether messages may choose agents to be called. */
  allowsCalls: boolean
  /** The texts of the answer, in order. */
  call(call: ItkCall, signal: AbortSignal): Promise<readonly string[]>
}

export function itkAgent(options: ItkOptions): Agent {
  return async (message, context) => {
    await context.status('TASK_STATE_WORKING')
    const instruction = instructionIn(message)
    if (instruction === undefined) return context.fail('There is no valid instruction in the message.')
    const texts = await follow(instruction, options, context.signal).catch(refusalIn)
    if (texts instanceof A2AError) return context.fail(texts.message)
    const text = texts.join('\n')
    if (holdsTask(instruction)) return hold(text, context)
    await context.complete(text)
  }
}

/** What another agent or this one refused, in words its caller may hear; everything else is thrown. */
function refusalIn(error: unknown): A2AError {
  if (error instanceof A2AError) return error
  throw error
}

async function follow(instruction: Instruction, options: ItkOptions, signal: AbortSignal): Promise<readonly string[]> {
  if (instruction.is === 'response') return [instruction.text]
  if (instruction.is === 'call') return options.call(await callOf(instruction.call, options), signal)
  const texts: string[] = []
  for (const step of instruction.steps) texts.push(...(await follow(step, options, signal)))
  return texts
}

async function callOf(call: CallInstruction, { allowsCalls }: ItkOptions): Promise<ItkCall> {
  const { transport, cardUri, resubscribes, isStreaming, webhook } = call
  if (!allowsCalls)
    throw new A2AError('InvalidParams', 'Messages must not choose agents to call here; see --allow-relay-targets.')
  // Only who calls needs the calling halves of the bindings.
  const { bindingNamed } = await import('../bindings/registry.ts')
  const binding = bindingNamed(transport)
  if (binding === undefined) throw new A2AError('InvalidParams', `Agents cannot be called over ${transport} from here.`)
  if (!/^https?:\/\//i.test(cardUri)) throw new A2AError('InvalidParams', 'The address of a card must be an http URL.')
  if (resubscribes && !isStreaming) throw new A2AError('InvalidParams', 'To subscribe again takes a streaming call.')
  return {
    ...{ target: cardUri, binding },
    message: messageWith(call.instruction),
    manner: resubscribes ? 'resubscribe' : isStreaming ? 'stream' : 'send',
    ...defined({ webhook }),
  }
}

function messageWith(instruction: Uint8Array): Message {
  const raw = Buffer.from(instruction).toString('base64')
  const part = { raw, mediaType: INSTRUCTION_TYPE, filename: INSTRUCTION_FILE }
  return { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [part] }
}

/** Instructions for other agents are theirs to keep. */
function holdsTask(instruction: Instruction): boolean {
  if (instruction.is === 'response') return instruction.holdsTask
  return instruction.is === 'steps' && instruction.steps.some(holdsTask)
}

/** Says that it is done and works on, so that there is a running task to subscribe to. */
async function hold(text: string, context: AgentContext): Promise<void> {
  const words = `${text}\n${TASK_FINISHED}`
  await context.status('TASK_STATE_WORKING', words)
  for (let period = 0; period < HOLD_PERIODS; period++) {
    await context.status('TASK_STATE_WORKING')
    await context.sleep(HOLD_PERIOD_MS)
  }
  await context.complete(words)
}
