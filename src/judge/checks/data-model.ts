// Rules of the data model and of its JSON that hold for everything an agent says (1.0 §4.1, §5.5, §5.6).

import type { Issue } from '../../model/issue.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import { TASK_STATES } from '../../model/task.ts'
import type { Inspect, Observation, ObservationKind } from '../probe/observation.ts'
import { encodingIssues, roleIssues } from './answers.ts'
import { area, OVER_HTTP, observed, type PlacedCheck } from './check.ts'
import { firstRepeated } from './first-repeated.ts'
import { isProtoSpelling } from './protocol-names.ts'

const TALK: readonly ObservationKind[] = ['sendResult', 'task', 'taskList', 'event', 'notification']
/** Whose members are the author's own. */
const FREE = new Set(['metadata', 'data', 'params', 'header', 'details'])

export const dataModelChecks: PlacedCheck[] = area({ name: 'data-model', category: 'lifecycle', phase: 6 }, [
  observed(
    'json-utf8',
    'MUST write JSON as UTF-8 without a byte order mark',
    {
      proves: ['json-utf8'],
      fix: 'Encode answers as UTF-8, and write nothing before the JSON.',
      why: 'Most readers of JSON stop at a byte order mark, and take other encodings for damaged text.',
      causes: [
        'The standard encoding of the platform is used.',
        'The writer of the platform puts a mark before the text.',
      ],
      bindings: OVER_HTTP,
    },
    ['answer'],
    encodingIssues,
  ),
  observed(
    'json-camel-case',
    'MUST spell members in lowerCamelCase',
    { proves: ['json-camel-case'], fix: 'Serialise with lowerCamelCase names: contextId, not context_id.' },
    TALK,
    each((name, _value, pointer) =>
      isProtoSpelling(name) ? issue(pointer, `the member ${name} is not lowerCamelCase`) : [],
    ),
  ),
  observed(
    'json-no-kind',
    'SHOULD NOT tag objects with kind',
    {
      proves: ['json-no-kind', 'stream-no-legacy-members'],
      fix: 'Remove kind and final: 1.0 tells objects apart by the member that holds them.',
    },
    TALK,
    each((name, value, pointer) =>
      name === 'kind' || (name === 'final' && typeof value === 'boolean')
        ? issue(pointer, `${name} is a member of older protocol versions`)
        : [],
    ),
  ),
  observed(
    'json-timestamps',
    'MUST write timestamps as ISO 8601 in UTC',
    {
      proves: ['json-timestamp-utc', 'json-timestamp-no-offset'],
      fix: 'Write timestamps such as 2025-01-31T12:00:00.000Z.',
    },
    TALK,
    each((name, value, pointer) => {
      if (name !== 'timestamp') return []
      const isUtc =
        typeof value === 'string' &&
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value) &&
        !Number.isNaN(Date.parse(value))
      return isUtc ? [] : issue(pointer, `${JSON.stringify(value)} is not an ISO 8601 timestamp ending in Z`)
    }),
  ),
  observed(
    'json-timestamp-millis',
    'SHOULD write timestamps with milliseconds',
    {
      proves: ['json-timestamp-millis'],
      fix: 'Write timestamps with three fraction digits.',
      // Over gRPC it is no text.
      bindings: OVER_HTTP,
    },
    TALK,
    withoutFractions(),
  ),
  observed(
    'json-enums',
    'MUST write enums by their names in the protocol',
    {
      proves: ['json-enum-names', 'state-valid-name', 'dm-role-enum'],
      fix: 'Write TASK_STATE_COMPLETED and ROLE_AGENT, not completed or 3.',
      yieldsTo: ['state-specified', 'status-message-role'],
    },
    TALK,
    each((name, value, pointer) => {
      if (name === 'state' && !TASK_STATES.some((known) => known === value))
        return issue(pointer, `${JSON.stringify(value)} is not a valid TaskState; use one such as TASK_STATE_COMPLETED`)
      if (name === 'role' && value !== 'ROLE_USER' && value !== 'ROLE_AGENT')
        return issue(pointer, `${JSON.stringify(value)} is not a valid Role; use ROLE_AGENT or ROLE_USER`)
      return []
    }),
  ),
  observed(
    'state-specified',
    'MUST include the state in every task status',
    { proves: ['state-never-unspecified'], fix: 'Never send TASK_STATE_UNSPECIFIED.' },
    TALK,
    each((name, value, pointer) =>
      name === 'state' && (value === 'TASK_STATE_UNSPECIFIED' || value === 'unknown')
        ? issue(pointer, 'is unspecified')
        : [],
    ),
  ),
  observed(
    'state-timestamp',
    'SHOULD put a timestamp on every status',
    { proves: ['state-timestamp-present'], fix: 'Set status.timestamp whenever the state changes.' },
    TALK,
    each((name, value, pointer) =>
      name === 'status' && isJsonObject(value) && (value.timestamp ?? null) === null
        ? issue(pointer, 'has no timestamp')
        : [],
    ),
  ),
  observed(
    'part-one-content',
    'MUST set exactly one content member in every part',
    { proves: ['dm-part-oneof'], fix: 'Set exactly one of text, raw, url and data on a part.' },
    TALK,
    each((name, value, pointer) => {
      if (name !== 'parts' || !Array.isArray(value)) return []
      return value.flatMap((part, at) => {
        const found = contentsOf(part)
        return found.length === 1
          ? []
          : issue(`${pointer}/${at}`, `has ${found.length === 0 ? 'no content' : found.join(' and ')}`)
      })
    }),
  ),
  observed(
    'part-raw-base64',
    'MUST encode inline bytes as base64',
    { proves: ['json-bytes-base64'], fix: 'Encode raw with base64.' },
    TALK,
    each((name, value, pointer) =>
      name === 'raw' && !(typeof value === 'string' && /^[A-Za-z0-9+/_-]*={0,2}$/.test(value))
        ? issue(pointer, 'is not base64')
        : [],
    ),
  ),
  observed(
    'metadata-object',
    'MUST write metadata as an object',
    { proves: ['json-metadata-object'], fix: 'Write metadata as a JSON object.' },
    TALK,
    each((name, value, pointer) =>
      name === 'metadata' && !isJsonObject(value) ? issue(pointer, 'is not an object') : [],
    ),
  ),
  observed(
    'artifact-ids-unique',
    'MUST give the artifacts of a task distinct ids',
    { proves: ['dm-artifact-id-unique'], fix: 'Give each artifact of a task an artifactId of its own.' },
    TALK,
    each((name, value, pointer) => {
      if (name !== 'artifacts' || !Array.isArray(value)) return []
      const ids = value.map((artifact) => (isJsonObject(artifact) ? artifact.artifactId : undefined))
      const double = firstRepeated(ids)
      return double === -1 ? [] : issue(`${pointer}/${double}`, 'repeats the id of another artifact')
    }),
  ),
  observed(
    'message-ids-unique',
    'SHOULD give every message a unique id',
    {
      proves: ['dm-message-id-unique'],
      fix: 'Generate a fresh messageId for every message.',
      // A history that grows when it is read repeats itself.
      yieldsTo: ['task-final'],
    },
    ['task', 'sendResult'],
    each((name, value, pointer) => {
      if (name !== 'history' || !Array.isArray(value)) return []
      const ids = value.map((message) => (isJsonObject(message) ? message.messageId : undefined))
      const double = firstRepeated(ids)
      return double === -1 ? [] : issue(`${pointer}/${double}`, 'repeats the id of another message')
    }),
  ),
  observed(
    'status-message-role',
    'MUST send its messages with the agent role',
    { proves: ['send-message-reply-role'], fix: 'Set role to ROLE_AGENT on messages of the agent.' },
    TALK,
    roleIssues,
  ),
])

