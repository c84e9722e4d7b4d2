import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readFileUpTo } from './read-file-up-to.ts'

const MIB = 1024 * 1024
const folder = mkdtempSync(join(tmpdir(), 'parley-read-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a file is read whole up to the bound, and refused above it', () => {
  const path = join(folder, 'file')
  const bytes = Buffer.alloc(2 * MIB, 'abc')
  writeFileSync(path, bytes)
  expect(readFileUpTo(path, 2 * MIB).equals(bytes)).toBe(true)
  writeFileSync(path, Buffer.concat([bytes, Buffer.from('d')]))
  expect(() => readFileUpTo(path, 2 * MIB)).toThrow('it is larger than 2 MiB')
})

test('a device that never ends is refused', () => {
  expect(() => readFileUpTo('/dev/zero', 3 * MIB)).toThrow('it is larger than 3 MiB')
})

test.each([
  ['nowhere', 'ENOENT'],
  ['.', 'EISDIR'],
])('%s is what the system says', (name, code) => {
  expect(() => readFileUpTo(join(folder, name), MIB)).toThrow(code)
})
