import { expect, test } from 'vitest'
import { ALICE, sampleTask } from '../../../testing/samples.ts'
import { openMemoryPushStore } from './push.ts'
import { openMemoryStore } from './tasks.ts'

test('configurations of all callers together take a bounded amount of memory, and give it back', async () => {
  const tasks = openMemoryStore()
  const rows = openMemoryPushStore(tasks, Date.now, 10_000)
  const put = async (n: number) => {
    const scope = { ...ALICE, tenant: `${n}` }
    await tasks.create(scope, sampleTask('t'))
    const registration = {
      ...{ scope, taskId: 't', id: 'c', registeredIn: '1.0' as const, mediaType: 'application/json' },
      config: { url: 'http://127.0.0.1:9/', token: 'x'.repeat(2_000) },
    }
    return rows.put(registration, { start: undefined, deliveredSeq: 0, maxPerTask: 10, maxPerScope: 1_000 })
  }
  const answers = [await put(1), await put(2), await put(3), await put(4)]
  expect(answers).toEqual(['stored', 'stored', 'stored', 'store-full'])
  await rows.remove({ scope: { ...ALICE, tenant: '2' }, taskId: 't', id: 'c' })
  expect(await put(4)).toBe('stored')
})
