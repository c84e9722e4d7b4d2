// The contract of every artifact store. An artifact is a list of versions that only grows: a version number is
// never given twice, so an old reference never shows new bytes. test/contract/artifact-store.ts proves each
// implementation.

import { defined } from '../base/defined.ts'
import { ParleyError } from '../model/errors.ts'

/** Whose artifacts: one app, one user, one conversation. */
export interface ArtifactOwner {
  /** The application; on a proxy its `app`, or the agent's name. */
  readonly app: string
  /** The caller. */
  readonly user: string
  /** The conversation. */
  readonly session: string
}

/** Which file of whom. */
export interface ArtifactKey extends ArtifactOwner {
  /** A name beginning with `user:` is the same artifact in all sessions of that user. */
  readonly name: string
}

/** A file to store. */
export interface ArtifactInput {
  /** The content. */
  readonly bytes: Uint8Array
  /**
   * Media type of the content.
   * @default 'application/octet-stream'
   */
  readonly mimeType?: string
  /** Where the bytes came from: 'setup', 'downstream', … */
  readonly source?: string
}

/** What is known about a stored file. */
export interface ArtifactMetadata {
  /** Counted upwards for each name; a number is never given twice. */
  readonly version: number
  /** Media type of the content. */
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** ISO 8601, UTC, milliseconds. */
  readonly createdAt: string
  /** Where the bytes came from, as told when they were saved. */
  readonly source?: string
}

/** A stored file with its bytes. */
export interface StoredArtifact {
  /** The content. */
  readonly bytes: Uint8Array
  /** What is known about it. */
  readonly metadata: ArtifactMetadata
}

/** Which version of a file. */
export type VersionChoice = number | 'latest'

export interface ArtifactStoreOptions {
  /** The number of the first version; 1 unless told otherwise. */
  readonly firstVersion?: number
  readonly now?: () => Date
}

/** Where files live between agents. */
export interface ArtifactStore {
  /** Bytes and metadata appear together or not at all. */
  save(key: ArtifactKey, input: ArtifactInput): Promise<ArtifactMetadata>
  /** One version, the latest unless given; undefined when there is none. */
  load(key: ArtifactKey, version?: VersionChoice): Promise<StoredArtifact | undefined>
  /** Names with at least one version, in code-unit order; user-wide ones with their prefix. */
  list(owner: ArtifactOwner): Promise<readonly string[]>
  /** Oldest first; empty when there is no such artifact. */
  versions(key: ArtifactKey): Promise<readonly ArtifactMetadata[]>
  /** One version, or all of them; false when there was nothing to delete. */
  delete(key: ArtifactKey, version?: VersionChoice): Promise<boolean>
  /** Lets go of what it opened. */
  close(): Promise<void>
}

export const DEFAULT_MIME_TYPE = 'application/octet-stream'
const USER_PREFIX = 'user:'
const MAX_PART_LENGTH = 1024

export function isUserWide(name: string): boolean {
  return name.startsWith(USER_PREFIX)
}

/** What is noted about a version that comes now. */
export function metadataFor(version: number, input: ArtifactInput, { now }: ArtifactStoreOptions): ArtifactMetadata {
  const { bytes, mimeType = DEFAULT_MIME_TYPE, source } = input
  const createdAt = (now?.() ?? new Date()).toISOString()
  return { version, mimeType, size: bytes.byteLength, createdAt, ...defined({ source }) }
}

/** One string per place artifacts are kept in: a session, or for user-wide names the user. */
export function namespaceOf(owner: ArtifactOwner, userWide: boolean): string {
  return JSON.stringify(userWide ? [owner.app, owner.user] : [owner.app, owner.user, owner.session])
}

export function checkOwner(owner: ArtifactOwner): void {
  checkPart('app', owner.app)
  checkPart('user', owner.user)
  checkPart('session', owner.session)
}

export function checkKey(key: ArtifactKey): void {
  checkOwner(key)
  checkPart('name', isUserWide(key.name) ? key.name.slice(USER_PREFIX.length) : key.name)
}

/** Names are data, never paths, so only what no URI could carry back is refused. */
function checkPart(what: string, value: string): void {
  const problem =
    value === ''
      ? 'is empty'
      : value.length > MAX_PART_LENGTH
        ? `is longer than ${MAX_PART_LENGTH} characters`
        : undefined
  if (problem !== undefined) throw new ParleyError('artifact-name-invalid', `The artifact's ${what} ${problem}.`)
  if (!value.isWellFormed())
    throw new ParleyError('artifact-name-invalid', `The artifact's ${what} is not well-formed Unicode.`)
}
