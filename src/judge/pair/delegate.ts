// One agent is told to pass a marked task on to the other. A listener between them is the witness: what the agents
// say about it afterwards proves nothing.

import { randomUUID } from 'node:crypto'
import { isJsonObject } from '../../model/json.ts'
import { isSettled } from '../../model/state-machine.ts'
import type { Exchange } from '../../trace/exchange.ts'
import { type Answer, readAnswer } from '../probe/answer.ts'
import type { Prompt } from '../probe/behaviours.ts'
import { describeError } from '../probe/error-table.ts'
import { listAt, textAt } from '../probe/raw.ts'
import { isLoopback } from './loopback.ts'
import type { Pairing } from './pair-check.ts'
import type { PairMember } from './pair-member.ts'
import { RecordingListener } from './recording-listener.ts'

/** `{url}` is where the other agent is, `{text}` what it should be told. */
const RELAY_PROMPT = 'relay {url} {text}'

const WOULD_NEED =
  'an agent that can call another: a prompt for "delegate" with {url} and {text} in the file given with --behaviors or --second-behaviors'

export async function delegate({ from, to }: Pairing): Promise<void> {
  const { t } = from
  const prompt = delegationPrompt(from)
  const listener = await RecordingListener.open({
    http: to.agent.http,
    urls: [to.t.cardUrl, ...to.facts.surfaces.map(({ url }) => url)],
    credentials: to.agent.run.credentials.first,
  })
  t.onEnd(() => listener.close())
  const mark = `mark-${randomUUID().slice(0, 8)}`
  const errand = `${to.t.behaviour('task').text} ${mark}`
  const text = prompt.text.replaceAll('{url}', listener.addressOf(baseOf(to.t.cardUrl))).replaceAll('{text}', errand)
  const x = await t.send({ ...prompt, text: prompt.text.includes('{text}') ? text : `${text} ${errand}` })
  const ending = await endingOf(from, x)
  const carrying = listener.calls.filter(({ request }) => bodyOf(request).includes(mark))
  // A client may try another generation first, so one call that was accepted is enough.
  const call = carrying.find((each) => answerOf(each).error === undefined) ?? carrying[0]
  if (call === undefined) {
    if (t.known('delegate') === undefined) {
      t.notMeasured(
        `the relay did not call the other agent: ${ending.words}`,
        'a relay that may reach the listener: parley serve --allow-private-relay',
      )
    }
    return t.fail(`the task was not passed on to the ${to.name} agent: ${ending.words}`, {
      expected: `a request with the text "${errand}" to the ${to.name} agent`,
      actual:
        listener.calls.length === 0
          ? 'no call'
          : listener.calls.map(({ request }) => `${request.method} ${request.url}`).join(', '),
      at: [x.exchange, ...listener.calls],
    })
  }
  const answer = answerOf(call)
  t.expect(answer.error === undefined, `the ${to.name} agent refused what the ${from.name} agent sent`, {
    expected: 'a call the other agent accepts',
    actual: answer.error === undefined ? '' : describeError(answer.error),
    at: [x.exchange, call],
  })
  t.expect(ending.isGood, `the task reached the ${to.name} agent but did not come back: ${ending.words}`, {
    expected: 'a finished task, or a message',
    actual: ending.words,
    at: [x.exchange, call],
  })
  t.note(`${call.request.method} ${call.request.url} carried the task`)
}

/** What makes the agent call another one, which it must be able to reach here. */
function delegationPrompt(from: PairMember): Prompt {
  const { t } = from
  const prompt = t.known('delegate') ?? (isParleyRelay(from) ? { text: RELAY_PROMPT } : undefined)
  if (prompt === undefined)
    return t.notMeasured(`nothing is known that makes the ${from.name} agent call another`, WOULD_NEED)
  if (!prompt.text.includes('{url}')) {
    t.notMeasured(
      'the prompt for "delegate" does not say where the other agent is',
      '{url} in the prompt for "delegate"',
    )
  }
  if (!isLoopback(t.surface.url)) {
    t.notMeasured(
      'the agent runs on another machine and cannot reach the recording listener on this one',
      'both agents on this machine',
    )
  }
  return prompt
}

function bodyOf({ body }: Exchange['request']): string {
  return new TextDecoder().decode(body)
}

function answerOf(call: Exchange): Answer {
  return readAnswer(bodyOf(call.request).includes('"jsonrpc"') ? 'jsonrpc' : 'rest', undefined, call)
}

/** How the errand ended for the one who gave it. */
async function endingOf(from: PairMember, x: Answer): Promise<{ isGood: boolean; words: string }> {
  const { t } = from
  t.expectAnswered(x)
  if (x.error !== undefined) return { isGood: false, words: describeError(x.error) }
  const sent = t.sendResultOf(x)
  if ('message' in sent) return { isGood: true, words: 'a message' }
  const task = await t.awaitTask(sent.task.id, ({ state }) => state !== undefined && isSettled(state))
  return {
    isGood: task.state === 'TASK_STATE_COMPLETED',
    words: `${task.stateText} ${task.statusMessage?.text ?? ''}`.trim(),
  }
}

function isParleyRelay(side: PairMember): boolean {
  const skills = listAt(side.facts.card, 'skills') ?? []
  const hasSkill = skills.some((skill) => isJsonObject(skill) && skill.id === 'relay')
  return hasSkill && (textAt(side.facts.card, 'name') ?? '').startsWith('Parley')
}

/** What a person would type: the address without the well-known path. */
function baseOf(cardUrl: string): string {
  return cardUrl.replace(/\/\.well-known\/agent(-card)?\.json$/, '')
}
