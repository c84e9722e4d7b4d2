// Bytes on their way from the agent: saved in the artifact service and replaced by references. Chunks of one file are
// held until the file is whole, so that it becomes one version; the same bytes seen again are not saved again.

import { createHash } from 'node:crypto'
import { type ArtifactOwner, type ArtifactStore, DEFAULT_MIME_TYPE } from '../artifacts/artifact-store.ts'
import { formatArtifactUri } from '../artifacts/artifact-uri.ts'
import { A2AError, ParleyError } from '../model/errors.ts'
import type { TaskArtifactUpdate } from '../model/event.ts'
import type { Artifact, Message, Part, RawPart, Task, UrlPart } from '../model/task.ts'
import { completeReference } from './resolve-references.ts'

interface Assembly {
  /** Everything received so far, with bytes still in it. */
  update: TaskArtifactUpdate
  /** The agent said that there is more than one piece. */
  isChunked: boolean
  isHeld: boolean
  /** Passed on before it was complete, because nothing said that more would come. */
  provisional: readonly SavedFile[]
}

interface SavedFile {
  readonly name: string
  readonly version: number
  readonly digest: string
}

export class ArtifactExtractor {
  readonly #store: ArtifactStore | undefined
  readonly #owner: ArtifactOwner
  readonly #saved = new Map<string, SavedFile>()
  readonly #assemblies = new Map<string, Assembly>()
  /** The task as callers see it: its files need not be saved again, and pieces may continue them. */
  readonly #knownTask: (() => Promise<Task | undefined>) | undefined
  #recalling: Promise<void> | undefined

  /** Without a store everything passes unchanged. */
  constructor(store: ArtifactStore | undefined, owner: ArtifactOwner, knownTask?: () => Promise<Task | undefined>) {
    this.#store = store
    this.#owner = owner
    this.#knownTask = knownTask
  }

  /** Nothing is looked for in what passes. */
  get letsAllPass(): boolean {
    return this.#store === undefined
  }

  message(message: Message): Promise<Message> {
    return this.#replaced(message, message.messageId, 'message')
  }

  /** `files` is told what it holds. */
  artifact(artifact: Artifact, files: SavedFile[] = []): Promise<Artifact> {
    return this.#replaced(artifact, artifact.artifactId, artifact.name ?? artifact.artifactId, files)
  }

