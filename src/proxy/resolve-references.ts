// Artifact references on their way to the agent: file parts that point into the artifact service, and complete URIs in
// text, become bytes it can read. Whatever cannot be resolved is an error before anything is sent.

import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import {
  type ArtifactReference,
  findArtifactUris,
  isArtifactUri,
  ownsArtifact,
  parseArtifactUri,
} from '../artifacts/artifact-uri.ts'
import { A2AError, ParleyError } from '../model/errors.ts'
import type { Part, RawPart } from '../model/task.ts'

export interface ReferenceOwner {
  readonly app: string
  readonly user: string
}

/** The parts with every reference resolved; text is left as it was, its files follow it. */
export async function resolveReferences(
  parts: readonly Part[],
  store: ArtifactStore,
  owner: ReferenceOwner,
): Promise<Part[]> {
  const resolved: Part[] = []
  const seen = new Set<string>()
  for (const [index, part] of parts.entries()) {
    const pointer = `/message/parts/${index}`
    if ('url' in part && isArtifactUri(part.url)) {
      const file = await load(part.url, parse(part.url, pointer), pointer, store, owner)
      const { url: _replaced, ...described } = part
      resolved.push({ ...file, ...described })
      continue
    }
    resolved.push(part)
    if (!('text' in part)) continue
    for (const uri of findArtifactUris(part.text)) {
      const reference = completeReference(uri)
      if (reference === undefined || seen.has(uri)) continue
      seen.add(uri)
      resolved.push(await load(uri, reference, pointer, store, owner))
    }
  }
  return resolved
}

async function load(
  uri: string,
  reference: ArtifactReference,
  pointer: string,
  store: ArtifactStore,
  owner: ReferenceOwner,
): Promise<RawPart> {
  const stored = ownsArtifact(owner, reference) ? await store.load(reference, reference.version) : undefined
  // One sentence for both, so that a caller does not learn which artifacts of others exist.
  if (stored === undefined) throw unresolvable(uri, pointer, 'there is no such artifact of this caller')
  return {
    raw: Buffer.from(stored.bytes).toString('base64'),
    filename: reference.name,
    mediaType: stored.metadata.mimeType,
  }
}

function parse(uri: string, pointer: string): ArtifactReference {
  try {
    return parseArtifactUri(uri)
  } catch (error) {
    if (error instanceof ParleyError) throw unresolvable(uri, pointer, error.message)
    throw error
  }
}

/** Prose may mention the scheme without meaning a file: only what is a whole URI counts. */
export function completeReference(uri: string): ArtifactReference | undefined {
  try {
    return parseArtifactUri(uri)
  } catch (error) {
    if (error instanceof ParleyError) return undefined
    throw error
  }
}

function unresolvable(uri: string, pointer: string, why: string): A2AError {
  const shown = uri.length > 200 ? `${uri.slice(0, 200)}…` : uri
  return new A2AError('InvalidParams', `The reference ${shown} cannot be resolved: ${why}. Nothing was sent.`, {
    issues: [{ pointer, message: 'refers to an artifact that cannot be resolved' }],
    metadata: { reference: shown },
  })
}
