import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build, isOlder, versionIn, whatIsMissing } from './build.ts'
import type { Folder } from './corpus.ts'

let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-build-'))
})
afterAll(() => rm(home, { recursive: true }))

const agents = [{ name: 'one', does: 'nothing', run: ['true'] }]

async function folder(name: string, script: string): Promise<Folder> {
  const path = join(home, name)
  await mkdir(path, { recursive: true })
  await writeFile(join(path, 'build.sh'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return { name, path, manifest: { sdk: 'none', language: 'sh', agents }, rulings: [], clientRulings: [] }
}

test.each([
  ['3.11.7', '3.10', false],
  ['3.9', '3.10', true],
  ['17', '17', false],
  ['1.26', '1.26.1', true],
  ['2', '1.99', false],
])('%s against %s', (found, wanted, older) => {
  expect(isOlder(found, wanted)).toBe(older)
})

test.each([
  ['Python 3.11.7', '3.11.7'],
  ['go version go1.26.8 linux/amd64', '1.26.8'],
  ['\u001B[1mApache Maven 3.8.7\u001B[m\nMaven home: /usr/share/maven', '3.8.7'],
])('the version in %j', (text, version) => {
  expect(versionIn(text)).toBe(version)
})

test('a program that is missing or too old is named', async () => {
  const needs = (command: string, atLeast: string) =>
    whatIsMissing({ sdk: 'x', language: 'y', agents, needs: [{ command, atLeast }] })
  expect(await needs('no-such-program --version', '1')).toContain('no-such-program 1 or later')
  expect(await needs('node --version', '999')).toContain('999')
  expect(await needs('node --version', '1')).toBeUndefined()
})

test('the same inputs are built once, other inputs again', async () => {
  const target = join(home, 'target')
  const first = await folder('counted', 'echo built >> "$BUILD/count"')
  expect(await build(first, target)).toBe('built')
  expect(await build(first, target)).toBe('kept')
  await writeFile(join(first.path, 'program.py'), 'print()')
  expect(await build(first, target)).toBe('built')
  expect(await readFile(join(target, 'count'), 'utf8')).toBe('built\nbuilt\n')
})

test('a ruling does not cause a build', async () => {
  const target = join(home, 'ruled-target')
  const one = await folder('ruled', 'true')
  await build(one, target)
  await writeFile(join(one.path, 'rulings.yaml'), 'rulings: []')
  expect(await build(one, target)).toBe('kept')
})

test('a build that fails says what it printed, and is tried again', async () => {
  const target = join(home, 'failing-target')
  const failing = await folder('failing', 'echo no such package >&2; exit 7')
  await expect(build(failing, target)).rejects.toThrow(/ended with 7:\nno such package/)
  await expect(build(failing, target)).rejects.toThrow('ended with 7')
})
