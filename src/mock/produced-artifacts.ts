// What the scripted agent has produced in a session: pieces of one artifact become one version, and an artifact that is
// replaced, continued in a later turn or made again by another task gets the next. Playing a turn only notes the pieces;
// they are put together on request, because most tests never do.

import { DEFAULT_MIME_TYPE, type StoredArtifact, type VersionChoice } from '../artifacts/artifact-store.ts'
import type { Part } from '../model/task.ts'
import type { ArtifactEmission, Emission } from './interpreter/play-turn.ts'

/** One version. */
export interface ProducedArtifact {
  /** The artifact's name, or its id when it has none. */
  readonly name: string
  /** Counted from 1 for each name. */
  readonly version: number
  /** The id it has in its task. */
  readonly artifactId: string
  /** The task that produced it. */
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

/** What a turn told, or, with an index beyond its emissions, that it is over. */
interface Piece {
  readonly turn: TurnArtifacts
  readonly index: number
  readonly atMs: number
  /** Its place among the pieces of all turns. */
  readonly order: number
}

/** A mock under load must not grow: as many versions as the journal keeps requests, and emissions to make them of. */
const MAX_VERSIONS = 1_000
const MAX_EMISSIONS = 1_000

export class ProducedArtifacts {
  /** Turns that have told of artifacts, or are about to, since the last request. */
  #turns: TurnArtifacts[] = []
  #emissions = 0
  /** So many may be kept before the oldest turns are forgotten; more than usual while a long one is played. */
  #room = MAX_EMISSIONS
  #pieces = 0
  #versions: Version[] = []
  readonly #counts = new Map<string, number>()
  readonly #open = new Map<TurnArtifacts, Map<string, Assembly>>()

  /** In the order they became whole. */
  list(): readonly ProducedArtifact[] {
    this.#assemble()
    return this.#versions.map(({ bytes: _bytes, createdAt: _createdAt, ...version }) => version)
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

  nextOrder(): number {
    return ++this.#pieces
  }

  note(turn: TurnArtifacts): void {
    this.#turns.push(turn)
    this.#emissions += turn.emissions.length
    if (this.#emissions > this.#room) this.#forgetOldestTurns()
  }

  /** Whole turns that are over, so that what is left is never a part of an artifact taken for all of it. */
  #forgetOldestTurns(): void {
    let excess = this.#emissions - MAX_EMISSIONS / 2
    this.#keep((turn) => {
      if (!turn.isOver || excess <= 0) return true
      excess -= turn.emissions.length
      this.#open.delete(turn)
      return false
    })
  }

  #keep(isKept: (turn: TurnArtifacts) => boolean): void {
    this.#turns = this.#turns.filter(isKept)
    this.#emissions = this.#turns.reduce((sum, { emissions }) => sum + emissions.length, 0)
    this.#room = Math.max(MAX_EMISSIONS, this.#emissions + MAX_EMISSIONS / 2)
  }

  #assemble(): void {
    const pieces = this.#turns.flatMap((turn) => turn.takeNews()).sort((a, b) => a.order - b.order)
    for (const piece of pieces) {
      const emission = piece.turn.emissions[piece.index]
      if (emission?.is === 'artifact') this.#add(piece, emission)
      else this.#endTurn(piece)
    }
    this.#keep(({ isOver }) => !isOver)
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

/** The artifacts of one turn, while it is played: which emissions were told, and when. */
export class TurnArtifacts {
  readonly taskId: string
  readonly emissions: readonly Emission[]
  readonly #produced: ProducedArtifacts
  /** Index, order and time of each piece, one after the other: a single thing to keep instead of one for each. */
  readonly #emitted: number[] = []
  #taken = 0
  #isOver = false

  constructor(produced: ProducedArtifacts, taskId: string, emissions: readonly Emission[]) {
    this.#produced = produced
    this.taskId = taskId
    this.emissions = emissions
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The emission with this index, an artifact, was told. */
  add(index: number): void {
    if (this.#emitted.length === 0) this.#produced.note(this)
    this.#emit(index)
  }

  end(): void {
    this.#isOver = true
    if (this.#emitted.length > 0) this.#emit(this.emissions.length)
  }

  /** What was told since the last time. */
  takeNews(): Piece[] {
    const news: Piece[] = []
    for (; this.#taken < this.#emitted.length; this.#taken += 3) {
      const [index = 0, order = 0, atMs = 0] = this.#emitted.slice(this.#taken, this.#taken + 3)
      news.push({ turn: this, index, order, atMs })
    }
    return news
  }

  #emit(index: number): void {
    this.#emitted.push(index, this.#produced.nextOrder(), Date.now())
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
