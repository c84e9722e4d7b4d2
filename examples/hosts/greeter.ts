// The agent that the examples of this folder put into other servers.

import { type CardInput, type MountOptions, textOf } from 'a2a-parley/server'

const card: CardInput = {
  name: 'Greeter',
  description: 'Says hello.',
  version: '1.0.0',
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'greet', name: 'Greet', description: 'Says hello.', tags: ['example'] }],
}

export const greeter: MountOptions = {
  path: '/agent',
  card,
  async agent(message, context) {
    await context.status('TASK_STATE_WORKING')
    await context.artifact({ name: 'greeting', parts: [{ text: `Hello, ${textOf(message)}!` }] })
  },
}
