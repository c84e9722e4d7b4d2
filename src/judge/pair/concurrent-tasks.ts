// Tasks on both agents at the same time, each with a mark of its own, so that anything that crosses over is seen.

import { randomUUID } from 'node:crypto'
import { isSettled } from '../../model/state-machine.ts'
import type { Answer } from '../probe/answer.ts'
import type { RawTask } from '../probe/raw.ts'
import type { Pairing } from './pair-check.ts'
import type { PairMember } from './pair-member.ts'
import { startsTasks } from './starts-tasks.ts'

const TASKS_EACH = 4

interface Errand {
  side: PairMember
  other: PairMember
  mark: string
}

type Done = Errand & { x: Answer; task: RawTask | undefined }

export async function concurrentTasks({ from, to }: Pairing): Promise<void> {
  for (const side of [from, to]) await startsTasks(side)
  const errands = Array.from({ length: TASKS_EACH }, (): Errand[] => [
    { side: from, other: to, mark: newMark() },
    { side: to, other: from, mark: newMark() },
  ]).flat()
  const done = await Promise.all(errands.map(run))
  for (const one of done) expectOwnWordsOnly(one, done)
  for (const side of [from, to]) expectOwnIds(side, done)
  if (isSameAgent(from, to)) return
  for (const one of done) await expectUnknownElsewhere(one)
}

function newMark(): string {
  return `mark-${randomUUID().slice(0, 8)}`
}

async function run({ side, other, mark }: Errand): Promise<Done> {
  const prompt = side.t.behaviour('task')
  const x = await side.t.send({ ...prompt, text: `${prompt.text} ${mark}` })
  const sent = side.t.sendResultOf(x)
  if ('message' in sent) return { side, other, mark, x, task: undefined }
  const { id, contextId } = sent.task
  const task = await side.t.awaitTask(id, ({ state }) => state !== undefined && isSettled(state))
  side.t.expectEqual(task.id, id, 'the id of the task read back', { at: x })
  side.t.expectEqual(task.contextId, contextId, 'the context of the task read back', { at: x })
  return { side, other, mark, x, task }
}

function expectOwnWordsOnly(one: Done, all: readonly Done[]): void {
  const text = one.task === undefined ? one.x.text : JSON.stringify(one.task.json)
  const foreign = all.find((other) => other !== one && text.includes(other.mark))
  if (foreign === undefined) return
  one.side.t.fail(
    `a task of the ${one.side.name} agent contains the marker of a task of the ${foreign.side.name} agent`,
    {
      expected: `no marker but ${one.mark}`,
      actual: foreign.mark,
      at: [one.x.exchange, foreign.x.exchange],
    },
  )
}

function expectOwnIds(side: PairMember, done: readonly Done[]): void {
  const own = done.filter((one) => one.side === side)
  const tasks = own.flatMap((one) => one.task ?? [])
  const ids = tasks.map(({ id }) => id)
  const twice = ids.find((id, at) => ids.indexOf(id) !== at)
  side.t.expect(twice === undefined, `the ${side.name} agent gave two tasks the id ${twice}`, {
    expected: 'a unique id for each task',
    actual: twice ?? '',
    at: own.map(({ x }) => x.exchange),
  })
  const contexts = tasks.flatMap(({ contextId }) => contextId ?? [])
  // An agent may leave contexts out (1.0 §3.4.1), so one for all is odd but not forbidden.
  if (contexts.length > 1 && new Set(contexts).size === 1) {
    side.t.caution(`the ${side.name} agent put unrelated tasks into one context`)
  }
}

/** Two mounts of one server, or one agent given twice, may know each other's tasks by right. */
function isSameAgent(from: PairMember, to: PairMember): boolean {
  return from.facts.surfaces.some((one) => to.facts.surfaces.some((other) => other.url === one.url))
}

async function expectUnknownElsewhere({ side, other, task }: Done): Promise<void> {
  if (task === undefined) return
  const x = await other.t.call('getTask', { id: task.id })
  other.t.expectAnswered(x)
  other.t.expect(x.error !== undefined, `the ${other.name} agent answers for a task of the ${side.name} agent`, {
    expected: 'TaskNotFoundError',
    actual: 'a task',
    pointer: x.resultPointer,
    at: x,
  })
}
