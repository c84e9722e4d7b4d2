import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { initCommand } from './init.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-init-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const quiet = { out() {}, err() {}, exit() {} }

function init(...args: string[]): Promise<unknown> {
  return initCommand(quiet as never).parseAsync(args, { from: 'user' })
}

test('makes the folders on the way', async () => {
  await init(join(folder, 'a', 'b'))
  expect(readdirSync(join(folder, 'a', 'b')).sort()).toEqual(
    ['.gitignore', 'agent.test.ts', 'agent.ts', 'package.json', 'tsconfig.json'].sort(),
  )
})

test('replaces nothing, and writes nothing then', async () => {
  writeFileSync(join(folder, 'agent.ts'), 'mine')
  await expect(init(folder)).rejects.toThrow(`${join(folder, 'agent.ts')} is there already; nothing was written.`)
  expect(readdirSync(folder)).toEqual(['agent.ts'])
})

test('says why nothing can be written', async () => {
  writeFileSync(join(folder, 'file'), '')
  await expect(init(join(folder, 'file'))).rejects.toThrow('a file is in the place of a folder')
  await expect(init(join(folder, 'file', 'below'))).rejects.toThrow('a file is in the place of a folder')
  await expect(init('/proc/parley')).rejects.toThrow('The project cannot be written to /proc/parley')
})
