// A copy of the tree to which something is added that does not exist, to count what an addition touches.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
/** What a command needs to run from source. */
const NEEDED = ['src', 'requirements', 'suites', 'schemas', 'package.json', 'tsconfig.json', 'tsconfig.build.json']

export interface ThrowAwayTree {
  readonly path: string
  /** Files that the addition added or changed, relative to the tree. */
  readonly touched: readonly string[]
  /** For `runParley` and `startParley`. */
  readonly entry: string
  remove(): void
}

/** A copy of the sources to which `add` adds something. */
export function throwAwayTree(add: (tree: string) => void): ThrowAwayTree {
  const path = mkdtempSync(join(tmpdir(), 'parley-throw-away-'))
  for (const name of NEEDED) cpSync(join(ROOT, name), join(path, name), { recursive: true })
  const entry = join(path, 'test', 'support', 'parley.ts')
  mkdirSync(join(path, 'test', 'support'), { recursive: true })
  cpSync(join(ROOT, 'test', 'support', 'parley.ts'), entry)
  symlinkSync(join(ROOT, 'node_modules'), join(path, 'node_modules'))
  const before = contentsOf(path)
  add(path)
  const touched = [...contentsOf(path)].filter(([file, text]) => before.get(file) !== text).map(([file]) => file)
  return { path, touched, entry, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Each must be found, so that a change of what is copied cannot make this addition empty. */
export function edit(file: string, replacements: readonly (readonly [string | RegExp, string])[]): void {
  let text = readFileSync(file, 'utf8')
  for (const [from, to] of replacements) {
    const changed = text.replace(from, to)
    if (changed === text) throw new Error(`${file} has no ${from}`)
    text = changed
  }
  writeFileSync(file, text)
}

function contentsOf(tree: string): Map<string, string> {
  const files = readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(files.map((file) => [file.slice(tree.length + 1), readFileSync(file, 'utf8')]))
}
