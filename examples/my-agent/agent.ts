// The agent. `npm run dev` serves it at http://localhost:3000 and starts it again when this file changes.

import { type Agent, type CardInput, textOf } from 'a2a-parley/server'

export const card: CardInput = {
  name: 'Greeter',
  description: 'Says hello, one word at a time.',
  version: '1.0.0',
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'greet', name: 'Greet', description: 'Says hello.', tags: ['example'], examples: ['Ada'] }],
}

export const agent: Agent = async (message, context) => {
  await context.status('TASK_STATE_WORKING')
  const words = ['Hello, ', textOf(message) || 'whoever you are', '!']
  const artifactId = crypto.randomUUID()
  for (const [at, text] of words.entries())
    await context.artifact(
      { artifactId, name: 'greeting', parts: [{ text }] },
      { append: at > 0, lastChunk: at === words.length - 1 },
    )
}

export default { card, agent }
