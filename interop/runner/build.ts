// Builds a folder with its build.sh into .build/<name>, unless the same inputs were built before. What the machine
// lacks is a reason to skip, what goes wrong is an error.

import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { CORPUS, type Folder, type Manifest } from './corpus.ts'

export const BUILD = join(CORPUS, '.build')

export function buildFolder(name: string): string {
  return join(BUILD, name)
}

/** The words of a command, with the places of this machine in them; what is not known stays as it is. */
export function filledIn(
  words: readonly string[],
  { name }: Pick<Folder, 'name'>,
  more: Readonly<Record<string, string>> = {},
): string[] {
  const values: Readonly<Record<string, string>> = { build: buildFolder(name), node: process.execPath, ...more }
  return words.map((word) => word.replaceAll(/\{(\w+)\}/g, (all, place: string) => values[place] ?? all))
}

/** Why the machine cannot build it, or undefined. */
export async function whatIsMissing({ needs = [] }: Manifest): Promise<string | undefined> {
  for (const { command, atLeast } of needs) {
    const [program = '', ...args] = command.split(' ')
    const found = await versionOf(program, args)
    if (found === undefined) return `it needs ${program} ${atLeast} or later, and \`${command}\` does not run here`
    if (isOlder(found, atLeast)) return `it needs ${program} ${atLeast} or later, and here is ${found}`
  }
  return undefined
}

async function versionOf(program: string, args: string[]): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, { timeout: 60_000 })
    return versionIn(`${stdout}${stderr}`)
  } catch {
    return undefined
  }
}

/** The first number a program prints about itself; some print it in colour. */
export function versionIn(text: string): string {
  return /\d+(\.\d+)*/.exec(stripVTControlCharacters(text))?.[0] ?? '0'
}

export function isOlder(found: string, wanted: string): boolean {
  const [have, want] = [found, wanted].map((text) => text.split('.').map(Number))
  for (const [at, number] of (want ?? []).entries()) {
    const difference = (have?.[at] ?? 0) - number
    if (difference !== 0) return difference < 0
  }
  return false
}

/** Throws with the end of the output when the script fails. */
export async function build(folder: Folder, target = buildFolder(folder.name)): Promise<'built' | 'kept'> {
  const stamp = join(target, 'stamp')
  const inputs = await hashOf(folder.path)
  if ((await readFile(stamp, 'utf8').catch(() => '')) === inputs) return 'kept'
  await mkdir(target, { recursive: true })
  const child = spawn('./build.sh', [], { cwd: folder.path, env: { ...process.env, BUILD: target } })
  let output = ''
  const keep = (chunk: Buffer) => {
    output = `${output}${chunk.toString()}`.slice(-4_000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${folder.name}/build.sh ended with ${code}:\n${output}`)
  await writeFile(stamp, inputs)
  return 'built'
}

/** What was ruled and how an agent is judged does not change what is built. */
const NOT_BUILT = new Set(['peer.yaml', 'rulings.yaml', 'client-rulings.yaml'])

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256').update(process.arch)
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const file of files.sort()) {
    const name = file.slice(path.length + 1)
    if (!NOT_BUILT.has(name)) hash.update(`${name}\0`).update(await readFile(file))
  }
  return hash.digest('hex')
}
