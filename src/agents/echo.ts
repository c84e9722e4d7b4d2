// The simplest agent: answers with a message, never with a task.

import { textOf } from '../model/task.ts'
import type { Agent } from '../server/engine/agent.ts'

export const echoAgent: Agent = (message) => `Echo: ${textOf(message)}`
