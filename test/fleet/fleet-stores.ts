// Stores for tests: an SQLite file of its own, or an empty PostgreSQL database.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FleetStore, type OpenFleetOptions, openFleet } from '../../src/fleet/open-fleet.ts'

export interface TestStore {
  readonly spec: string
  readonly store: FleetStore
  /** Another process would open it so. */
  again(): Promise<FleetStore>
  remove(): Promise<void>
}

export async function sqliteStore(options: OpenFleetOptions = {}): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-fleet-'))
  const spec = join(folder, 'fleet.db')
  return stored(spec, options, () => rmSync(folder, { recursive: true, force: true }))
}

export async function postgresStore(url: string): Promise<TestStore> {
  return stored(url, {}, () => {})
}

async function stored(spec: string, options: OpenFleetOptions, clean: () => void): Promise<TestStore> {
  const opened = [await openFleet(spec, options)]
  const [store] = opened as [FleetStore]
  return {
    spec,
    store,
    async again() {
      const other = await openFleet(spec, options)
      opened.push(other)
      return other
    },
    async remove() {
      for (const each of opened) await each.close()
      clean()
    },
  }
}
