// What the scripted agent has produced in a session, kept in an artifact service of its own: pieces of one artifact become
// one version, and an artifact that is replaced, continued in a later turn or made again by another task gets the next.

import {
  type ArtifactKey,
  type ArtifactStore,
  DEFAULT_MIME_TYPE,
  type StoredArtifact,
  type VersionChoice,
} from '../artifacts/artifact-store.ts'
import { createMemoryArtifactStore } from '../artifacts/memory-store.ts'
import type { Artifact, Part } from '../model/task.ts'

/** One version. */
export interface ProducedArtifact {
  /** The artifact's name, or its id when it has none. */
  readonly name: string
  readonly version: number
  readonly artifactId: string
  readonly taskId: string
  /** Of its parts, each once. */
  readonly mediaTypes: readonly string[]
  /** In bytes. */
  readonly size: number
}

interface Assembly {
  readonly name: string
  readonly mediaTypes: Set<string>
  readonly pieces: Uint8Array[]
}

/** As many as the journal keeps requests: a mock under load must not grow. */
const MAX_VERSIONS = 2_000
const MAX_NAME_LENGTH = 1_000

export class ProducedArtifacts {
  readonly #store: ArtifactStore = createMemoryArtifactStore()
  readonly #produced: ProducedArtifact[] = []

  /** In the order they became whole. */
  list(): readonly ProducedArtifact[] {
    return [...this.#produced]
  }

  load(name: string, version: VersionChoice = 'latest'): Promise<StoredArtifact | undefined> {
    return this.#store.load(keyOf(name), version)
  }

  lastOf(taskId: string, artifactId: string): ProducedArtifact | undefined {
    return this.#produced.findLast((each) => each.taskId === taskId && each.artifactId === artifactId)
  }

  async save(taskId: string, artifactId: string, { name, mediaTypes, pieces }: Assembly): Promise<void> {
    const [mimeType = DEFAULT_MIME_TYPE] = mediaTypes
    const { version, size } = await this.#store.save(keyOf(name), { bytes: Buffer.concat(pieces), mimeType })
    this.#produced.push({ name, version, artifactId, taskId, mediaTypes: [...mediaTypes], size })
    const oldest = this.#produced.length > MAX_VERSIONS ? this.#produced.shift() : undefined
    if (oldest !== undefined) await this.#store.delete(keyOf(oldest.name), oldest.version)
  }
}

/** The artifacts of one turn, while it is played. */
export class TurnArtifacts {
  readonly #produced: ProducedArtifacts
  readonly #taskId: string
  readonly #open = new Map<string, Assembly>()

  constructor(produced: ProducedArtifacts, taskId: string) {
    this.#produced = produced
    this.#taskId = taskId
  }

  async add(artifact: Artifact, { append, isWhole }: { append: boolean; isWhole: boolean }): Promise<void> {
    const { artifactId, name, parts } = artifact
    const begun = append ? (this.#open.get(artifactId) ?? (await this.#continued(artifactId))) : undefined
    const assembly = begun ?? { name: name || artifactId, mediaTypes: new Set(), pieces: [] }
    for (const part of parts) {
      assembly.mediaTypes.add(mediaTypeOf(part))
      assembly.pieces.push(bytesOf(part))
    }
    this.#open.set(artifactId, assembly)
    if (isWhole) await this.#finish(artifactId, assembly)
  }

  /** A turn that is cut short has still produced what was told. */
  async end(): Promise<void> {
    for (const [artifactId, assembly] of this.#open) await this.#finish(artifactId, assembly)
  }

  async #finish(artifactId: string, assembly: Assembly): Promise<void> {
    this.#open.delete(artifactId)
    await this.#produced.save(this.#taskId, artifactId, assembly)
  }

  async #continued(artifactId: string): Promise<Assembly | undefined> {
    const last = this.#produced.lastOf(this.#taskId, artifactId)
    const stored = last && (await this.#produced.load(last.name, last.version))
    return stored && { name: last.name, mediaTypes: new Set(last.mediaTypes), pieces: [stored.bytes] }
  }
}

/** A script may name an artifact anything; the prefix keeps the service from giving a name a meaning of its own. */
function keyOf(name: string): ArtifactKey {
  const kept = name.slice(0, MAX_NAME_LENGTH).toWellFormed()
  return { app: 'mock', user: 'mock', session: 'mock', name: `artifact:${kept}` }
}

function mediaTypeOf(part: Part): string {
  if (part.mediaType !== undefined) return part.mediaType
  if ('text' in part) return 'text/plain'
  if ('data' in part) return 'application/json'
  return 'url' in part ? 'text/uri-list' : DEFAULT_MIME_TYPE
}

function bytesOf(part: Part): Buffer {
  if ('raw' in part) return Buffer.from(part.raw, 'base64')
  if ('text' in part) return Buffer.from(part.text)
  return Buffer.from('url' in part ? part.url : JSON.stringify(part.data))
}
