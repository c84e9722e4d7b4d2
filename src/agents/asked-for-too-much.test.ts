import { expect, test } from 'vitest'
import { engineOf, SCOPE, say, taskOf } from '../../test/support/engine.ts'
import { textOf } from '../model/task.ts'
import { specAgent } from './spec.ts'
import { tckAgent } from './tck.ts'

test.each([
  ['chunks 10001', '[chunks] This agent streams at most 10000 chunks, not 10001.'],
  ['chunks 1000000000', '[chunks] This agent streams at most 10000 chunks, not 1000000000.'],
  ['slow 300001', '[slow] This agent takes at most 300000 ms, not 300001.'],
])('the spec agent does not do everything a message asks for: %s', async (text, words) => {
  const { engine } = engineOf(specAgent)
  const { status, artifacts } = await taskOf(engine.send(SCOPE, say(text), true, {}))
  expect(status.state).toBe('TASK_STATE_REJECTED')
  expect(textOf(status.message)).toBe(words)
  expect(artifacts).toBeUndefined()
})

test('the test kit agent does not wait for ever to be canceled', async () => {
  const { engine, clock } = engineOf(tckAgent)
  const { id } = await taskOf(engine.send(SCOPE, say('tck-cancel'), false, {}))
  clock.advance(300_000)
  await new Promise((resolve) => setImmediate(resolve))
  expect((await engine.get(SCOPE, { id })).status.state).toBe('TASK_STATE_COMPLETED')
})
