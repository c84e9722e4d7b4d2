// What every artifact store must do, whatever it keeps its bytes in.

import { describe, expect, test } from 'vitest'
import type { ArtifactKey, ArtifactStore, ArtifactStoreOptions } from '../../src/artifacts/artifact-store.ts'

const KEY: ArtifactKey = { app: 'app', user: 'ann', session: 's1', name: 'report.csv' }
const HOSTILE = [
  '../../etc/passwd',
  '/absolute',
  'C:\\windows\\system32',
  '\\\\server\\share',
  'nul\u0000byte',
  '..',
  '.',
  'CON',
  'x'.repeat(300),
  '\u2024\u2024/unicode dots',
  '%2e%2e%2f',
  'trailing dots...',
  'new\nline',
  '__proto__',
  'ünïcødé 📄',
]

export function artifactStoreContract(
  name: string,
  open: (options?: ArtifactStoreOptions) => Promise<ArtifactStore>,
): void {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
  const textOf = (stored: { bytes: Uint8Array } | undefined): string | undefined =>
    stored && new TextDecoder().decode(stored.bytes)

  describe(`${name}: artifact store contract`, () => {
    test('numbers versions from 1 and loads the latest', async () => {
      const store = await open()
      expect((await store.save(KEY, { bytes: bytes('a') })).version).toBe(1)
      expect((await store.save(KEY, { bytes: bytes('b') })).version).toBe(2)
      expect(textOf(await store.load(KEY))).toBe('b')
      expect(textOf(await store.load(KEY, 1))).toBe('a')
      expect(await store.load(KEY, 3)).toBeUndefined()
      await store.close()
    })

    test('numbers from firstVersion when told to', async () => {
      const store = await open({ firstVersion: 0 })
      expect((await store.save(KEY, { bytes: bytes('a') })).version).toBe(0)
      expect(textOf(await store.load(KEY, 0))).toBe('a')
      await store.close()
    })

    test('keeps metadata with each version', async () => {
      const store = await open({ now: () => new Date('2026-01-02T03:04:05.678Z') })
      await store.save(KEY, { bytes: bytes('a,b'), mimeType: 'text/csv', source: 'setup' })
      await store.save(KEY, { bytes: bytes('') })
      expect(await store.versions(KEY)).toEqual([
        { version: 1, mimeType: 'text/csv', size: 3, createdAt: '2026-01-02T03:04:05.678Z', source: 'setup' },
        { version: 2, mimeType: 'application/octet-stream', size: 0, createdAt: '2026-01-02T03:04:05.678Z' },
      ])
      await store.close()
    })

    test('keeps apps, users and sessions apart, and user-wide names together', async () => {
      const store = await open()
      await store.save(KEY, { bytes: bytes('mine') })
      await store.save({ ...KEY, name: 'user:notes' }, { bytes: bytes('wide') })
      for (const other of [{ app: 'other' }, { user: 'bob' }, { session: 's2' }])
        expect(await store.load({ ...KEY, ...other })).toBeUndefined()
      expect(textOf(await store.load({ ...KEY, session: 's2', name: 'user:notes' }))).toBe('wide')
      expect(await store.load({ ...KEY, user: 'bob', name: 'user:notes' })).toBeUndefined()
      expect(await store.list({ ...KEY })).toEqual(['report.csv', 'user:notes'])
      expect(await store.list({ ...KEY, session: 's2' })).toEqual(['user:notes'])
      expect(await store.list({ ...KEY, user: 'bob' })).toEqual([])
      await store.close()
    })

    test('never gives a version number twice', async () => {
      const store = await open()
      await store.save(KEY, { bytes: bytes('a') })
      await store.save(KEY, { bytes: bytes('b') })
      expect(await store.delete(KEY, 'latest')).toBe(true)
      expect(textOf(await store.load(KEY))).toBe('a')
      expect((await store.save(KEY, { bytes: bytes('c') })).version).toBe(3)
      expect(await store.delete(KEY)).toBe(true)
      expect(await store.delete(KEY)).toBe(false)
      expect(await store.list(KEY)).toEqual([])
      expect(await store.versions(KEY)).toEqual([])
      expect((await store.save(KEY, { bytes: bytes('d') })).version).toBe(4)
      await store.close()
    })

    test('gives every concurrent save its own version', async () => {
      const store = await open()
      const saved = await Promise.all(Array.from({ length: 20 }, (_, i) => store.save(KEY, { bytes: bytes(`${i}`) })))
      expect(saved.map(({ version }) => version).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, i) => i + 1),
      )
      for (const [i, { version }] of saved.entries()) expect(textOf(await store.load(KEY, version))).toBe(`${i}`)
      await store.close()
    })

    test('does not share buffers with its callers', async () => {
      const store = await open()
      const given = bytes('abc')
      await store.save(KEY, { bytes: given })
      given.fill(0)
      const first = await store.load(KEY)
      first?.bytes.fill(0)
      expect(textOf(await store.load(KEY))).toBe('abc')
      await store.close()
    })

    test('stores hostile names as names', async () => {
      const store = await open()
      for (const hostile of HOSTILE)
        await store.save({ ...KEY, name: hostile, user: hostile }, { bytes: bytes(hostile) })
      for (const hostile of HOSTILE) {
        expect(textOf(await store.load({ ...KEY, name: hostile, user: hostile }))).toBe(hostile)
        expect(await store.list({ ...KEY, user: hostile })).toEqual([hostile])
      }
      await store.close()
    })

    test.each(['', 'user:', 'x'.repeat(1025), '\ud800'])('refuses the name %j', async (refused) => {
      const store = await open()
      await expect(store.save({ ...KEY, name: refused }, { bytes: bytes('a') })).rejects.toMatchObject({
        code: 'artifact-name-invalid',
      })
      await store.close()
    })
  })
}
