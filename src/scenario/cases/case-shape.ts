// The YAML of a test case, key by key. Every key is read here or is an error with its line; what a key means is in
// docs/proxy-agents.md.

import { BINDING_IDS } from '../../bindings/registry.ts'
import { type Fault, faultShape } from '../../mock/faults/fault-shape.ts'
import { generationShape, scriptShape } from '../../mock/script/script-shape.ts'
import { STATE_NAMES } from '../../mock/script/scripted-event.ts'
import type { JsonValue } from '../../model/json.ts'
import { OPERATIONS, type Operation } from '../../model/operation.ts'
import { compilePattern } from '../../yaml/pattern.ts'
import {
  boolean,
  choice,
  durationMs,
  either,
  type Infer,
  integer,
  json,
  jsonObject,
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

/** What a turn can come to: a state of the task, or a direct reply without a task. */
const OUTCOMES = [...STATE_NAMES, 'message'] as const
/** The purposes a status update can have; the others of the original format belong to a language model. */
const PURPOSES = ['generic_text_update'] as const

const base64 = refine(text, (value, report) => {
  const compact = value.replaceAll(/\s/g, '')
  return /^[A-Za-z0-9+/]*={0,2}$/.test(compact) && compact.length % 4 === 0 ? compact : report('is not base64')
})

const regex = refine(nonEmptyText, (value, report) => {
  const compiled = compilePattern(value)
  return 'problem' in compiled ? report(compiled.problem) : compiled
})

function oneOrMore<T>(shape: Shape<T>): Shape<T[]> {
  return refine(either(list(shape, 1), shape), (value) => (Array.isArray(value) ? value : [value as T]), {
    anyOf: [shape.schema, { type: 'array', items: shape.schema, minItems: 1 }],
  })
}

const timeout = refine(either(durationMs, number(0.001, 3600)), (value) => value)
/** A plain number is seconds, as in the original format. */
const timeoutMs: Shape<number> = {
  kinds: timeout.kinds,
  schema: timeout.schema,
  read(node, source, at) {
    const value = timeout.read(node, source, at)
    return value !== undefined && source.kindOf(node) === 'number' ? value * 1000 : value
  },
}

const part = refine(
  record({
    text: optional(text),
    url: optional(nonEmptyText),
    bytes_base64: optional(base64),
    data: optional(json),
    filename: optional(nonEmptyText),
    mime_type: optional(nonEmptyText),
  }),
  (value, report) => {
    const contents = [value.text, value.url, value.bytes_base64, value.data].filter((each) => each !== undefined)
    return contents.length === 1 ? value : report('needs exactly one of text, url, bytes_base64, data')
  },
)

const spoken = {
  prompt: optional(record({ parts: list(part, 1) })),
  parts: optional(list(part, 1)),
  user_identity: optional(nonEmptyText),
  return_immediately: optional(boolean),
}

const gatewayInput = record({
  target_agent_name: optional(nonEmptyText),
  external_context: optional(jsonObject),
  ...spoken,
})

const contentPart = record({
  type: choice(['text', 'file', 'data']),
  text_contains: optional(text),
  text_exact: optional(text),
  text_matches: optional(regex),
})

const output = record({
  type: choice(['status_update', 'artifact_update', 'final_response', 'error']),
  event_purpose: optional(choice(PURPOSES)),
  content_parts: optional(list(contentPart, 1)),
  expected_artifact_name_contains: optional(nonEmptyText),
  assert_part_is_uri_reference: optional(boolean),
  task_state: optional(choice(OUTCOMES)),
  error_kind: optional(nonEmptyText),
})

const outputs = optional(list(located(output)))

const followUp = record({
  ...spoken,
  action: optional(choice(['send', 'cancel', 'get', 'subscribe'])),
  continues: optional(choice(['task', 'context'])),
  expected_gateway_output: outputs,
})

const setupArtifact = refine(
  record({
    filename: nonEmptyText,
    text: optional(text),
    bytes_base64: optional(base64),
    mime_type: optional(nonEmptyText),
    user_identity: optional(nonEmptyText),
    session: optional(nonEmptyText),
  }),
  (value, report) =>
    (value.text === undefined) === (value.bytes_base64 === undefined)
      ? report('needs exactly one of text, bytes_base64')
      : value,
)

const expectedArtifact = record({
  filename: nonEmptyText,
  version: optional(either(integer(0), choice(['latest', 'first']))),
  version_count: optional(integer(0)),
  mime_type: optional(nonEmptyText),
  text_exact: optional(text),
  text_contains: optional(text),
  bytes_base64: optional(base64),
  user_identity: optional(nonEmptyText),
  session: optional(nonEmptyText),
})

const requestPart = record({
  type: choice(['text', 'file', 'data']),
  text_contains: optional(text),
  text_exact: optional(text),
  text_matches: optional(regex),
  filename: optional(nonEmptyText),
  mime_type: optional(nonEmptyText),
  bytes_base64: optional(base64),
  bytes_text: optional(text),
})

const expectedRequest = record({
  operation: optional(choice(['message', ...OPERATIONS])),
  headers: optional(mapOf(text)),
  parts: optional(list(requestPart, 1)),
  part_count: optional(integer(0)),
  metadata_contains: optional(jsonObject),
  continues_task: optional(boolean),
})

const downstreamAuth = record({
  bearer: optional(nonEmptyText),
  api_key: optional(nonEmptyText),
  header: optional(nonEmptyText),
  oauth2: optional(
    record({
      client_id: nonEmptyText,
      client_secret: nonEmptyText,
      scope: optional(nonEmptyText),
      tokens: list(nonEmptyText, 1),
      expires_in: optional(integer(1)),
      expected_token_requests: optional(integer(0)),
    }),
  ),
})

const proxySettings = record({
  idle_timeout: optional(timeoutMs),
  total_timeout: optional(timeoutMs),
  ask_after_cut: optional(boolean),
  artifacts: optional(boolean),
  translate: optional(boolean),
  faults: optional(list(faultShape)),
})

export const caseShape = record({
  test_case_id: refine(nonEmptyText, (value, report) =>
    /^[\w.-]+$/.test(value) ? value : report("may only contain letters, digits, '_', '.' and '-'"),
  ),
  description: optional(text),
  tags: optional(list(nonEmptyText)),
  timeout: optional(timeoutMs),
  skip: optional(record({ reason: nonEmptyText })),
  generation: optional(oneOrMore(generationShape)),
  streaming: optional(oneOrMore(boolean)),
  binding: optional(oneOrMore(choice(BINDING_IDS))),
  gateway_input: gatewayInput,
  follow_ups: optional(list(located(followUp))),
  setup_artifacts: optional(list(setupArtifact)),
  llm_interactions: optional(located(list(json))),
  downstream_script: optional(located(either(scriptShape, list(list(jsonObject), 1)))),
  downstream_faults: optional(list(faultShape)),
  downstream_auth: optional(downstreamAuth),
  refuse_downstream_requests: optional(integer(1)),
  proxy: optional(proxySettings),
  expected_gateway_output: outputs,
  expected_artifacts: optional(list(located(expectedArtifact))),
  expected_downstream_requests: optional(list(located(expectedRequest))),
})

export type WrittenCase = Infer<typeof caseShape>
export type WrittenPart = Infer<typeof part>
export type WrittenFollowUp = Infer<typeof followUp>
export type ExpectedOutput = Infer<typeof output>
export type ExpectedContent = Infer<typeof contentPart>
export type ExpectedArtifact = Infer<typeof expectedArtifact>
export type ExpectedRequest = Infer<typeof expectedRequest>
export type ExpectedRequestPart = Infer<typeof requestPart>
export type WrittenAuth = Infer<typeof downstreamAuth>
export type { Fault, JsonValue, Operation }
