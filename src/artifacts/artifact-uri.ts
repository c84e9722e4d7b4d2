// artifact://app/user/session/name?version=n, percent-encoded both ways. Not read with URL, which would resolve
// `..` segments and lower-case the app.

import { trimEndOf } from '../base/trim-end.ts'
import { ParleyError } from '../model/errors.ts'
import type { ArtifactKey, VersionChoice } from './artifact-store.ts'

export interface ArtifactReference extends ArtifactKey {
  /** Absent means the latest. */
  readonly version?: VersionChoice
}

const PREFIX = 'artifact://'
const SEGMENT = /^(?:[\w.~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+$/
/** Stops at whatever ends a URI in prose; formatted URIs contain none of these. */
const IN_TEXT = /artifact:\/\/[^\s<>"'`()[\]{}|\\^]+/g

export function formatArtifactUri(reference: ArtifactReference): string {
  const path = [reference.app, reference.user, reference.session, reference.name].map(encodeSegment).join('/')
  return reference.version === undefined ? `${PREFIX}${path}` : `${PREFIX}${path}?version=${reference.version}`
}

export function isArtifactUri(text: string): boolean {
  return text.startsWith(PREFIX)
}

export function parseArtifactUri(uri: string): ArtifactReference {
  if (!isArtifactUri(uri)) throw invalid(uri, `it does not begin with ${PREFIX}`)
  const [path = '', query, ...rest] = uri.slice(PREFIX.length).split('?')
  if (rest.length > 0) throw invalid(uri, 'it has more than one question mark')
  const segments = path.split('/')
  if (segments.length !== 4)
    throw invalid(uri, 'it must name app, user, session and file: artifact://app/user/session/name')
  const [app, user, session, name] = segments.map((segment) => decodeSegment(uri, segment)) as [
    string,
    string,
    string,
    string,
  ]
  const key = { app, user, session, name }
  return query === undefined ? key : { ...key, version: parseVersion(uri, query) }
}

/** Every artifact URI in a text, without the punctuation of the sentence around it. */
export function findArtifactUris(text: string): string[] {
  return Array.from(text.matchAll(IN_TEXT), ([found]) => trimEndOf(found, '.,;:!?'))
}

/** Whether the caller may use the reference: same app and user; the session too, when the caller is bound to one. */
export function ownsArtifact(caller: { app: string; user: string; session?: string }, reference: ArtifactKey): boolean {
  if (caller.app !== reference.app || caller.user !== reference.user) return false
  return caller.session === undefined || caller.session === reference.session || reference.name.startsWith('user:')
}

function encodeSegment(value: string): string {
  // What encodeURIComponent leaves alone could end a URI inside a sentence.
  return encodeURIComponent(value).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function decodeSegment(uri: string, segment: string): string {
  if (segment === '') throw invalid(uri, 'one of app, user, session and name is empty')
  if (!SEGMENT.test(segment)) throw invalid(uri, `'${segment}' has characters that must be percent-encoded`)
  try {
    return decodeURIComponent(segment)
  } catch (cause) {
    throw invalid(uri, `'${segment}' is not percent-encoded UTF-8`, cause)
  }
}

function parseVersion(uri: string, query: string): VersionChoice {
  const match = /^version=(latest|0|[1-9]\d{0,14})$/.exec(query)
  if (match === null)
    throw invalid(uri, "only 'version=<number>' or 'version=latest' is allowed after the question mark")
  return match[1] === 'latest' ? 'latest' : Number(match[1])
}

function invalid(uri: string, why: string, cause?: unknown): ParleyError {
  const shown = uri.length > 200 ? `${uri.slice(0, 200)}…` : uri
  return new ParleyError('artifact-uri-invalid', `'${shown}' is not an artifact URI: ${why}.`, { cause })
}
