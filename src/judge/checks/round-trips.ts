// What goes in comes out: messages that an agent shows again are those that were sent, and an agent that echoes returns what
// it was told. One conversation holds everything that is easily lost (1.0 §3.7, §4.1.4, §4.1.6).

import type { JsonObject } from '../../model/json.ts'
import type { SendMessageRequest } from '../../model/operation.ts'
import type { Part } from '../../model/task.ts'
import type { Answer } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import { NotMeasured } from '../probe/check-failure.ts'
import type { Inspect, ObservationKind } from '../probe/observation.ts'
import type { Probe } from '../probe/probe.ts'
import { listAt, objectAt, type RawMessage, type RawTask, rawTask } from '../probe/raw.ts'
import { messagesIn } from './answers.ts'
import { area, check, everywhere, type PlacedCheck } from './check.ts'
import { RULES_OF_MEMBERS } from './schema.ts'
import { lossesOf } from './unaltered.ts'

const TASKS: readonly ObservationKind[] = ['sendResult', 'task', 'taskList', 'event', 'notification']

/** White space around, letters outside the basic plane, what JSON and markup escape, a combining accent, right to left. */
const TRICKY = '  \t"Grüße" \\ <&> 😀👩‍👩‍👧 e\u0301 \u2028 שלום 世界\n '
const DATA: JsonObject = {
  tenth: 0.1,
  zero: 0,
  large: 1e21,
  whole: 9_007_199_254_740_991,
  nothing: null,
  empty: ['', {}, []],
  'a.b/c~d': { deep: [{ deeper: [null, false, 'TASK_STATE_WORKING', '2025-01-01T00:00:00Z'] }] },
}
/** Of both alphabets of base64, and with padding. */
const BYTES = Buffer.from([0xfb, 0xff, 0xfe, 0x00]).toString('base64')
/** Of nobody: an agent that does not know it leaves it alone (§4.6). */
const EXTENSION = 'https://parley.invalid/extensions/note/v1'
const METADATA: JsonObject = { 'https://parley.invalid/x': { list: [1, 2.5, null, true], text: TRICKY } }

export const roundTripChecks: PlacedCheck[] = area({ name: 'round-trips', category: 'lifecycle', phase: 4 }, [
  everywhere(
    check(
      'message-unaltered',
      'MUST keep the messages of a client unchanged in the history',
      {
        proves: ['dm-message-unaltered'],
        fix: 'Store messages unchanged: all parts in order, texts character by character, data, names, media types and metadata.',
        why: 'History is what client and agent both refer to; a changed message was never sent.',
        causes: [
          'Texts are trimmed, normalized or stored in an encoding that lacks some characters.',
          'Numbers pass through a type that rounds them, null members are dropped.',
          'Only the first part, or only texts, are stored.',
        ],
        needs: ['check:send-result', 'check:json-utf8'],
        yieldsTo: RULES_OF_MEMBERS,
      },
      async (t) => {
        const { sent, views } = await toldAgain(t)
        const shownIn = views.flatMap(({ x, task }) => {
          const shown = ours(task, sent)
          return shown === undefined ? [] : [{ x, shown }]
        })
        if (shownIn.length === 0) t.notMeasured('the agent keeps no messages of the client, which is allowed')
        for (const { x, shown } of shownIn) {
          const [loss] = lossesOf(shown.json, sent, shown.pointer)
          t.expect(loss === undefined, `a message in the history of a task ${loss?.message}`, {
            expected: quote(sent),
            actual: quote(shown.json),
            pointer: loss?.pointer ?? '',
            at: x,
          })
        }
      },
    ),
    TASKS,
    messageLosses(),
  ),
  check(
    'echo-unaltered',
    'SHOULD return text unchanged',
    {
      proves: ['dm-text-roundtrip'],
      fix: 'Handle text as Unicode from end to end, including characters outside the Basic Multilingual Plane and line separators.',
      needs: ['behaviour:echo', 'check:send-result', 'check:json-utf8'],
      causes: ['A component in between uses an encoding other than UTF-8.', 'JSON is escaped or unescaped twice.'],
    },
    async (t) => {
      const mark = `parley-${t.unusedId()}`
      const said = `${mark}${TRICKY}${mark}`
      const prompt = t.behaviour('echo')
      const x = await t.send({ ...prompt, text: `${prompt.text} ${said}` })
      const result = t.sendResultOf(x)
      const texts = 'task' in result ? textsOf(result.task) : [result.message.text]
      const echo = texts.find((text) => text.includes(mark))
      if (echo === undefined)
        return t.notMeasured(
          'the answer does not repeat what was said',
          'a prompt for "echo" that is answered with itself',
        )
      t.expect(echo.includes(said), 'the text comes back changed', {
        expected: quote(said),
        actual: quote(echo),
        pointer: x.resultPointer,
        at: x,
      })
    },
  ),
])

