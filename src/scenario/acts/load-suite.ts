// Reads a suite file and what it includes. Everything wrong with any of the files is reported together, each with
// file, line and key; nothing runs before all of it is right.

import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { DialectId } from '../../dialects/dialect.ts'
import { DIALECT_IDS, dialectOfVersion } from '../../dialects/index.ts'
import { unreadable } from '../../yaml/file.ts'
import { invalidFile, type Position, type Problem, YamlSource } from '../../yaml/source.ts'
import { type ActsDocument, type ActsSuite, behaviourContract, document } from './document-shape.ts'

export interface LoadedSuite {
  readonly suite: ActsSuite
  readonly actsVersion: string
  /** As written in the document. */
  readonly specVersion: string
  readonly generation: DialectId
  readonly variables: ReadonlyMap<string, string>
  readonly file: string
}

const MAX_FILES = 500

export async function loadSuites(paths: readonly string[]): Promise<LoadedSuite[]> {
  const loading = new Loading()
  for (const path of paths) await loading.add(path, undefined, new Map())
  if (loading.problems.length > 0) throw invalidFile('bad-suite', loading.problems)
  return loading.suites
}

class Loading {
  readonly suites: LoadedSuite[] = []
  readonly problems: Problem[] = []
  readonly #seen = new Set<string>()
  readonly #tests = new Map<string, Position>()

  async add(path: string, includedAt: Position | undefined, outer: ReadonlyMap<string, string>): Promise<void> {
    const full = resolve(path)
    // A file included twice, or by itself, is still one set of tests.
    if (this.#seen.has(full)) return
    this.#seen.add(full)
    if (this.#seen.size > MAX_FILES) return
    const text = await readFile(full, 'utf8').catch((cause: unknown) => this.#unreadable(path, includedAt, cause))
    if (text === undefined) return
    const source = new YamlSource(path, text)
    const read = source.problems.length > 0 ? undefined : readDocument(source)
    this.problems.push(...source.problems)
    if (read === undefined) return
    const variables = new Map([...outer, ...(read.variables ?? [])])
    this.#keep(read, path, variables, source)
    for (const { value, position } of read.include ?? []) {
      await this.add(includedPath(path, value), position, variables)
    }
  }

  #keep(read: ActsDocument, file: string, variables: ReadonlyMap<string, string>, source: YamlSource): void {
    const generation = dialectOfVersion(read.spec_version)?.id
    if (generation === undefined) {
      const message = `spec_version ${read.spec_version} is not a protocol version Parley speaks; it speaks ${DIALECT_IDS.join(', ')}`
      this.problems.push({ ...source.positionOf(source.root), message })
      return
    }
    for (const suite of read.suites ?? []) {
      for (const { value, position } of suite.tests) this.#noteTest(value.id, position)
      const { acts_version: actsVersion, spec_version: specVersion } = read
      this.suites.push({ suite, actsVersion, specVersion, generation, variables, file })
    }
  }

  #noteTest(id: string, position: Position): void {
    const first = this.#tests.get(id)
    if (first === undefined) this.#tests.set(id, position)
    else {
      const message = `the test id '${id}' is already used at ${first.file}:${first.line}; ids must be unique`
      this.problems.push({ ...position, message })
    }
  }

  #unreadable(path: string, includedAt: Position | undefined, cause: unknown): undefined {
    if (includedAt === undefined) throw unreadable(path, 'suite', 'suite-unreadable', cause)
    this.problems.push({ ...includedAt, message: `the included file ${path} cannot be read` })
    return undefined
  }
}

function readDocument(source: YamlSource): ActsDocument | undefined {
  const isContract = source.members(source.root).some(({ key }) => key === 'behaviors')
  if (!isContract) return document.read(source.root, source, '')
  const contract = behaviourContract.read(source.root, source, '')
  // Nothing to run, but valid.
  return contract && { acts_version: contract.acts_version, spec_version: '1.0', suites: [] }
}

function includedPath(from: string, to: string): string {
  return isAbsolute(to) ? to : join(dirname(from), to)
}
