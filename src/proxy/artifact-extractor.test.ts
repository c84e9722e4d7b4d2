import { expect, test } from 'vitest'
import { createMemoryArtifactStore } from '../artifacts/memory-store.ts'
import type { TaskArtifactUpdate } from '../model/event.ts'
import type { Artifact, Part, Task } from '../model/task.ts'
import { ArtifactExtractor } from './artifact-extractor.ts'

const OWNER = { app: 'app', user: 'ann', session: 's' }
const IDS = { taskId: 't', contextId: 'c' }

function raw(text: string, filename?: string): Part {
  return { raw: Buffer.from(text).toString('base64'), ...(filename === undefined ? {} : { filename }) }
}

function update(artifactId: string, part: Part, more: Partial<TaskArtifactUpdate> = {}): TaskArtifactUpdate {
  return { ...IDS, artifact: { artifactId, name: `${artifactId}.bin`, parts: [part] }, ...more }
}

function outlet(store = createMemoryArtifactStore(), task?: Task) {
  const files = new ArtifactExtractor(store, OWNER, async () => task)
  const texts = async (name: string) => {
    const versions = await store.versions({ ...OWNER, name })
    const stored = await Promise.all(versions.map(({ version }) => store.load({ ...OWNER, name }, version)))
    return stored.map((each) => Buffer.from(each?.bytes ?? []).toString())
  }
  return { files, texts }
}

test('pieces of two files that arrive in turn become two whole files', async () => {
  const { files, texts } = outlet()
  await files.update(update('a', raw('a1 ', 'a.bin'), { lastChunk: false }))
  await files.update(update('b', raw('b1 ', 'b.bin'), { lastChunk: false }))
  await files.update(update('a', raw('a2', 'a.bin'), { append: true }))
  expect(await files.release(false)).toEqual([])
  const ready = await files.update(update('b', raw('b2'), { append: true, lastChunk: true }))
  expect(ready.map(({ artifact }) => artifact.artifactId)).toEqual(['b'])
  expect((await files.release(true)).map(({ artifact }) => artifact.artifactId)).toEqual(['a'])
  expect([await texts('a.bin'), await texts('b.bin')]).toEqual([['a1 a2'], ['b1 b2']])
})

test('a file passed on too early is replaced by the whole one', async () => {
  const { files, texts } = outlet()
  await files.update(update('a', raw('half ', 'a.bin')))
  expect(await files.release(false)).toHaveLength(1)
  await files.update(update('a', raw('whole', 'a.bin'), { append: true, lastChunk: true }))
  expect(await texts('a.bin')).toEqual(['half whole'])
})

test('the same bytes seen again keep their version', async () => {
  const { files, texts } = outlet()
  const [first] = await files.update(update('a', raw('x', 'a.bin'), { lastChunk: true }))
  const again = await files.artifact({ artifactId: 'a', name: 'a.bin', parts: [raw('x', 'a.bin')] })
  expect(again.parts).toEqual(first?.artifact.parts)
  expect(await texts('a.bin')).toHaveLength(1)
})

test('a replacement is the next version, and what it replaces is not lost', async () => {
  const { files, texts } = outlet()
  await files.update(update('a', raw('one', 'a.bin')))
  expect(await files.update(update('a', raw('two', 'a.bin')))).toHaveLength(1)
  await files.release(true)
  expect(await texts('a.bin')).toEqual(['one', 'two'])
})

test('text passes at once, and files without a name are named after the artifact', async () => {
  const { files, texts } = outlet()
  const told = update('a', { text: 'hello' }, { append: true })
  expect(await files.update(told)).toEqual([told])
  await files.artifact({ artifactId: 'n', name: 'n.bin', parts: [raw('1'), { text: '-' }, raw('2')] })
  expect([await texts('n.bin'), await texts('n.bin-2')]).toEqual([['1'], ['2']])
})

function taskWith(...artifacts: Artifact[]): Task {
  return { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' }, artifacts }
}

test('a piece after a restart extends what the agent had told of the file', async () => {
  const store = createMemoryArtifactStore()
  const half = await outlet(store).files.artifact({ artifactId: 'a', name: 'a.bin', parts: [raw('half ', 'a.bin')] })
  const { files, texts } = outlet(store, taskWith(half))
  expect(await files.update(update('a', raw('and ', 'a.bin'), { append: true }))).toEqual([])
  const [whole] = await files.update(update('a', raw('whole', 'a.bin'), { append: true, lastChunk: true }))
  expect(whole).toMatchObject({
    artifact: { parts: [{ filename: 'a.bin', url: expect.stringContaining('version=2') }] },
  })
  expect(await texts('a.bin')).toEqual(['half ', 'half and whole'])
})

test('a reference the agent wrote itself is not read for it', async () => {
  const store = createMemoryArtifactStore()
  await store.save({ ...OWNER, user: 'bob', name: 'b.bin' }, { bytes: Buffer.from('secret ') })
  const foreign: Part = { url: 'artifact://app/bob/s/b.bin?version=1', filename: 'b.bin' }
  const { files, texts } = outlet(store, taskWith({ artifactId: 'a', name: 'a.bin', parts: [foreign] }))
  const [told] = await files.update(update('a', raw('mine', 'b.bin'), { append: true, lastChunk: true }))
  expect(told?.artifact.parts[0]).toEqual(foreign)
  expect(await texts('b.bin')).toEqual(['mine'])
})

test('bytes that are not base64 are the fault of the agent', async () => {
  const { files } = outlet()
  await expect(files.artifact({ artifactId: 'a', parts: [{ raw: '***' }] })).rejects.toMatchObject({
    kind: 'InvalidAgentResponse',
  })
})
