// What the scripted agent has produced in a session: pieces of one artifact become one version, and an artifact that is
// replaced, continued in a later turn or made again by another task gets the next. Playing a turn only notes the pieces;
// they are put together when somebody asks, because most tests never do.

import { DEFAULT_MIME_TYPE, type StoredArtifact, type VersionChoice } from '../artifacts/artifact-store.ts'
import type { Part } from '../model/task.ts'
import type { ArtifactEmission, Emission } from './interpreter/play-turn.ts'

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

interface Version extends ProducedArtifact {
  readonly bytes: Buffer
  readonly createdAt: string
}

interface Assembly {
  readonly name: string
  readonly mediaTypes: Set<string>
  readonly pieces: Uint8Array[]
}

interface Piece {
  readonly turn: TurnArtifacts
  readonly atMs: number
  /** Which emission of the turn told it; beyond the last one at the end of the turn. */
  readonly index: number
}

/** A mock under load must not grow: as many versions as the journal keeps requests, and pieces to make them of. */
const MAX_VERSIONS = 1_000
const MAX_PIECES = 1_000

export class ProducedArtifacts {
  #pieces: Piece[] = []
  /** So many may be noted before the oldest are forgotten; more than usual while a long turn is played. */
  #room = MAX_PIECES
  #versions: Version[] = []
  readonly #counts = new Map<string, number>()
  readonly #open = new Map<TurnArtifacts, Map<string, Assembly>>()

  /** In the order they became whole. */
  list(): readonly ProducedArtifact[] {
    this.#assemble()
    return this.#versions.map(({ bytes: _bytes, createdAt: _createdAt, ...told }) => told)
  }

  async load(name: string, version: VersionChoice = 'latest'): Promise<StoredArtifact | undefined> {
    this.#assemble()
    const found = this.#versions.findLast(
      (each) => each.name === name && (version === 'latest' || each.version === version),
    )
    if (found === undefined) return undefined
    const { bytes, size, createdAt, mediaTypes } = found
    const mimeType = mediaTypes[0] ?? DEFAULT_MIME_TYPE
    return { bytes, metadata: { version: found.version, mimeType, size, createdAt } }
  }

  note(piece: Piece): void {
    this.#pieces.push(piece)
    if (this.#pieces.length > this.#room) this.#forgetOldestTurns()
  }

  /** Whole turns that are over, so that what is left is never a part of an artifact taken for all of it. */
  #forgetOldestTurns(): void {
    const oldest = this.#pieces.slice(0, this.#pieces.length / 2).map(({ turn }) => turn)
    const forgotten = new Set(oldest.filter(({ isOver }) => isOver))
    for (const turn of forgotten) this.#open.delete(turn)
    this.#pieces = this.#pieces.filter(({ turn }) => !forgotten.has(turn))
    this.#room = Math.max(MAX_PIECES, this.#pieces.length + MAX_PIECES / 2)
  }

  #assemble(): void {
    for (const piece of this.#pieces) {
      const told = piece.turn.emissions[piece.index]
      if (told?.is === 'artifact') this.#add(piece, told)
      else this.#endTurn(piece)
    }
    this.#pieces = []
    this.#room = MAX_PIECES
    if (this.#versions.length > MAX_VERSIONS) this.#versions = this.#versions.slice(-MAX_VERSIONS)
  }

  #add({ turn, index, atMs }: Piece, { artifact, append, lastChunk }: ArtifactEmission): void {
    const { artifactId, name, parts } = artifact
    const open = this.#open.get(turn) ?? new Map<string, Assembly>()
    this.#open.set(turn, open)
    const begun = append ? (open.get(artifactId) ?? this.#continued(turn.taskId, artifactId)) : undefined
    const assembly = begun ?? { name: name || artifactId, mediaTypes: new Set(), pieces: [] }
    for (const part of parts) {
      assembly.mediaTypes.add(mediaTypeOf(part))
      assembly.pieces.push(bytesOf(part))
    }
    open.set(artifactId, assembly)
    if (lastChunk || !isContinued(turn.emissions, index, artifactId)) this.#finish(turn, artifactId, assembly, atMs)
  }

  /** A turn that is cut short has still produced what was told. */
  #endTurn({ turn, atMs }: Piece): void {
    for (const [artifactId, assembly] of this.#open.get(turn) ?? []) this.#finish(turn, artifactId, assembly, atMs)
    this.#open.delete(turn)
  }

  #finish(turn: TurnArtifacts, artifactId: string, { name, mediaTypes, pieces }: Assembly, atMs: number): void {
    const open = this.#open.get(turn)
    open?.delete(artifactId)
    if (open?.size === 0) this.#open.delete(turn)
    const version = (this.#counts.get(name) ?? 0) + 1
    this.#counts.set(name, version)
    const bytes = Buffer.concat(pieces)
    this.#versions.push({
      ...{ name, version, artifactId, taskId: turn.taskId, mediaTypes: [...mediaTypes], size: bytes.length },
      ...{ bytes, createdAt: new Date(atMs).toISOString() },
    })
  }

  #continued(taskId: string, artifactId: string): Assembly | undefined {
    const last = this.#versions.findLast((each) => each.taskId === taskId && each.artifactId === artifactId)
    return last && { name: last.name, mediaTypes: new Set(last.mediaTypes), pieces: [last.bytes] }
  }
}

/** The artifacts of one turn, while it is played. */
export class TurnArtifacts {
  readonly taskId: string
  readonly emissions: readonly Emission[]
  readonly #produced: ProducedArtifacts
  #mayBeOpen = false
  #isOver = false

  constructor(produced: ProducedArtifacts, taskId: string, emissions: readonly Emission[]) {
    this.#produced = produced
    this.taskId = taskId
    this.emissions = emissions
  }

  /** The emission with this index, an artifact, was told. */
  add(index: number, isLast: boolean): void {
    this.#mayBeOpen ||= !isLast
    this.#produced.note({ turn: this, atMs: Date.now(), index })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  end(): void {
    this.#isOver = true
    if (this.#mayBeOpen) this.#produced.note({ turn: this, atMs: Date.now(), index: this.emissions.length })
  }
}

/** Whether the turn goes on to append to the artifact, as it stands after the emission with this index. */
function isContinued(emissions: readonly Emission[], index: number, artifactId: string): boolean {
  for (let i = index + 1; i < emissions.length; i++) {
    const later = emissions[i]
    if (later?.is === 'artifact' && later.artifact.artifactId === artifactId) return later.append
  }
  return false
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