/** A moment at the very second is rightly written without a fraction; so many of them in a row are no chance. */
const ENOUGH_MOMENTS = 5

/** How many moments each run has seen without a fraction, until one has it. */
const wholeSeconds = new WeakMap<object, number>()

function withoutFractions(): Inspect {
  return (observation, { said }) => {
    const look = each((name, value, pointer) => {
      if (name !== 'timestamp' || typeof value !== 'string') return []
      const before = wholeSeconds.get(said) ?? 0
      // Once one has a fraction, the agent knows them.
      const count = /\.\d{3}/.test(value) ? Number.NEGATIVE_INFINITY : before + 1
      wholeSeconds.set(said, count)
      return count < ENOUGH_MOMENTS ? [] : issue(pointer, 'has no milliseconds')
    })
    return look(observation)
  }
}

type Look = (name: string, value: JsonValue | undefined, pointer: string) => readonly Issue[]

interface Member {
  readonly name: string
  readonly value: JsonValue | undefined
  readonly pointer: string
}

/** Ten checks look at the same members, so they are listed once. */
const membersOf = new WeakMap<Observation, readonly Member[]>()

/** Looks at every member of the value that is the protocol's, at any depth. */
function each(look: Look): (observation: Observation) => readonly Issue[] {
  return (observation) => {
    let members = membersOf.get(observation)
    if (members === undefined) {
      members = listed(observation.value)
      membersOf.set(observation, members)
    }
    return members.flatMap(({ name, value, pointer }) => look(name, value, pointer))
  }
}

function listed(whole: JsonValue): Member[] {
  const found: Member[] = []
  const walk = (value: JsonValue | undefined, pointer: string): void => {
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) walk(item, `${pointer}/${at}`)
    } else if (isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value)) {
        // Readers of ProtoJSON take null for absent.
        if (inner === null) continue
        const here = `${pointer}/${name}`
        found.push({ name, value: inner, pointer: here })
        if (!FREE.has(name)) walk(inner, here)
      }
    }
  }
  walk(whole, '')
  return found
}

/** The kinds of content a part has; null is one only as data, and only alone. */
function contentsOf(part: JsonValue): string[] {
  if (!isJsonObject(part)) return []
  const set = ['text', 'raw', 'url', 'data'].filter((member) => (part[member] ?? null) !== null)
  return set.length === 0 && 'data' in part ? ['data'] : set
}

function issue(pointer: string, message: string): readonly Issue[] {
  return [{ pointer, message }]
}
