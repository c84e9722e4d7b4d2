// The file format of ACTS, declared once: what may stand where, in which form. Follows the grammar of the draft, and
// takes besides it what the draft's own suites use; docs/run-acts-suites.md lists those additions.

import { BINDING_IDS } from '../../dialects/dialect.ts'
import { closest } from '../../yaml/did-you-mean.ts'
import {
  boolean,
  choice,
  type Infer,
  integer,
  json,
  jsonObject,
  keyed,
  list,
  located,
  mapOf,
  nonEmptyText,
  number,
  optional,
  record,
  refine,
  type Shape,
  text,
} from '../../yaml/shape.ts'
import { hasWildcard, type Path, parsePath } from '../../yaml/value-path.ts'
import { type Assertion, assertion, memberAssertions, readMembers } from './assertion.ts'
import { type Condition, parseCondition } from './condition.ts'
import { ERROR_TYPES, OPERATION_NAMES } from './draft-names.ts'

const MAX_DELAY_MS = 600_000

const anyPath: Shape<Path> = refine(text, (value, report) => parsePath(value) ?? report(`is not a path: '${value}'`))

const plainPath: Shape<Path> = refine(anyPath, (path, report) =>
  hasWildcard(path) ? report(`selects many values with [*], but one is needed: '${path.text}'`) : path,
)

const condition: Shape<Condition> = refine(
  text,
  (value, report) =>
    parseCondition(value) ?? report(`is not a condition: '${value}'; write 'path == value', '!=', or 'path in [a, b]'`),
)

const httpStatus: Shape<Assertion> = refine(assertion, (wanted, report) =>
  wanted.is === 'equal' || wanted.is === 'operators'
    ? wanted
    : report('is the HTTP status: a number or operators; assertions on the answer go under body'),
)

export interface ExpectBlock {
  status?: Assertion
  headers?: Map<string, Assertion>
  body?: Assertion
  error?: Assertion
}

const expectKeys = {
  status: optional(httpStatus),
  headers: optional(mapOf(assertion)),
  body: optional(assertion),
  error: optional(assertion),
}

/** The draft's suites write `status: error` where any error will do. */
const fullExpect: Shape<ExpectBlock> = refine(record(expectKeys), ({ status, ...rest }) => {
  const isWord = status?.is === 'equal' && status.value === 'error'
  if (!isWord) return status === undefined ? rest : { status, ...rest }
  return { error: { is: 'operators', operators: [{ op: 'exists' }] }, ...rest }
})

/** The draft writes both `expect: { status, body }` and, where only the body matters, the body itself. */
const expectBlock: Shape<ExpectBlock> = {
  kinds: ['map'],
  schema: { type: 'object' },
  read(node, source, at) {
    if (source.kindOf(node) !== 'map') return source.report(node, `${at} must be a map of keys`)
    const members = source.members(node)
    const known = Object.keys(expectKeys)
    if (members.length === 0 || members.some(({ key }) => known.includes(key) || closest(key, known) !== undefined))
      return fullExpect.read(node, source, at)
    const body = readMembers(members, source, at)
    return body && { body }
  },
}

const expectError = record({
  error_type: optional(choice(ERROR_TYPES)),
  /** What the draft's suites write instead of error_type. */
  code: optional(assertion),
  message: optional(assertion),
  details: optional(memberAssertions),
  data: optional(assertion),
})

export interface EventAssertion {
  description?: string
  match: 'exact_position' | 'any_position'
  index?: number
  wanted: Assertion
}

/** Its own three keys, and whatever the event itself is to hold. */
const eventAssertion: Shape<EventAssertion> = {
  kinds: ['map'],
  schema: { type: 'object' },
  read(node, source, at) {
    if (source.kindOf(node) !== 'map') return source.report(node, `${at} must be a map of keys`)
    const members = source.members(node)
    const isFrame = (key: string) => key === 'description' || key === 'match' || key === 'index'
    const wanted = readMembers(
      members.filter(({ key }) => !isFrame(key)),
      source,
      at,
    )
    const read: EventAssertion = { match: 'exact_position', wanted: wanted ?? { is: 'members', members: new Map() } }
    for (const { key, value } of members.filter((member) => isFrame(member.key))) {
      if (key === 'description') read.description = text.read(value, source, `${at}.${key}`) ?? ''
      else if (key === 'index') read.index = integer(0).read(value, source, `${at}.${key}`) ?? 0
      else read.match = choice(['exact_position', 'any_position']).read(value, source, `${at}.${key}`) ?? read.match
    }
    return wanted && read
  },
}

const expectStream = record({
  min_count: optional(integer(0)),
  max_count: optional(integer(0)),
  timeout_ms: optional(integer(1, MAX_DELAY_MS)),
  ordering: optional(choice(['monotonic_state'])),
  events: optional(list(eventAssertion, 1)),
  final_event: optional(memberAssertions),
  each_event: optional(memberAssertions),
})

const collectionMatch = record({ path: anyPath, match: memberAssertions })

const namedAssertion = refine(
  record({
    id: optional(nonEmptyText),
    description: optional(text),
    source: nonEmptyText,
    path: optional(plainPath),
    match: optional(assertion),
    any: optional(collectionMatch),
    all: optional(collectionMatch),
    none: optional(collectionMatch),
  }),
  (value, report) =>
    (value.match ?? value.any ?? value.all ?? value.none) === undefined
      ? report("asserts nothing; give one of 'match', 'any', 'all', 'none'")
      : value,
)

const repeat = record({
  until: condition,
  max_attempts: optional(integer(1, 10_000)),
  delay_ms: optional(integer(0, MAX_DELAY_MS)),
  backoff: optional(choice(['none', 'linear', 'exponential'])),
})

