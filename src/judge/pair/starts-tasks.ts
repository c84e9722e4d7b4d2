// An agent that refuses the plainest message says nothing about the pair; its own report has the failure.

import { describeError } from '../probe/error-table.ts'
import type { PairMember } from './pair-member.ts'

/** Ends the check as not measured when the agent does not even answer a prompt of its own. */
export async function startsTasks({ t, name }: PairMember): Promise<void> {
  const x = await t.send('task')
  t.expectAnswered(x)
  if (x.error === undefined) return
  t.notMeasured(
    `the ${name} agent refuses a plain message: ${describeError(x.error)}`,
    `a prompt the ${name} agent accepts, as "task" in the file given with --behaviors or --second-behaviors`,
  )
}
