// Artifacts in memory, for tests and short-lived servers. Bytes are copied in and out: nobody shares a buffer.

import {
  type ArtifactKey,
  type ArtifactMetadata,
  type ArtifactStore,
  type ArtifactStoreOptions,
  checkKey,
  checkOwner,
  DEFAULT_MIME_TYPE,
  isUserWide,
  namespaceOf,
  type StoredArtifact,
  type VersionChoice,
} from './artifact-store.ts'

interface Shelf {
  nextVersion: number
  /** By version, oldest first; deleted ones are gone, their numbers are not reused. */
  readonly versions: Map<number, StoredArtifact>
}

export function createMemoryArtifactStore(options: ArtifactStoreOptions = {}): ArtifactStore {
  const { firstVersion = 1, now = () => new Date() } = options
  const namespaces = new Map<string, Map<string, Shelf>>()

  function shelfOf(key: ArtifactKey): Shelf | undefined {
    checkKey(key)
    return namespaces.get(namespaceOf(key, isUserWide(key.name)))?.get(key.name)
  }

  function makeShelf(key: ArtifactKey): Shelf {
    const place = namespaceOf(key, isUserWide(key.name))
    const shelves = namespaces.get(place) ?? new Map<string, Shelf>()
    namespaces.set(place, shelves)
    const shelf: Shelf = { nextVersion: firstVersion, versions: new Map() }
    shelves.set(key.name, shelf)
    return shelf
  }

  function pick(shelf: Shelf, version: VersionChoice): StoredArtifact | undefined {
    return version === 'latest' ? [...shelf.versions.values()].at(-1) : shelf.versions.get(version)
  }

  return {
    async save(key, input) {
      const shelf = shelfOf(key) ?? makeShelf(key)
      const metadata: ArtifactMetadata = {
        version: shelf.nextVersion++,
        mimeType: input.mimeType ?? DEFAULT_MIME_TYPE,
        size: input.bytes.byteLength,
        createdAt: now().toISOString(),
        ...(input.source === undefined ? {} : { source: input.source }),
      }
      shelf.versions.set(metadata.version, { bytes: input.bytes.slice(), metadata })
      return metadata
    },

    async load(key, version = 'latest') {
      const shelf = shelfOf(key)
      const stored = shelf && pick(shelf, version)
      return stored && { bytes: stored.bytes.slice(), metadata: stored.metadata }
    },

    async list(owner) {
      checkOwner(owner)
      const names: string[] = []
      for (const userWide of [false, true])
        for (const [name, shelf] of namespaces.get(namespaceOf(owner, userWide)) ?? [])
          if (shelf.versions.size > 0) names.push(name)
      return names.sort()
    },

    async versions(key) {
      return Array.from(shelfOf(key)?.versions.values() ?? [], (stored) => stored.metadata)
    },

    async delete(key, version) {
      const shelf = shelfOf(key)
      if (shelf === undefined || shelf.versions.size === 0) return false
      if (version === undefined) {
        shelf.versions.clear()
        return true
      }
      const stored = pick(shelf, version)
      return stored !== undefined && shelf.versions.delete(stored.metadata.version)
    },

    async close() {
      namespaces.clear()
    },
  }
}
