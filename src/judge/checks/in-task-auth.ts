// Authorization asked for inside a task (1.0 §7.6).

import type { Probe } from '../probe/probe.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { expectStatusMessage } from './input-required.ts'
import { readToOutcome } from './raw-streams.ts'

const NEEDS = ['behaviour:auth-required'] as const
const ASKS_FOR_SECRETS =
  /\b(send|reply with|type|paste|enter|provide|give|tell) (me |us |here )?(your|the|a|an) [^."]{0,40}\b(password|passphrase|api[- ]key|access token|token|secret|pin|credentials?)\b/i

export const inTaskAuthChecks: PlacedCheck[] = area({ name: 'in-task-auth', category: 'lifecycle', phase: 3 }, [
  check(
    'auth-required-task',
    'MUST request authorization with a task in the state auth-required',
    {
      proves: ['intask-uses-task', 'intask-state', 'send-blocking-auth-required'],
      fix: 'Put the task into TASK_STATE_AUTH_REQUIRED, return it from a blocking send, and let it be read.',
      yieldsTo: ['send-blocking'],
      needs: [...NEEDS, 'check:get-task-current'],
      groundOf: 'auth-required',
    },
    async (t) => {
      const { task, x } = await t.startTask('auth-required')
      const y = await t.call('getTask', { id: task.id })
      const stored = t.taskOf(y)
      const isAsking = [task, stored].some(({ state }) => state === 'TASK_STATE_AUTH_REQUIRED')
      if (!isAsking) t.notProvoked('auth-required', stored)
      t.expectState(task, ['TASK_STATE_AUTH_REQUIRED'], x)
      t.expectState(stored, ['TASK_STATE_AUTH_REQUIRED'], y)
    },
  ),
  check(
    'auth-required-message',
    'MUST explain which authorization is needed',
    {
      proves: ['intask-message'],
      fix: 'Put a message with at least one part into the status.',
      needs: NEEDS,
    },
    async (t) => {
      const { task, x } = await waiting(t)
      expectStatusMessage(t, task, x)
    },
  ),
  check(
    'auth-required-resumes',
    'SHOULD accept messages to a task that waits for authorization',
    {
      proves: ['intask-accepts-messages'],
      fix: 'Accept a follow-up; do not return UnsupportedOperationError.',
      needs: NEEDS,
      yieldsTo: ['send-follow-up'],
    },
    async (t) => {
      const { task } = await waiting(t)
      const { followUp = 'continue' } = t.behaviour('auth-required')
      const x = await t.send({ text: followUp }, { taskId: task.id })
      t.expectEqual(t.taskOf(x).id, task.id, 'the id of the continued task', { at: x })
    },
  ),
  check(
    'auth-required-links',
    'SHOULD offer only https URLs for authorization',
    {
      proves: ['intask-oob-secure'],
      fix: 'Use https URLs in the status message.',
      needs: NEEDS,
    },
    async (t) => {
      const { task, x } = await waiting(t)
      const text = JSON.stringify(task.statusMessage?.parts ?? [])
      const insecure = /http:\/\/(?!localhost|127\.|\[::1\])[^\s"]+/.exec(text)?.[0]
      t.expect(insecure === undefined, `the status message offers ${insecure}`, { expected: 'https', at: x })
    },
  ),
  check(
    'auth-required-out-of-band',
    'MUST NOT ask for credentials inside a message',
    {
      proves: ['intask-out-of-band'],
      fix: 'Name a place outside the conversation (a URL, a console) where the user authorizes.',
      needs: NEEDS,
      why: 'Messages are stored, logged and passed on to other agents; secrets in them are exposed.',
    },
    async (t) => {
      const { task } = await waiting(t)
      const text = JSON.stringify(task.statusMessage?.parts ?? [])
      if (task.statusMessage === undefined) t.notMeasured('the status has no message')
      const asked = ASKS_FOR_SECRETS.exec(text)?.[0]
      // Words are a hint, not a proof: an in-band way may have been agreed upon.
      if (asked !== undefined) t.warn(48, `the status message seems to ask for a secret: "${asked}"`)
      else t.allow('the status message asks for no secret')
    },
  ),
  check(
    'auth-required-stream',
    'SHOULD keep the stream open while authorization is pending',
    {
      proves: ['intask-stream-kept'],
      fix: 'Close streams at terminal states; a task that waits for authorization is not finished.',
      needs: NEEDS,
      yieldsTo: ['stream-closes'],
      phase: 4,
      category: 'streaming',
    },
    async (t) => {
      const s = await t.openStream('auth-required')
      const event = await readToOutcome(s)
      if (event?.state !== 'TASK_STATE_AUTH_REQUIRED') t.notMeasured('the stream did not show the state')
      const next = await Promise.race([s.next().then(() => 'more'), brief()])
      t.expect(s.end !== 'broken', 'the connection breaks at AUTH_REQUIRED', { expected: 'an open stream', at: s })
      if (next === 'more' && s.end === 'server') t.conflict(2, 'the stream ends at AUTH_REQUIRED')
    },
  ),
])

async function waiting(t: Probe) {
  const started = await t.startTask('auth-required')
  if (started.task.state !== 'TASK_STATE_AUTH_REQUIRED') t.notProvoked('auth-required', started.task)
  return started
}

function brief(): Promise<'quiet'> {
  return new Promise((resolve) => void setTimeout(resolve, 500, 'quiet').unref())
}
