// How a script is written: the shapes of the YAML file, from which validation and the editor schema both come.

import { DECLARED_ERRORS, DIALECT_IDS } from '../../dialects/index.ts'
import type { A2AErrorKind } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { publishedSchema } from '../../yaml/published-schema.ts'
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
  titled,
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
const content = either(
  text,
  nothing,
  titled(
    record(
      { ...contentFields, metadata: optional(jsonObject) },
      {
        text: 'Text of the message; may hold {{captures.name}} and other templates.',
        data: 'A data part: any JSON.',
        parts: 'Parts as A2A writes them, instead of text and data.',
        metadata: 'Metadata of the message.',
      },
    ),
    'Content',
  ),
)

const artifact = titled(
  record(
    {
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
    },
    {
      id: 'Its id; generated unless given.',
      name: 'Its name, such as report.csv.',
      description: 'What it is.',
      mediaType: 'Media type of its contents.',
      text: 'Its contents as text.',
      data: 'Its contents as JSON.',
      base64: 'Its contents as base64.',
      file: 'A file with its contents, relative to the script and inside its folder.',
      chunks: 'Send it in so many pieces.',
      append: 'This piece continues the artifact.',
      lastChunk: 'This piece is the last.',
      metadata: 'Metadata of the artifact.',
    },
  ),
  'Artifact',
)

const state = refine(
  text,
  (value, report) => stateNamed(value) ?? report(`must be one of ${STATE_NAMES.join(', ')}, not '${value}'`),
  { enum: [...STATE_NAMES, ...STATE_NAMES.map((name) => stateNamed(name) ?? '')] },
)

const step = titled(
  keyed('step', {
    status: record(
      { status: state, ...contentFields, metadata: optional(jsonObject) },
      {
        status: 'The state the task goes into.',
        text: 'Text of the message; may hold {{captures.name}} and other templates.',
        data: 'A data part: any JSON.',
        parts: 'Parts as A2A writes them, instead of text and data.',
        metadata: 'Metadata of the message.',
      },
    ),
    delay: record({ delay: durationMs }, { delay: 'Wait this long: 150ms, 2s.' }),
    artifact: record({ artifact }, { artifact: 'Send an artifact, whole or in pieces.' }),
    message: record(
      { message: content },
      { message: 'Alone in its turn a reply without a task; among other steps, progress of the task.' },
    ),
    complete: record(
      { complete: content },
      { complete: 'The task completes: a text, nothing, or { text, data, parts, metadata }.' },
    ),
    fail: record({ fail: content }, { fail: 'The task fails: a text, nothing, or { text, data, parts, metadata }.' }),
    reject: record(
      { reject: content },
      { reject: 'The task is rejected: a text, nothing, or { text, data, parts, metadata }.' },
    ),
    'input-required': record(
      { 'input-required': content },
      { 'input-required': 'The task waits for input: a text, nothing, or { text, data, parts, metadata }.' },
    ),
    'auth-required': record(
      { 'auth-required': content },
      { 'auth-required': 'The task waits for authorization: a text, nothing, or { text, data, parts, metadata }.' },
    ),
    event: record({ event: jsonObject }, { event: 'Any event as JSON, in the shape of 0.3 or of 1.0.' }),
    error: record(
      {
        error: record(
          { kind: choice([...KINDS, ...DECLARED_ERRORS.keys()]), message: optional(text) },
          { kind: 'Which error.', message: 'What it says.' },
        ),
      },
      { error: 'Answer with an A2A error.' },
    ),
  }),
  'Step',
)

const textMatch = refine(
  either(
    text,
    record(
      { regex: optional(nonEmptyText), contains: optional(text), equals: optional(text) },
      {
        regex: 'A regular expression that must match; named groups become captures.',
        contains: 'Text that must be in it.',
        equals: 'The whole text.',
      },
    ),
  ),
  (value, report) => {
    if (typeof value === 'string') return { contains: value }
    return Object.keys(value).length === 0 ? report('needs one of regex, contains, equals') : value
  },
)