/** Every message of ours, wherever it is shown. */
function messageLosses(): Inspect {
  return (observation, { said }) => {
    const found = messagesIn(observation).history.flatMap(({ messageId, json, pointer }) => {
      const sent = said.message(messageId)
      return sent === undefined ? [] : [{ sent, json, pointer }]
    })
    if (found.length === 0) return undefined
    return found.flatMap(({ sent, json, pointer }) => lossesOf(json, sent, pointer))
  }
}

interface Told {
  sent: JsonObject
  views: { x: Answer; task: RawTask }[]
}

/** A message with everything in it, and the answers that show its task. */
async function toldAgain(t: Probe): Promise<Told> {
  const { request, x, task } = await richSend(t)
  const views = [{ x, task }]
  const read = await t.call('getTask', { id: task.id })
  if (read.error === undefined) views.push({ x: read, task: t.taskOf(read) })
  if (t.surface.dialect.has('listTasks') && t.works('listTasks') && task.contextId !== undefined) {
    const list = await t.call('listTasks', { contextId: task.contextId, historyLength: 10 })
    for (const [at, item] of (listAt(list.result, 'tasks') ?? []).entries()) {
      const listed = rawTask(item, `${list.resultPointer}/tasks/${at}`)
      if (listed?.id === task.id) views.push({ x: list, task: listed })
    }
  }
  if (t.declares('streaming') && t.works('streamMessage'))
    await (await t.stream('streamMessage', another(t, request))).rest()
  return { sent: encoded(t, request), views }
}

/** Everything a message can have; where the agent does not take it, less and less, down to two texts. */
async function richSend(t: Probe): Promise<{ request: SendMessageRequest; x: Answer; task: RawTask }> {
  const text: Part[] = [{ text: t.behaviour(t.known('echo') === undefined ? 'task' : 'echo').text }, { text: TRICKY }]
  const data: Part = { data: DATA, mediaType: 'application/json', metadata: METADATA }
  const file: Part = { raw: BYTES, filename: 'grüße 😀.txt', mediaType: 'text/plain' }
  const more = { metadata: METADATA, extensions: [EXTENSION], referenceTaskIds: await earlierTasks(t) }
  for (const { parts, message } of [
    { parts: [...text, data, file], message: more },
    { parts: [...text, data, file], message: { metadata: METADATA } },
    { parts: [...text, data], message: { metadata: METADATA } },
    { parts: text, message: { metadata: METADATA } },
  ]) {
    const request = t.sendRequest('task', { parts, message })
    const x = await t.call('sendMessage', request)
    if (x.error !== undefined) continue
    const sent = t.sendResultIn(x)
    if ('message' in sent) return t.notMeasured('the agent answered with a message instead of a task')
    return { request, x, task: sent.task }
  }
  return t.notMeasured('the agent does not accept a message with two parts')
}

/** A finished task to refer to, where there is one. */
async function earlierTasks(t: Probe): Promise<string[]> {
  try {
    return [(await t.finishedTask()).id]
  } catch (error) {
    if (error instanceof NotMeasured) return []
    throw error
  }
}

/** The same again as a message of its own. */
function another(t: Probe, request: SendMessageRequest): SendMessageRequest {
  return { ...request, message: { ...request.message, messageId: t.unusedId() } }
}

/** The message as the generation writes it. */
function encoded(t: Probe, request: SendMessageRequest): JsonObject {
  const { params } = t.envelope('sendMessage', request)
  return objectAt(params, 'message') ?? objectAt(params, 'request') ?? {}
}

function ours({ history = [] }: RawTask, sent: JsonObject): RawMessage | undefined {
  return history.find(({ messageId }) => messageId !== undefined && messageId === sent.messageId)
}

function textsOf({ artifacts, statusMessage }: RawTask): string[] {
  return [...artifacts.map(({ text }) => text), ...(statusMessage === undefined ? [] : [statusMessage.text])]
}
