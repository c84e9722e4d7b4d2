// Streams that checks share: opened and read once per surface, for every behaviour that shows another kind of end or
// content, as far as anybody knows how to provoke it.

import { isJsonObject } from '../../model/json.ts'
import { isSettled, isTerminal } from '../../model/state-machine.ts'
import type { Behaviour, Prompt } from '../probe/behaviours.ts'
import { NotMeasured } from '../probe/check-failure.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawEvent } from '../probe/raw.ts'
import type { RawStream } from '../probe/raw-stream.ts'

/** A stream has to end by itself soon after the event that ends it. */
export const CLOSING_MS = 3_000

/** Ends and contents a stream can have, besides the usual one. */
const OTHER_STREAMS: readonly Behaviour[] = ['fails', 'rejects', 'artifact-file', 'artifact-data']

/** The beginning of a stream; what came instead of one is in it, too. */
export function openedStream(t: Probe): Promise<RawStream> {
  return t.shared('the beginning of a stream', async (own) => {
    const s = await own.openStream('task')
    await s.next()
    return s
  })
}

/** The same stream, whatever is in it, as long as there is something. */
export async function framedStream(t: Probe): Promise<RawStream> {
  const s = await readStream(t, 'a stream', t.known('chunked') ?? t.behaviour('task'))
  return s.frames.length > 0 ? s : t.notMeasured('the agent opened no stream', 'a streaming call that succeeds')
}

/** One stream read to its end, for all checks that only look; not measured when it was refused. */
export async function finishedStream(t: Probe): Promise<RawStream> {
  const s = await readStream(t, 'a stream', t.known('chunked') ?? t.behaviour('task'))
  if (s.events.length > 0) return s
  return t.notMeasured('the agent opened no stream', 'a streaming call that succeeds')
}

/** The same, and one for every other end and content; those that brought nothing are left out. */
async function finishedStreams(t: Probe): Promise<RawStream[]> {
  const first = await finishedStream(t)
  const usual = t.known('chunked') ?? t.behaviour('task')
  const prompts = new Map<string, Prompt>()
  for (const prompt of OTHER_STREAMS.map((name) => t.known(name))) {
    if (prompt !== undefined && prompt.text !== usual.text) prompts.set(prompt.text, prompt)
  }
  const others = await Promise.all([...prompts].map(([text, prompt]) => readStream(t, `a stream of "${text}"`, prompt)))
  return [first, ...others.filter(({ events }) => events.length > 0)]
}

/** Makes the claim about each of them. A stream that cannot show what is claimed is left out. */
export async function eachStream(t: Probe, claim: (s: RawStream) => Promise<void>): Promise<void> {
  t.standOn('streamMessage')
  const before = t.claims
  let reason: NotMeasured | undefined
  for (const s of await finishedStreams(t)) {
    try {
      await claim(s)
    } catch (error) {
      if (!(error instanceof NotMeasured)) throw error
      reason ??= error
    }
  }
  if (t.claims === before && reason !== undefined) throw reason
}

function readStream(t: Probe, key: string, prompt: Prompt): Promise<RawStream> {
  return t.shared(key, async (own) => {
    const first = await readAll(own, prompt)
    // A connection may break once, wherever the fault is; that of an agent breaks again.
    return first.end === 'broken' && !first.events.some(isOutcome) ? readAll(own, prompt) : first
  })
}

async function readAll(t: Probe, prompt: Prompt): Promise<RawStream> {
  const opened = await t.openStream(prompt)
  await readToOutcome(opened)
  await endsWithin(opened, CLOSING_MS)
  return opened
}

/** Reads until the task is terminal or interrupted, or the stream is over. */
export async function readToOutcome(s: RawStream): Promise<RawEvent | undefined> {
  return s.events.find(isOutcome) ?? s.until(isOutcome)
}

/** Ends the check when the stream is silent because our patience was over before the task was. */
export async function expectTaskOver(t: Probe, s: RawStream): Promise<void> {
  const id = s.events.find(({ taskId }) => taskId !== undefined)?.taskId
  if (s.end !== 'deadline' || id === undefined || s.events.some(isOutcome)) return
  const { state, stateText } = t.taskOf(await t.call('getTask', { id }))
  if (state === undefined || isSettled(state)) return
  t.notMeasured(`task ${id} was still ${stateText} at the time limit`, 'more time: --timeout 2m')
}

/** Waits for the end the agent makes; afterwards `s.end` tells whether it came. */
export async function endsWithin(s: RawStream, timeoutMs: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, timeoutMs)
  await Promise.race([s.rest(), late])
  clearTimeout(timer)
  s.close()
}

export function isTerminalEvent({ state }: RawEvent): boolean {
  return state !== undefined && isTerminal(state)
}

export function isOutcome({ kind, state, final }: RawEvent): boolean {
  return kind === 'message' || final === true || (state !== undefined && isSettled(state))
}

export function describeKinds(s: RawStream): string {
  return s.events.length === 0 ? 'no events' : s.events.map(({ kind, state }) => state ?? kind).join(', ')
}

export function aboutEvent(event: RawEvent | undefined): string {
  if (event === undefined) return 'missing'
  const members = isJsonObject(event.json) ? Object.keys(event.json).join(', ') : typeof event.json
  return event.kind === 'unknown' ? `none of the four kinds (${members})` : `a ${event.kind} event`
}
