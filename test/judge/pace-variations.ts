// Agents that take their time. How long something takes is in no text, so none of it is held against them.

import { at, type Mutation, put, text } from '../mutants/mutant.ts'
import { everywhere } from '../mutants/task-edits.ts'
import type { Variation } from './variation.ts'

/** Longer than the judge waits for a task in these tests, shorter than a test may take. */
const TOO_LONG_MS = 20_000

/** What is asked to take a while takes much longer. */
const lingering: Mutation = {
  request: (call) => {
    const message = at(call.isRpc ? at(call.body, 'params') : call.body, 'message')
    if (/^slow \d+$/.test(text(message, 'parts.0.text'))) put(message, 'parts.0.text', `slow ${TOO_LONG_MS}`)
  },
}

/** A cancel is accepted at once, and the work goes on for longer than anybody waits. */
const windingDown: Mutation = everywhere((object) => {
  if (object.state === 'TASK_STATE_CANCELED') object.state = 'TASK_STATE_WORKING'
})

export const PACE_VARIATIONS: readonly Variation[] = [
  ...(['spec', 'push', 'spec03', 'legacy'] as const).map(
    (of): Variation => ({
      name: `slow-is-slower-${of}`,
      story: 'Tasks that should take a while take longer than anybody waits.',
      of,
      areas: ['send', 'cancel', 'streaming', 'subscribe', 'push-delivery', 'equivalence-cancel', 'task-final'],
      ...lingering,
    }),
  ),
  {
    name: 'winds-down-slowly',
    story: 'A canceled task is shown as working for longer than anybody waits.',
    of: 'spec',
    areas: ['cancel', 'equivalence-cancel', 'cancel-finished', 'send-to-finished', 'task-final'],
    ...windingDown,
  },
]