const about = { id: nonEmptyText, description: optional(text) }
const afterwards = { capture: optional(mapOf(plainPath)), assertions: optional(list(namedAssertion, 1)) }
const expectations = {
  expect: optional(expectBlock),
  expect_error: optional(expectError),
  expect_stream: optional(expectStream),
}

const serverStep = refine(
  record({
    ...about,
    operation: choice(OPERATION_NAMES),
    params: optional(jsonObject),
    ...expectations,
    ...afterwards,
    repeat: optional(repeat),
    delay_ms: optional(integer(0, MAX_DELAY_MS)),
  }),
  oneExpectation,
)

const rawStep = refine(
  record({
    ...about,
    raw: refine(
      record({
        method: choice(['GET', 'POST', 'PUT', 'DELETE']),
        path: nonEmptyText,
        headers: optional(mapOf(text)),
        body: optional(json),
        body_raw: optional(text),
      }),
      (value, report) =>
        value.body !== undefined && value.body_raw !== undefined
          ? report("has both 'body' and 'body_raw'; only one can be sent")
          : value,
    ),
    ...expectations,
    ...afterwards,
    delay_ms: optional(integer(0, MAX_DELAY_MS)),
  }),
  oneExpectation,
)

function oneExpectation<T extends { expect?: unknown; expect_error?: unknown }>(
  step: T,
  report: (message: string) => undefined,
): T | undefined {
  if (step.expect === undefined || step.expect_error === undefined) return step
  return report("has both 'expect' and 'expect_error'; an answer is one or the other")
}

const clientStep = record({
  ...about,
  client_response: record({ operation: choice(OPERATION_NAMES), wire_payload: json }),
  expect_parsed: memberAssertions,
  assertions: optional(list(namedAssertion, 1)),
})

const assertionStep = record({ ...about, assertion: namedAssertion })

const step = keyed('step', {
  operation: serverStep,
  raw: rawStep,
  client_response: clientStep,
  assertion: assertionStep,
})

const LEVELS = ['must', 'should', 'may'] as const
const RUNNER_REQUIREMENTS = [
  'webhook_endpoint',
  'concurrent_streams',
  'stream_disconnect',
  'auth_credentials',
  'header_inspection',
] as const

const transports = list(choice(BINDING_IDS), 1)

const preconditions = record({
  capabilities: optional(jsonObject),
  skills: optional(list(record({ id: nonEmptyText }), 1)),
  transport: optional(transports),
  extensions: optional(list(nonEmptyText, 1)),
  description: optional(text),
})

const test = refine(
  record({
    id: nonEmptyText,
    name: nonEmptyText,
    description: optional(text),
    spec_ref: optional(text),
    level: choice(LEVELS),
    tags: optional(list(nonEmptyText)),
    transport: optional(transports),
    preconditions: optional(preconditions),
    requires_behaviors: optional(list(nonEmptyText)),
    origin: optional(text),
    runner_requirements: optional(list(choice(RUNNER_REQUIREMENTS))),
    steps: list(step, 1),
    assertions: optional(list(namedAssertion, 1)),
  }),
  (value, report) => {
    const ids = value.steps.map((one) => one.value.id)
    const twice = ids.find((id, index) => ids.indexOf(id) !== index)
    if (twice !== undefined) return report(`has two steps with the id '${twice}'`)
    const isRawOnly = value.steps.every((one) => one.is === 'raw')
    if (isRawOnly && value.transport === undefined)
      return report("has only raw steps, which speak one transport: name it with 'transport'")
    return value
  },
)

const suite = record({
  id: nonEmptyText,
  name: nonEmptyText,
  description: optional(text),
  tags: optional(list(nonEmptyText)),
  /** Ours: the path of the agent below the tested URL, for servers with several agents. */
  'x-mount': optional(nonEmptyText),
  tests: list(located(test), 1),
})

export const document = refine(
  record({
    acts_version: text,
    spec_version: text,
    spec_ref: optional(text),
    metadata: optional(
      record({
        title: optional(text),
        description: optional(text),
        authors: optional(list(text, 1)),
        license: optional(text),
      }),
    ),
    variables: optional(mapOf(text)),
    include: optional(list(located(nonEmptyText), 1)),
    suites: optional(list(suite, 1)),
  }),
  (value, report) => {
    if (!/^1(\.|$)/.test(value.acts_version))
      return report(`is written for version ${value.acts_version} of ACTS; Parley reads version 1`)
    if (value.include === undefined && value.suites === undefined) return report("needs 'suites' or 'include'")
    return value
  },
)

/** What an agent must do to be testable: read, so that a folder of suites may hold it, and not run. */
export const behaviourContract = record({
  acts_version: text,
  behaviors: list(
    record({
      prefix: nonEmptyText,
      description: text,
      response_type: optional(choice(['task', 'message'])),
      terminal_state: optional(text),
      artifacts: optional(
        list(record({ text: optional(text), data: optional(json), file: optional(json), fileUrl: optional(json) }), 1),
      ),
      delay_ms: optional(number(0, MAX_DELAY_MS)),
      streaming: optional(boolean),
    }),
    1,
  ),
})

export type ActsDocument = Infer<typeof document>
export type ActsSuite = Infer<typeof suite>
export type ActsTest = Infer<typeof test>
export type ActsStep = Infer<typeof step>
export type ServerStep = Infer<typeof serverStep>
export type RawStep = Infer<typeof rawStep>
export type ExpectError = Infer<typeof expectError>
export type ExpectStream = Infer<typeof expectStream>
export type NamedAssertion = Infer<typeof namedAssertion>
export type Repeat = Infer<typeof repeat>
export type Preconditions = Infer<typeof preconditions>
export type RunnerRequirement = (typeof RUNNER_REQUIREMENTS)[number]
export type ActsLevel = (typeof LEVELS)[number]
