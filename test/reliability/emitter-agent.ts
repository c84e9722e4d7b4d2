// An agent for tests of streams: says as much as it is told to, when it is told to. `idle` works until it is ended,
// `ready` waits for the next message, `events <count> <bytes>` emits an artifact in chunks and completes; `rush` does the
// same and never lets the event loop turn.

import type { Agent } from '../../src/server/engine/agent.ts'
import type { CardInput } from '../../src/server/mount-options.ts'

export const EMITTER_CARD: CardInput = {
  name: 'Emitter',
  description: 'Emits as many events as it is told to.',
  version: '1.0.0',
  capabilities: { streaming: true, pushNotifications: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'emit', name: 'Emit', description: 'Emits events.', tags: ['test'] }],
}

/** So many emissions between two turns of the event loop. */
const BURST = 20

export const emitterAgent: Agent = async (message, ctx) => {
  const [part] = message.parts
  const [word, count, bytes] = (part !== undefined && 'text' in part ? part.text : '').split(' ')
  await ctx.status('TASK_STATE_WORKING')
  if (word === 'ready') return ctx.requireInput()
  if (word === 'idle')
    return new Promise<never>((_, reject) => {
      ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error), { once: true })
    })
  const text = 'x'.repeat(Number(bytes ?? 10))
  for (let n = 0; n < Number(count ?? 1); n++) {
    await ctx.artifact({ artifactId: 'result', parts: [{ text }] }, { append: n > 0 })
    if (n % BURST === 0 && word !== 'rush') await new Promise(setImmediate)
  }
  return ctx.complete()
}