  /** What may go on now: nothing while a file is being assembled. */
  async update(update: TaskArtifactUpdate): Promise<TaskArtifactUpdate[]> {
    const { artifactId, parts } = update.artifact
    const hasBytes = parts.some(isRaw)
    const known =
      this.#assemblies.get(artifactId) ?? (update.append === true && hasBytes ? await this.#resumed(update) : undefined)
    const isPiece = update.append === true && known !== undefined
    if (this.#store === undefined || (!isPiece && !hasBytes)) return [update]
    const ready: TaskArtifactUpdate[] = []
    // A replacement: what was held is still something the agent said.
    if (known?.isHeld === true && !isPiece) ready.push(...(await this.#finish(known)))
    const assembly: Assembly = isPiece
      ? { ...known, update: joined(known.update, update), isHeld: true }
      : { update, isChunked: false, isHeld: true, provisional: [] }
    if (update.append === true || update.lastChunk === false) assembly.isChunked = true
    this.#assemblies.set(artifactId, assembly)
    if (update.lastChunk === true) ready.push(...(await this.#finish(assembly)))
    return ready
  }

  /** Before another state is told: files that are whole as far as anybody knows, or at the end of a turn all of them. */
  async release(isEnd: boolean): Promise<TaskArtifactUpdate[]> {
    const ready: TaskArtifactUpdate[] = []
    for (const assembly of this.#assemblies.values())
      if (assembly.isHeld && (isEnd || !assembly.isChunked)) ready.push(...(await this.#finish(assembly, !isEnd)))
    if (isEnd) this.#assemblies.clear()
    return ready
  }

  /** What a piece continues that was passed on before: in an earlier turn, in a whole task, or before a restart. */
  async #resumed({ artifact: { artifactId }, ...rest }: TaskArtifactUpdate): Promise<Assembly | undefined> {
    const task = this.#store && (await this.#knownTask?.())
    const artifact = task?.artifacts?.find((each) => each.artifactId === artifactId)
    if (artifact === undefined) return undefined
    const parts: Part[] = []
    for (const part of artifact.parts) parts.push((await this.#withBytes(part)) ?? part)
    // Callers hold references to what was passed on, so its versions stay.
    return { update: { ...rest, artifact: { ...artifact, parts } }, isChunked: true, isHeld: false, provisional: [] }
  }

  async #withBytes(part: Part): Promise<RawPart | undefined> {
    if (!('url' in part)) return undefined
    const { url, ...described } = part
    const { name, version } = completeReference(url) ?? {}
    if (name === undefined || typeof version !== 'number') return undefined
    // Only what was saved here: an agent may write a reference too, but not to have it read for it.
    if (url !== formatArtifactUri({ ...this.#owner, name, version })) return undefined
    const stored = await this.#store?.load({ ...this.#owner, name }, version)
    return stored && { ...described, raw: Buffer.from(stored.bytes).toString('base64') }
  }

  async #finish(assembly: Assembly, isProvisional = false): Promise<TaskArtifactUpdate[]> {
    assembly.isHeld = false
    const { artifact, append: _append, ...rest } = assembly.update
    const files: SavedFile[] = []
    const replaced = await this.artifact(artifact, files)
    for (const file of assembly.provisional) {
      const isKept = files.some(({ name, version }) => name === file.name && version === file.version)
      if (!isKept) await this.#store?.delete({ ...this.#owner, name: file.name }, file.version)
    }
    assembly.provisional = isProvisional ? files : []
    return [{ ...rest, artifact: replaced }]
  }

  async #replaced<T extends { parts: Part[] }>(
    holder: T,
    id: string,
    fallbackName: string,
    files: SavedFile[] = [],
  ): Promise<T> {
    if (this.#store === undefined || !holder.parts.some(isRaw)) return holder
    const parts: Part[] = []
    let unnamed = 0
    for (const part of holder.parts.reduce<Part[]>(joinFilePieces, [])) {
      if (!isRaw(part)) {
        parts.push(part)
        continue
      }
      const name = part.filename ?? (unnamed++ === 0 ? fallbackName : `${fallbackName}-${unnamed}`)
      parts.push(await this.#reference(part, id, name, files))
    }
    return { ...holder, parts }
  }

  async #reference(part: RawPart, id: string, name: string, files: SavedFile[]): Promise<UrlPart> {
    const { raw, ...described } = part
    const bytes = bytesOf(raw)
    const digest = digestOf(bytes)
    const place = placeOf(id, name)
    this.#recalling ??= this.#recall()
    await this.#recalling
    let file = this.#saved.get(place)
    if (file?.digest !== digest) {
      file = { name, digest, version: await this.#save(name, bytes, part.mediaType) }
      this.#saved.set(place, file)
    }
    files.push(file)
    const url = formatArtifactUri({ ...this.#owner, name, version: file.version })
    return { ...described, url, filename: name }
  }

  async #recall(): Promise<void> {
    const task = await this.#knownTask?.()
    const said = [...(task?.history ?? []), ...(task?.status.message === undefined ? [] : [task.status.message])]
    for (const { artifactId, parts } of task?.artifacts ?? []) await this.#recallFiles(artifactId, parts)
    for (const { messageId, parts } of said) await this.#recallFiles(messageId, parts)
  }

  async #recallFiles(id: string, parts: readonly Part[]): Promise<void> {
    for (const part of parts) {
      const { name, version } = ('url' in part && completeReference(part.url)) || {}
      if (name === undefined || typeof version !== 'number') continue
      const stored = await this.#store?.load({ ...this.#owner, name }, version)
      if (stored === undefined) continue
      this.#saved.set(placeOf(id, name), { name, version, digest: digestOf(stored.bytes) })
    }
  }

  async #save(name: string, bytes: Buffer, mimeType = DEFAULT_MIME_TYPE): Promise<number> {
    if (this.#store === undefined) throw new Error('there is no artifact store')
    try {
      return (await this.#store.save({ ...this.#owner, name }, { bytes, mimeType, source: 'downstream' })).version
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      throw new A2AError('InvalidAgentResponse', `A file of the agent cannot be saved: ${error.message}`)
    }
  }
}

/** A file is known by the artifact or message it is part of, and its name. */
function placeOf(id: string, name: string): string {
  return JSON.stringify([id, name])
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64')
}

function isRaw(part: Part): part is RawPart {
  return 'raw' in part
}

/** Adds a piece: its bytes to the file it continues, everything else as parts of its own (1.0 §4.2.2). */
function joined(whole: TaskArtifactUpdate, piece: TaskArtifactUpdate): TaskArtifactUpdate {
  const parts = [...whole.artifact.parts]
  for (const part of piece.artifact.parts) {
    const at = isRaw(part) ? parts.findLastIndex((known) => isRaw(known) && continues(known, part)) : -1
    const known = parts[at]
    if (isRaw(part) && known !== undefined && isRaw(known)) parts[at] = joinBytes(known, part)
    else parts.push(part)
  }
  return { ...whole, ...piece, artifact: { ...whole.artifact, ...piece.artifact, parts } }
}

function continues(known: RawPart, piece: RawPart): boolean {
  return piece.filename === undefined || piece.filename === known.filename
}

/** A task shows the pieces of a file as parts of one name, one after the other. */
function joinFilePieces(parts: Part[], part: Part): Part[] {
  const last = parts.at(-1)
  const isPiece =
    isRaw(part) && last !== undefined && isRaw(last) && part.filename !== undefined && last.filename === part.filename
  return isPiece ? [...parts.slice(0, -1), joinBytes(last, part)] : [...parts, part]
}

function joinBytes(known: RawPart, piece: RawPart): RawPart {
  return { ...known, raw: Buffer.concat([bytesOf(known.raw), bytesOf(piece.raw)]).toString('base64') }
}

function bytesOf(raw: string): Buffer {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(raw))
    throw new A2AError('InvalidAgentResponse', 'The agent sent a file whose bytes are not base64.')
  return Buffer.from(raw, 'base64')
}
