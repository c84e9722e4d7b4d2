// Against servers built with somebody else's SDK every failure is a real deviation, written down with its clause. A
// verdict that changes is therefore a difference in docs/known-deviations.md.

import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { deviationsOf, PEERS } from '../peers/deviations.ts'

const document = readFileSync(new URL('../../docs/known-deviations.md', import.meta.url), 'utf8')

/** The SDKs tell the console about every request they refuse. */
vi.spyOn(console, 'error').mockImplementation(() => {})
vi.spyOn(console, 'log').mockImplementation(() => {})
vi.spyOn(console, 'warn').mockImplementation(() => {})

test.each(PEERS)(
  '$name fails exactly what is written down',
  async ({ name, start }) => {
    const section = document.split(/^## /m).find((part) => part.startsWith(name)) ?? ''
    const written = [...section.matchAll(/^### (\S+)$/gm)].map(([, id]) => id)
    const failing = new Set((await deviationsOf(start)).map((result) => result.test))
    expect(failing).toEqual(new Set(written))
    expect(written.length).toBeGreaterThan(0)
  },
  120_000,
)
