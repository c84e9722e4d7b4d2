// How a script is written: the shapes of the YAML file, from which validation and the editor schema both come.

import { DECLARED_ERRORS, DIALECT_IDS } from '../../dialects/index.ts'
import type { A2AErrorKind } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import {
  boolean,
  choice,
  described,
  durationMs,
  either,
  type Infer,
  integer,
  json,
  jsonObject,
  keyed,
  list,
  located,
  mapOf,
  nonEmptyText,
  nothing,
  number,
  optional,
  record,
  refine,
  text,
} from '../../yaml/shape.ts'
import { faultShape } from '../faults/fault-shape.ts'
import { STATE_NAMES, stateNamed } from './scripted-event.ts'

/** What generations declare beyond these is a word of scripts, too. */
const KINDS: readonly A2AErrorKind[] = [
  'TaskNotFound',
  'TaskNotCancelable',
  'PushNotificationNotSupported',
  'UnsupportedOperation',
  'ContentTypeNotSupported',
  'InvalidAgentResponse',
  'ExtendedAgentCardNotConfigured',
  'ExtensionSupportRequired',
  'VersionNotSupported',
  'InvalidRequest',
  'InvalidParams',
  'InternalError',
  'Unauthenticated',
  'PermissionDenied',
  'ResourceExhausted',
  'Unavailable',
]

const contentFields = {
  text: optional(text),
  data: optional(json),
  parts: optional(list(json, 1)),
}

/** `complete: "Done."`, `complete: { text: Done., data: {…} }`, or `complete:` alone. */
const content = either(text, nothing, record({ ...contentFields, metadata: optional(jsonObject) }))

const artifact = record({
  id: optional(nonEmptyText),
  name: optional(nonEmptyText),
  description: optional(text),
  mediaType: optional(nonEmptyText),
  text: optional(text),
  data: optional(json),
  base64: optional(text),
  file: optional(located(nonEmptyText)),
  chunks: optional(integer(1, 10_000)),
  append: optional(boolean),
  lastChunk: optional(boolean),
  metadata: optional(jsonObject),
})

const state = refine(
  text,
  (value, report) => stateNamed(value) ?? report(`must be one of ${STATE_NAMES.join(', ')}, not '${value}'`),
  { enum: [...STATE_NAMES, ...STATE_NAMES.map((name) => stateNamed(name) ?? '')] },
)

const step = keyed('step', {
  status: record({ status: state, ...contentFields, metadata: optional(jsonObject) }),
  delay: record({ delay: durationMs }),
  artifact: record({ artifact }),
  message: record({ message: content }),
  complete: record({ complete: content }),
  fail: record({ fail: content }),
  reject: record({ reject: content }),
  'input-required': record({ 'input-required': content }),
  'auth-required': record({ 'auth-required': content }),
  event: record({ event: jsonObject }),
  error: record({ error: record({ kind: choice([...KINDS, ...DECLARED_ERRORS.keys()]), message: optional(text) }) }),
})

const textMatch = refine(
  either(text, record({ regex: optional(nonEmptyText), contains: optional(text), equals: optional(text) })),
  (value, report) => {
    if (typeof value === 'string') return { contains: value }
    return Object.keys(value).length === 0 ? report('needs one of regex, contains, equals') : value
  },
)

const dataMatch = record({
  regex: optional(nonEmptyText),
  contains: optional(text),
  equals: optional(json),
  exists: optional(boolean),
})

const match = record({
  text: optional(described(textMatch, 'The concatenated text parts; a plain text means contains.')),
  jsonpath: optional(
    described(mapOf(either(dataMatch, json)), 'JSON paths into data parts, with the value expected there.'),
  ),
  headers: optional(mapOf(textMatch)),
  skill: optional(nonEmptyText),
  turn: optional(integer(0)),
  context: optional(textMatch),
})

const rule = record({
  id: optional(located(nonEmptyText)),
  match: optional(located(match)),
  turns: list(list(located(step)), 1),
  times: optional(
    refine(either(integer(0), record({ min: optional(integer(0)), max: optional(integer(0)) })), (value, report) => {
      const range = typeof value === 'number' ? { min: value, max: value } : value
      const { min = 0, max = Number.POSITIVE_INFINITY } = range
      return min > max ? report(`has a min of ${min} and a max of ${max}`) : { min, max }
    }),
  ),
})

const credential = either(
  choice(['bearer', 'api-key']),
  record({
    bearer: optional(nonEmptyText),
    apiKey: optional(record({ header: optional(nonEmptyText), value: optional(nonEmptyText) })),
  }),
)

const skill = record({
  id: nonEmptyText,
  name: optional(nonEmptyText),
  description: optional(text),
  tags: optional(list(nonEmptyText, 1)),
})

/** YAML reads an unquoted 0.3 as a number and 1.0 as 1. */
export const generationShape = refine(
  either(text, number(0, 99)),
  (value, report) => {
    const name = typeof value === 'number' ? value.toFixed(1) : value
    return (
      DIALECT_IDS.find((known) => known === name) ?? report(`must be one of ${DIALECT_IDS.join(', ')}, not ${value}`)
    )
  },
  { enum: [...DIALECT_IDS, ...DIALECT_IDS.map(Number)] },
)

const agent = record({
  name: optional(nonEmptyText),
  description: optional(nonEmptyText),
  version: optional(nonEmptyText),
  streaming: optional(boolean),
  generation: optional(generationShape),
  security: optional(list(credential)),
  skills: optional(list(skill, 1)),
  ids: optional(
    described(choice(['random', 'counted']), 'counted: task-1, context-1, … in order, the same in every run.'),
  ),
})

export const scriptShape = record({
  agent: optional(agent),
  include: optional(
    described(list(located(nonEmptyText)), 'Further files with rules and faults, relative to this one.'),
  ),
  rules: optional(list(rule)),
  faults: optional(list(located(faultShape))),
})

export type WrittenScript = Infer<typeof scriptShape>
export type WrittenAgent = Infer<typeof agent>
export type WrittenRule = Infer<typeof rule>
export type WrittenMatch = Infer<typeof match>
export type WrittenStep = Infer<typeof step>
export type WrittenContent = Infer<typeof content>
export type WrittenArtifact = Infer<typeof artifact>

export const SCRIPT_JSON_SCHEMA: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Parley mock script',
  ...scriptShape.schema,
}
