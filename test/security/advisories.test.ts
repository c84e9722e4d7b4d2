// What is known about old versions of the packages we ship with. `npm audit` knows more, but needs a registry that
// answers it; this needs nothing, and keeps a lock file from going back behind a fix.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Locked {
  version?: string
  dev?: boolean
  optional?: boolean
  resolved?: string
  integrity?: string
}

/** The first version without the flaw, by package. */
const FIXED_IN: readonly (readonly [name: string, version: string, advisory: string])[] = [
  ['yaml', '2.8.3', 'GHSA-48c2-rrv3-qjmp'],
]

const lock = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package-lock.json'), 'utf8')) as {
  packages: { [path: string]: Locked }
}
const shipped = Object.entries(lock.packages)
  .filter(([path, { dev, optional }]) => path !== '' && !dev && !optional)
  .map(([path, locked]) => ({ name: path.slice(path.lastIndexOf('node_modules/') + 13), ...locked }))

test.each(FIXED_IN)('%s is at %s or later (%s)', (name, fixed) => {
  const found = shipped.filter((each) => each.name === name)
  expect(found).not.toEqual([])
  for (const { version = '' } of found) expect(order(version)).toBeGreaterThanOrEqual(order(fixed))
})

test('what is shipped is pinned by its checksum and fetched from nowhere but the registry', () => {
  expect(shipped.length).toBeGreaterThan(5)
  const doubtful = shipped.filter(({ resolved, integrity }) => resolved !== undefined || integrity === undefined)
  expect(doubtful.map(({ name }) => name)).toEqual([])
})

function order(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return (major * 1000 + minor) * 1000 + patch
}
