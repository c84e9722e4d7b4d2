import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { artifactStoreContract } from '../../test/contract/artifact-store.ts'
import { openFileArtifactStore, type WriteStep } from './file-store.ts'

const root = mkdtempSync(join(tmpdir(), 'parley-artifacts-'))
const freshDirectory = (): string => mkdtempSync(join(root, 'store-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

artifactStoreContract('file', (options) => openFileArtifactStore({ ...options, directory: freshDirectory() }))

const KEY = { app: 'app', user: 'ann', session: 's1', name: 'log.txt' }

test('survives being closed and opened again', async () => {
  const directory = freshDirectory()
  const store = await openFileArtifactStore({ directory })
  await store.save(KEY, { bytes: Buffer.from('kept'), mimeType: 'text/plain' })
  await store.close()
  const again = await openFileArtifactStore({ directory })
  expect(Buffer.from((await again.load(KEY))?.bytes ?? []).toString()).toBe('kept')
})

test('everything a hostile name leaves on disk lies inside the folder, under generated names', async () => {
  const directory = freshDirectory()
  const store = await openFileArtifactStore({ directory })
  await store.save(
    { ...KEY, app: '../..', user: '/etc', session: '..\\..', name: '../../../escape' },
    { bytes: Buffer.from('x') },
  )
  const written = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  expect(written).toHaveLength(3)
  for (const path of written) {
    expect(path).toMatch(/^[0-9a-f/.]+(?:artifact)?$/)
    expect(realpathSync(join(directory, path)).startsWith(realpathSync(directory) + sep)).toBe(true)
  }
})

describe('killed with SIGKILL', () => {
  const writer = fileURLToPath(new URL('../../test/contract/artifact-writer.ts', import.meta.url))

  /** Runs the writer until it kills itself; resolves to the versions it had acknowledged. */
  async function writeAndDie(directory: string, dieAt: WriteStep, onSave: number): Promise<number[]> {
    const child = spawn(process.execPath, [writer, directory, dieAt, String(onSave)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    const [, signal] = await once(child, 'close')
    expect(signal).toBe('SIGKILL')
    return output.split('\n').filter(Boolean).map(Number)
  }

  const STEPS: WriteStep[] = ['folder', 'written', 'synced', 'linked', 'unlinked', 'folder-synced']
  test.each(STEPS)('after step %s: nothing acknowledged is lost, nothing half-written is seen', async (step) => {
    const directory = freshDirectory()
    const acknowledged = await writeAndDie(directory, step, 3)
    expect(acknowledged).toEqual([1, 2])
    const store = await openFileArtifactStore({ directory })
    const versions = await store.versions(KEY)
    for (const { version, size } of versions) {
      const stored = await store.load(KEY, version)
      expect(Buffer.from(stored?.bytes ?? []).equals(Buffer.alloc(size, version))).toBe(true)
      expect(size).toBe(100_000 + version)
    }
    const expected = ['linked', 'unlinked', 'folder-synced'].includes(step) ? 3 : 2
    expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: expected }, (_, i) => i + 1))
    expect((await store.save(KEY, { bytes: Buffer.from('next') })).version).toBe(expected + 1)
  })
})
