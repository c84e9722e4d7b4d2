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

interface Versions {
  nextVersion: number
  /** By version, oldest first; deleted ones are gone, their numbers are not reused. */
  readonly versions: Map<number, StoredArtifact>
}

export function createMemoryArtifactStore(options: ArtifactStoreOptions = {}): ArtifactStore {
  const { firstVersion = 1, now = () => new Date() } = options
  const namespaces = new Map<string, Map<string, Versions>>()

  function versionsOf(key: ArtifactKey): Versions | undefined {
    checkKey(key)
    return namespaces.get(namespaceOf(key, isUserWide(key.name)))?.get(key.name)
  }

  function makeVersions(key: ArtifactKey): Versions {
    const place = namespaceOf(key, isUserWide(key.name))
    const shelves = namespaces.get(place) ?? new Map<string, Versions>()
    namespaces.set(place, shelves)
    const versions: Versions = { nextVersion: firstVersion, versions: new Map() }
    shelves.set(key.name, versions)
    return versions
  }

  function pick(versions: Versions, version: VersionChoice): StoredArtifact | undefined {
    return version === 'latest' ? [...versions.versions.values()].at(-1) : versions.versions.get(version)
  }

  return {
    async save(key, input) {
      const versions = versionsOf(key) ?? makeVersions(key)
      const metadata: ArtifactMetadata = {
        version: versions.nextVersion++,
        mimeType: input.mimeType ?? DEFAULT_MIME_TYPE,
        size: input.bytes.byteLength,
        createdAt: now().toISOString(),
        ...(input.source === undefined ? {} : { source: input.source }),
      }
      versions.versions.set(metadata.version, { bytes: input.bytes.slice(), metadata })
      return metadata
    },

    async load(key, version = 'latest') {
      const versions = versionsOf(key)
      const stored = versions && pick(versions, version)
      return stored && { bytes: stored.bytes.slice(), metadata: stored.metadata }
    },

    async list(owner) {
      checkOwner(owner)
      const names: string[] = []
      for (const userWide of [false, true])
        for (const [name, versions] of namespaces.get(namespaceOf(owner, userWide)) ?? [])
          if (versions.versions.size > 0) names.push(name)
      return names.sort()
    },

    async versions(key) {
      return Array.from(versionsOf(key)?.versions.values() ?? [], (stored) => stored.metadata)
    },

    async delete(key, version) {
      const versions = versionsOf(key)
      if (versions === undefined || versions.versions.size === 0) return false
      if (version === undefined) {
        versions.versions.clear()
        return true
      }
      const stored = pick(versions, version)
      return stored !== undefined && versions.versions.delete(stored.metadata.version)
    },

    async close() {
      namespaces.clear()
    },
  }
}
