import { expect, test } from 'vitest'
import { isSnapshotDue } from './snapshot-policy.ts'

test.each([
  ['TASK_STATE_WORKING', 100, 4096, false],
  ['TASK_STATE_WORKING', 100, 4097, true],
  ['TASK_STATE_WORKING', 50_000, 50_000, false],
  ['TASK_STATE_WORKING', 50_000, 50_001, true],
  ['TASK_STATE_COMPLETED', 50_000, 1, true],
  ['TASK_STATE_INPUT_REQUIRED', 50_000, 1, true],
] as const)('%s with a snapshot of %i and a tail of %i: %s', (state, snapshotSize, tailSize, isDue) => {
  expect(isSnapshotDue({ state, snapshotSize, tailSize })).toBe(isDue)
})

test('the bytes written for a stream stay within a small factor of the stream', () => {
  const chunk = 250
  let [snapshotSize, tailSize, total, written] = [300, 0, 300, 0]
  for (let n = 0; n < 10_000; n++) {
    tailSize += chunk
    total += chunk
    written += chunk
    if (!isSnapshotDue({ state: 'TASK_STATE_WORKING', snapshotSize, tailSize })) continue
    written += total
    snapshotSize = total
    tailSize = 0
  }
  expect(written).toBeLessThan(3 * total)
})