const dataMatch = record(
  {
    regex: optional(nonEmptyText),
    contains: optional(text),
    equals: optional(json),
    exists: optional(boolean),
  },
  {
    regex: 'A regular expression that must match.',
    contains: 'Text that must be in it.',
    equals: 'The value itself.',
    exists: 'Whether there is anything.',
  },
)

const match = record(
  {
    text: optional(described(textMatch, 'The concatenated text parts; a plain text means contains.')),
    jsonpath: optional(
      described(mapOf(either(dataMatch, json)), 'JSON paths into data parts, with the value expected there.'),
    ),
    headers: optional(mapOf(textMatch)),
    skill: optional(nonEmptyText),
    turn: optional(integer(0)),
    context: optional(textMatch),
  },
  {
    headers: 'Names of headers and what their values must be.',
    skill: 'skillId or skill in the metadata of message or request.',
    turn: 'Answer the message with this index of a task instead of the first.',
    context: 'What the context id must be.',
  },
)

const rule = record(
  {
    id: optional(located(nonEmptyText)),
    match: optional(located(match)),
    turns: list(list(located(step)), 1),
    times: optional(
      refine(
        either(
          integer(0),
          record(
            { min: optional(integer(0)), max: optional(integer(0)) },
            { min: 'At least so often.', max: 'At most so often.' },
          ),
        ),
        (value, report) => {
          const range = typeof value === 'number' ? { min: value, max: value } : value
          const { min = 0, max = Number.POSITIVE_INFINITY } = range
          return min > max ? report(`has a min of ${min} and a max of ${max}`) : { min, max }
        },
      ),
    ),
  },
  {
    id: 'Its name in the journal; rule-1, rule-2, … unless given.',
    match: 'All conditions must hold; without it every first message matches.',
    turns: 'What is answered to the first message of the task, the next, and so on: lists of steps.',
    times: 'How often it may and must match: a number, or min and max.',
  },
)

const credential = either(
  choice(['bearer', 'api-key']),
  record(
    {
      bearer: optional(nonEmptyText),
      apiKey: optional(
        record(
          { header: optional(nonEmptyText), value: optional(nonEmptyText) },
          { header: 'The header it comes in; X-API-Key unless given.', value: 'The key.' },
        ),
      ),
    },
    { bearer: 'The bearer token that is accepted.', apiKey: 'The API key that is accepted.' },
  ),
)

const skill = record(
  {
    id: nonEmptyText,
    name: optional(nonEmptyText),
    description: optional(text),
    tags: optional(list(nonEmptyText, 1)),
  },
  {
    id: 'The id of the skill.',
    name: 'Its name; the id unless given.',
    description: 'What it does.',
    tags: 'Words to find it by.',
  },
)

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

const agent = record(
  {
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
  },
  {
    name: 'The name on the card.',
    description: 'The description on the card.',
    version: 'The version of the agent, on the card.',
    streaming: 'Whether the card promises streaming; true unless given.',
    generation: 'The protocol version of the card at the root; 1.0 unless given.',
    security: 'Credentials that are accepted; none are asked for unless given.',
    skills: 'The skills on the card.',
  },
)

export const scriptShape = record(
  {
    agent: optional(agent),
    include: optional(
      described(list(located(nonEmptyText)), 'Further files with rules and faults, relative to this one.'),
    ),
    rules: optional(list(rule)),
    faults: optional(list(located(faultShape))),
  },
  {
    agent: 'What the card says.',
    rules: 'What is answered to which message; the first rule that matches is used.',
    faults: 'Faults to inject: what, where and when.',
  },
)

export type WrittenAgent = Infer<typeof agent>
export type WrittenRule = Infer<typeof rule>
export type WrittenMatch = Infer<typeof match>
export type WrittenStep = Infer<typeof step>
export type WrittenContent = Infer<typeof content>
export type WrittenArtifact = Infer<typeof artifact>

export const SCRIPT_JSON_SCHEMA: JsonObject = publishedSchema(
  {
    name: 'mock-script',
    title: 'Parley mock script',
    description: 'What parley mock follows: rules, answers and faults.',
  },
  scriptShape.schema,
)
