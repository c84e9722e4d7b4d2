import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { commandOf } from './invocation.ts'

const folder = mkdtempSync(join(tmpdir(), 'invocation-'))
const script = join(folder, 'lib', 'parley.js')
const installed = join(folder, 'bin', 'parley')
mkdirSync(join(folder, 'lib'))
mkdirSync(join(folder, 'bin'))
writeFileSync(script, '')
symlinkSync(script, installed)
afterAll(() => rmSync(folder, { recursive: true }))

describe('the command that was typed', () => {
  test('by npx, whatever else is installed', () => {
    const env = { npm_command: 'exec', PATH: join(folder, 'bin') }
    expect(commandOf({ script: installed, env, cwd: folder })).toBe('npx a2a-parley')
  })

  test('installed for everybody: the shell finds it', () => {
    expect(commandOf({ script: installed, env: { PATH: join(folder, 'bin') }, cwd: '/' })).toBe('parley')
    expect(commandOf({ script, env: { PATH: join(folder, 'bin') }, cwd: '/' })).toBe('parley')
  })

  test('another program of that name on the path is not it', () => {
    const other = mkdtempSync(join(tmpdir(), 'invocation-other-'))
    writeFileSync(join(other, 'parley'), '')
    expect(commandOf({ script, env: { PATH: other }, cwd: folder })).toBe('node lib/parley.js')
    rmSync(other, { recursive: true })
  })

  test('installed in the project of the working directory', () => {
    const local = join(folder, 'node_modules', '.bin', 'parley')
    expect(commandOf({ script: local, env: {}, cwd: folder })).toBe('npx a2a-parley')
  })

  test('a script elsewhere is named in full', () => {
    expect(commandOf({ script, env: {}, cwd: '/' })).toBe(`node ${script}`.replace('node /', 'node '))
    expect(commandOf({ script, env: {}, cwd: join(folder, 'bin') })).toBe(`node ${script}`)
  })
})
