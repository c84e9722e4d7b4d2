import { expect, test } from 'vitest'
import { LoadGate } from './load-gate.ts'

/** Keeps the event loop busy, as too much work would. */
function block(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1))
}

test('one pause is forgiven, lasting lateness closes the gate, and time opens it', async () => {
  const gate = new LoadGate({ closeAtMs: 200, openAtMs: 190 })
  try {
    block(400)
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(gate.isClosed).toBe(false)
    let turns = 0
    await until(() => {
      if (turns++ < 20 && !gate.isClosed) block(300)
      return gate.isClosed
    })
    await until(() => !gate.isClosed)
  } finally {
    gate.stop()
  }
})

test('a turn that others can feel makes it busy, long before it closes, and rest makes it idle again', async () => {
  const gate = new LoadGate({ closeAtMs: 10_000, openAtMs: 9_000 })
  try {
    await until(() => {
      if (!gate.isBusy) block(80)
      return gate.isBusy
    })
    expect(gate.isClosed).toBe(false)
    await until(() => !gate.isBusy)
  } finally {
    gate.stop()
  }
})
