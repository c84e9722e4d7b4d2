import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { Emission } from './interpreter/play-turn.ts'
import { ProducedArtifacts, TurnArtifacts } from './produced-artifacts.ts'

/** One letter a piece, as the interpreter cuts an artifact with `chunks`. */
function inPieces(count: number): Emission[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ is: 'artifact', artifact: { artifactId: 'a', name: 'long', parts: [{ text: 'x' }] } },
    ...{ append: index > 0, lastChunk: index === count - 1, metadata: undefined },
  }))
}

function play(produced: ProducedArtifacts, taskId: string, emissions: readonly Emission[]): TurnArtifacts {
  const turn = new TurnArtifacts(produced, taskId, emissions)
  for (const index of emissions.keys()) turn.add(index)
  turn.end()
  return turn
}

test('an artifact of as many pieces as a script may ask for is whole', () => {
  const produced = new ProducedArtifacts()
  play(produced, 't1', inPieces(10_000))
  expect(produced.list()).toMatchObject([{ name: 'long', version: 1, size: 10_000 }])
})

test('the oldest turns are forgotten, those under way are not', () => {
  const produced = new ProducedArtifacts()
  const [first, second] = inPieces(2)
  if (first === undefined || second === undefined) throw new Error('two pieces')
  const underWay = new TurnArtifacts(produced, 'slow', [first, second])
  underWay.add(0)
  for (let n = 0; n < 5_000; n++) play(produced, `t${n}`, inPieces(1))
  underWay.add(1)
  underWay.end()
  const listed = produced.list()
  expect(listed.length).toBeLessThanOrEqual(1_000)
  expect(listed.at(-1)).toMatchObject({ taskId: 'slow', size: 2 })
  expect(listed.at(-2)).toMatchObject({ taskId: 't4999', size: 1 })
})

test('a turn that was put together is not kept', async () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as NodeJS.GCFunction
  const produced = new ProducedArtifacts()
  const turn = new WeakRef(play(produced, 't1', inPieces(1)))
  expect(produced.list()).toHaveLength(1)
  // What was dereferenced or made in this job is kept until its end.
  await new Promise((resolve) => setImmediate(resolve))
  gc()
  expect(turn.deref()).toBeUndefined()
})
