// Artifacts in memory, for tests and short-lived servers. Bytes are copied in and out: no buffer is shared.

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

interface Versions {
  nextVersion: number
  /** By version, oldest first; deleted ones are gone, their numbers are not reused. */
  readonly versions: Map<number, StoredArtifact>
}

export function createMemoryArtifactStore(options: ArtifactStoreOptions = {}): ArtifactStore {
  return new MemoryArtifactStore(options)
}

class MemoryArtifactStore implements ArtifactStore {
  readonly #options: ArtifactStoreOptions
  readonly #namespaces = new Map<string, Map<string, Versions>>()

  constructor(options: ArtifactStoreOptions) {
    this.#options = options
  }

  async save(key: ArtifactKey, input: ArtifactInput): Promise<ArtifactMetadata> {
    const versions = this.#versionsOf(key) ?? this.#makeVersions(key)
    const metadata = metadataFor(versions.nextVersion++, input, this.#options)
    versions.versions.set(metadata.version, { bytes: input.bytes.slice(), metadata })
    return metadata
  }

  async load(key: ArtifactKey, version: VersionChoice = 'latest'): Promise<StoredArtifact | undefined> {
    const versions = this.#versionsOf(key)
    const stored = versions && pick(versions, version)
    return stored && { bytes: stored.bytes.slice(), metadata: stored.metadata }
  }

  async list(owner: ArtifactOwner): Promise<string[]> {
    checkOwner(owner)
    const names: string[] = []
    for (const userWide of [false, true])
      for (const [name, versions] of this.#namespaces.get(namespaceOf(owner, userWide)) ?? [])
        if (versions.versions.size > 0) names.push(name)
    return names.sort()
  }

  async versions(key: ArtifactKey): Promise<ArtifactMetadata[]> {
    return Array.from(this.#versionsOf(key)?.versions.values() ?? [], (stored) => stored.metadata)
  }

  async delete(key: ArtifactKey, version?: VersionChoice): Promise<boolean> {
    const versions = this.#versionsOf(key)
    if (versions === undefined || versions.versions.size === 0) return false
    if (version === undefined) {
      versions.versions.clear()
      return true
    }
    const stored = pick(versions, version)
    return stored !== undefined && versions.versions.delete(stored.metadata.version)
  }

  async close(): Promise<void> {
    this.#namespaces.clear()
  }

  #versionsOf(key: ArtifactKey): Versions | undefined {
    checkKey(key)
    return this.#namespaces.get(namespaceOf(key, isUserWide(key.name)))?.get(key.name)
  }

  #makeVersions(key: ArtifactKey): Versions {
    const place = namespaceOf(key, isUserWide(key.name))
    const named = this.#namespaces.get(place) ?? new Map<string, Versions>()
    this.#namespaces.set(place, named)
    const versions: Versions = { nextVersion: this.#options.firstVersion ?? 1, versions: new Map() }
    named.set(key.name, versions)
    return versions
  }
}

function pick(versions: Versions, version: VersionChoice): StoredArtifact | undefined {
  return version === 'latest' ? [...versions.versions.values()].at(-1) : versions.versions.get(version)
}
