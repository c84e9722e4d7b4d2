// Artifacts in a folder. Names never become paths: folders are hashes, and the name lies inside the file, in a
// one-line JSON header before the bytes, so metadata and bytes appear in one step. A version is written to a temporary
// file, synced, and linked to its number, which fails if another writer has taken it; then the folder is synced.
// A crash between any two steps leaves either the whole version or nothing but a temporary file.

import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, link, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { ParleyError } from '../model/errors.ts'
import {
  type ArtifactInput,
  type ArtifactKey,
  type ArtifactMetadata,
  type ArtifactOwner,
  type ArtifactStore,
  type ArtifactStoreOptions,
  checkKey,
  checkOwner,
  isUserWide,
  metadataFor,
  namespaceOf,
  type StoredArtifact,
  type VersionChoice,
} from './artifact-store.ts'

export type WriteStep = 'folder' | 'written' | 'synced' | 'linked' | 'unlinked' | 'folder-synced'

export interface FileStoreOptions extends ArtifactStoreOptions {
  readonly directory: string
  /** Called after each step of a write, so that tests can end the process there. */
  readonly afterStep?: (step: WriteStep) => void
}

interface Header extends ArtifactMetadata {
  readonly name: string
  /** The version existed and was deleted; its number stays taken. */
  readonly isDeleted?: true
}

const VERSION_FILE = /^(\d{1,15})\.artifact$/
const TEMPORARY = '.tmp'
const MAX_HEADER_BYTES = 32 * 1024

export async function openFileArtifactStore(options: FileStoreOptions): Promise<ArtifactStore> {
  await makeFolder(options.directory)
  return new FileArtifactStore(options)
}

class FileArtifactStore implements ArtifactStore {
  readonly #options: FileStoreOptions
  readonly #afterStep: (step: WriteStep) => void

  constructor(options: FileStoreOptions) {
    this.#options = options
    this.#afterStep = options.afterStep ?? (() => {})
  }

