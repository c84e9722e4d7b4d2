// Which generation an inbound request speaks: one pure function of what the request says and what the mount serves
// (1.0 §3.6). The method grammars of the generations are disjoint, so old clients that send no version are still
// understood.

import { A2AError } from '../model/errors.ts'
import type { Dialect, DialectId } from './dialect.ts'
import { dialectById, dialectOfVersion } from './index.ts'
import { isProtocolVersion, majorMinor } from './version.ts'

export interface RequestFacts {
  /** The A2A-Version header or, without one, the query parameter; undefined when there is neither. */
  version: string | undefined
  /** JSON-RPC method; undefined for REST. */
  method: string | undefined
  /** Whether the REST path began with the /v1 of 0.3. */
  hasV1Prefix: boolean
}

export interface MountGenerations {
  dialects: readonly DialectId[]
  /** Serves requests that name no version but look like 1.0 as this, as existing clients expect. */
  unversionedAs: DialectId | undefined
}

export function selectDialect(facts: RequestFacts, mount: MountGenerations): Dialect | A2AError {
  // The first generation knew no versions: a server of its time would not look at the header.
  if (mount.dialects.every((id) => id === '0.1')) return dialectById('0.1')
  const { version } = facts
  const id =
    version === undefined ? unversioned(facts, mount) : version === '' ? older(facts, mount) : dialectNamed(version)?.id
  if (id !== undefined && mount.dialects.includes(id)) return dialectById(id)
  const spoken = mount.dialects.join(', ')
  return new A2AError(
    'VersionNotSupported',
    version
      ? `A2A ${version.slice(0, 20)} is not spoken here; this agent speaks ${spoken}.`
      : `A request without A2A-Version means 0.3, which is not spoken here; this agent speaks ${spoken}.`,
    { metadata: { supportedVersions: spoken } },
  )
}

/** Another minor is another version (1.0 §3.6), and what a header says has to be spelled as the text asks. */
export function dialectNamed(version: string): Dialect | undefined {
  const known = named.get(version)
  if (known !== undefined) return known
  const spoken = isProtocolVersion(version) ? dialectOfVersion(version) : undefined
  if (spoken === undefined || spoken.id !== majorMinor(version)) return undefined
  if (named.size >= MOST_NAMED) named.clear()
  named.set(version, spoken)
  return spoken
}

/** Every request names a version, and few different ones are named: reading each anew cost a fiftieth of an answer. */
const named = new Map<string, Dialect>()
const MOST_NAMED = 32

function unversioned(facts: RequestFacts, mount: MountGenerations): DialectId | undefined {
  const { method, hasV1Prefix } = facts
  const looksNew = method === undefined ? !hasV1Prefix || !mount.dialects.includes('0.3') : !method.includes('/')
  const { unversionedAs: assumed } = mount
  return assumed !== undefined && looksNew && mount.dialects.includes(assumed) ? assumed : older(facts, mount)
}

/** "Agents MUST interpret empty value as 0.3" (1.0 §3.6.2), unless only `tasks/send` clients can mean this. */
function older({ method }: RequestFacts, mount: MountGenerations): DialectId {
  const speaks = (id: DialectId) => mount.dialects.includes(id)
  const isKnownTo = (id: DialectId) => method !== undefined && Object.values(dialectById(id).methods).includes(method)
  if (speaks('0.1') && (!speaks('0.3') || (isKnownTo('0.1') && !isKnownTo('0.3')))) return '0.1'
  return '0.3'
}