  async save(key: ArtifactKey, input: ArtifactInput): Promise<ArtifactMetadata> {
    checkKey(key)
    const afterStep = this.#afterStep
    const folder = this.#folderOf(key)
    await makeFolder(folder)
    afterStep('folder')
    const { firstVersion = 1 } = this.#options
    let version = ((await numbersIn(folder)).at(-1) ?? firstVersion - 1) + 1
    for (;;) {
      const metadata = metadataFor(version, input, this.#options)
      const temporary = await this.#writeTemporary(folder, { ...metadata, name: key.name }, input.bytes)
      const isOurs = await claim(temporary, join(folder, fileName(version)))
      if (isOurs) afterStep('linked')
      await unlink(temporary)
      if (isOurs) {
        afterStep('unlinked')
        await syncFolder(folder)
        afterStep('folder-synced')
        return metadata
      }
      version++
    }
  }

  async load(key: ArtifactKey, version: VersionChoice = 'latest'): Promise<StoredArtifact | undefined> {
    checkKey(key)
    const folder = this.#folderOf(key)
    const picked = version === 'latest' ? (await liveHeaders(folder)).at(-1)?.version : version
    if (picked === undefined) return undefined
    const content = await readWhole(join(folder, fileName(picked)))
    if (content === undefined) return undefined
    const { header, bytes } = content
    return header.isDeleted ? undefined : { bytes, metadata: metadataOf(header) }
  }

  async list(owner: ArtifactOwner): Promise<string[]> {
    checkOwner(owner)
    const names: string[] = []
    for (const userWide of [false, true]) {
      const place = join(this.#options.directory, digest(namespaceOf(owner, userWide)))
      for (const versions of await entriesOf(place)) {
        const latest = (await liveHeaders(join(place, versions))).at(-1)
        if (latest !== undefined) names.push(latest.name)
      }
    }
    return names.sort()
  }

  async versions(key: ArtifactKey): Promise<ArtifactMetadata[]> {
    checkKey(key)
    return (await liveHeaders(this.#folderOf(key))).map(metadataOf)
  }

  async delete(key: ArtifactKey, version?: VersionChoice): Promise<boolean> {
    checkKey(key)
    const folder = this.#folderOf(key)
    const live = await liveHeaders(folder)
    const wanted = version === 'latest' ? live.at(-1)?.version : version
    const doomed = version === undefined ? live : live.filter((header) => header.version === wanted)
    if (doomed.length === 0) return false
    for (const header of doomed) await this.#bury(folder, header)
    await syncFolder(folder)
    return true
  }

  async close(): Promise<void> {}

  #folderOf(key: ArtifactKey): string {
    return join(this.#options.directory, digest(namespaceOf(key, isUserWide(key.name))), digest(key.name))
  }

  async #writeTemporary(folder: string, header: Header, bytes: Uint8Array): Promise<string> {
    const path = join(folder, `${randomUUID()}${TEMPORARY}`)
    const file = await open(path, 'wx')
    try {
      await file.writev([Buffer.from(`${JSON.stringify(header)}\n`), bytes])
      this.#afterStep('written')
      await file.sync()
      this.#afterStep('synced')
    } finally {
      await file.close()
    }
    return path
  }

  /** Replaces a version by its header alone: atomic like a save, and the number stays taken. */
  async #bury(folder: string, header: Header): Promise<void> {
    const temporary = await this.#writeTemporary(folder, { ...header, size: 0, isDeleted: true }, new Uint8Array())
    await rename(temporary, join(folder, fileName(header.version)))
  }
}

/** The headers of all versions that are not deleted, oldest first. */
async function liveHeaders(folder: string): Promise<Header[]> {
  const found = await Promise.all((await numbersIn(folder)).map((version) => readHeader(folder, version)))
  return found.filter((header) => header !== undefined).filter((header) => header.isDeleted === undefined)
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function fileName(version: number): string {
  return `${version}.artifact`
}

function metadataOf(header: Header): ArtifactMetadata {
  const { name: _, isDeleted: __, ...metadata } = header
  return metadata
}

/** True when the link is ours, false when the number was taken in the meantime. */
async function claim(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function numbersIn(folder: string): Promise<number[]> {
  const numbers: number[] = []
  for (const entry of await entriesOf(folder)) {
    const match = VERSION_FILE.exec(entry)
    if (match !== null) numbers.push(Number(match[1]))
  }
  return numbers.sort((a, b) => a - b)
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

async function readHeader(folder: string, version: number): Promise<Header | undefined> {
  return withFile(join(folder, fileName(version)), async (file, path) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0)
    return parseHeader(path, buffer.subarray(0, bytesRead)).header
  })
}

async function readWhole(path: string): Promise<{ header: Header; bytes: Uint8Array } | undefined> {
  return withFile(path, async (file) => {
    const content = await file.readFile()
    const { header, length } = parseHeader(path, content)
    return { header, bytes: new Uint8Array(content.subarray(length)) }
  })
}

async function withFile<T>(path: string, read: (file: FileHandle, path: string) => Promise<T>): Promise<T | undefined> {
  let file: FileHandle
  try {
    file = await open(path, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    return await read(file, path)
  } finally {
    await file.close()
  }
}

function parseHeader(path: string, content: Buffer): { header: Header; length: number } {
  const end = content.indexOf(0x0a)
  try {
    if (end < 0) throw new Error('no header line')
    return { header: JSON.parse(content.toString('utf8', 0, end)) as Header, length: end + 1 }
  } catch (cause) {
    throw new ParleyError('artifact-store-damaged', `${path} is not an artifact file; move it away and try again.`, {
      cause,
    })
  }
}

/** Creates the folder and makes its name durable in every parent that had to be created. */
/** One level after the other: asked for all at once, Node tries for ever where a level cannot be made, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = []
  let path = resolve(folder)
  for (; !(await isFolder(path)); path = dirname(path)) missing.unshift(path)
  for (const each of missing) {
    try {
      await mkdir(each)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || !(await isFolder(each))) throw unusable(folder, error)
    }
    await syncFolder(dirname(each))
  }
}

/** Throws for a file where a folder should be. */
async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw unusable(path, error)
  }
  throw new ParleyError('artifacts-unwritable', `Files cannot be stored in ${path}: it is a file, not a folder.`)
}

function unusable(folder: string, cause: unknown): ParleyError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new ParleyError('artifacts-unwritable', `Files cannot be stored in ${folder}: ${why}.`, { cause })
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } catch (error) {
    // Some platforms cannot sync a folder; there the file system's own ordering has to do.
    if (!['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP'].includes(codeOf(error) ?? '')) throw error
  } finally {
    await handle.close()
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
