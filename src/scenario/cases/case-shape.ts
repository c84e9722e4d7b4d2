// The YAML of a test case, key by key. Every key is read here or is an error with its line; what a key means is in
// docs/proxy-agents.md.

import { BINDING_IDS } from '../../dialects/dialect.ts'
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
  titled,
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
  titled(
    record(
      {
        text: optional(text),
        url: optional(nonEmptyText),
        bytes_base64: optional(base64),
        data: optional(json),
        filename: optional(nonEmptyText),
        mime_type: optional(nonEmptyText),
      },
      {
        text: 'A text part.',
        url: 'A file part by its address.',
        bytes_base64: 'A file part by its bytes.',
        data: 'A data part: any JSON.',
        filename: 'The name of the file.',
        mime_type: 'Its media type.',
      },
    ),
    'Part',
  ),
  (value, report) => {
    const contents = [value.text, value.url, value.bytes_base64, value.data].filter((each) => each !== undefined)
    return contents.length === 1 ? value : report('needs exactly one of text, url, bytes_base64, data')
  },
)

const spoken = {
  prompt: optional(record({ parts: list(part, 1) }, { parts: 'The parts of the message.' })),
  parts: optional(list(part, 1)),
  user_identity: optional(nonEmptyText),
  return_immediately: optional(boolean),
}

const gatewayInput = record(
  {
    target_agent_name: optional(nonEmptyText),
    external_context: optional(jsonObject),
    ...spoken,
  },
  {
    target_agent_name: 'The agent behind the proxy; also the app of the artifact URIs.',
    external_context: 'Metadata of the message; its session names the conversation.',
    prompt: 'The message, as { parts }.',
    parts: 'The parts of the message.',
    user_identity: 'Who is calling.',
    return_immediately: 'Do not wait for the task to end.',
  },
)

const partText = {
  type: choice(['text', 'file', 'data']),
  text_contains: optional(text),
  text_exact: optional(text),
  text_matches: optional(regex),
}
const ABOUT_PART_TEXT = {
  type: 'What kind of part.',
  text_contains: 'Text that must be in it.',
  text_exact: 'The whole text.',
  text_matches: 'A regular expression that must match.',
}
const contentPart = record(partText, ABOUT_PART_TEXT)

const output = titled(
  record(
    {
      type: choice(['status_update', 'artifact_update', 'final_response', 'error']),
      event_purpose: optional(choice(PURPOSES)),
      content_parts: optional(list(contentPart, 1)),
      expected_artifact_name_contains: optional(nonEmptyText),
      assert_part_is_uri_reference: optional(boolean),
      task_state: optional(choice(OUTCOMES)),
      error_kind: optional(nonEmptyText),
    },
    {
      type: 'What kind of event.',
      event_purpose: 'generic_text_update: there is text.',
      content_parts: 'What its parts must be.',
      expected_artifact_name_contains: 'Text that must be in the name of the artifact.',
      assert_part_is_uri_reference: 'The file must have become an artifact:// reference.',
      task_state: 'The state of the task, or message for a direct reply.',
      error_kind: 'The A2A error.',
    },
  ),
  'ExpectedOutput',
)

const outputs = optional(list(located(output)))

const followUp = record(
  {
    ...spoken,
    action: optional(choice(['send', 'cancel', 'get', 'subscribe'])),
    continues: optional(choice(['task', 'context'])),
    expected_gateway_output: outputs,
  },
  {
    prompt: 'The message, as { parts }.',
    parts: 'The parts of the message.',
    user_identity: 'Who is calling.',
    return_immediately: 'Do not wait for the task to end.',
    action: 'send unless given.',
    continues: 'task, or context to begin a new task in the same conversation.',
    expected_gateway_output: 'What must come, in this order; other events may come in between.',
  },
)

const setupArtifact = refine(
  record(
    {
      filename: nonEmptyText,
      text: optional(text),
      bytes_base64: optional(base64),
      mime_type: optional(nonEmptyText),
      user_identity: optional(nonEmptyText),
      session: optional(nonEmptyText),
    },
    {
      filename: 'The name of the file.',
      mime_type: 'Its media type.',
      user_identity: 'Whose file; the caller unless given.',
      session: 'Of which conversation; this one unless given.',
      text: 'Its contents as text.',
      bytes_base64: 'Its contents as base64.',
    },
  ),
  (value, report) =>
    (value.text === undefined) === (value.bytes_base64 === undefined)
      ? report('needs exactly one of text, bytes_base64')
      : value,
)

const expectedArtifact = record(
  {
    filename: nonEmptyText,
    version: optional(either(integer(0), choice(['latest', 'first']))),
    version_count: optional(integer(0)),
    mime_type: optional(nonEmptyText),
    text_exact: optional(text),
    text_contains: optional(text),
    bytes_base64: optional(base64),
    user_identity: optional(nonEmptyText),
    session: optional(nonEmptyText),
  },
  {
    filename: 'The name of the file.',
    mime_type: 'Its media type.',
    user_identity: 'Whose file; the caller unless given.',
    session: 'Of which conversation; this one unless given.',
    version: 'Which version: a number, latest or first.',
    version_count: 'How many versions there must be.',
    text_exact: 'The whole contents as text.',
    text_contains: 'Text that must be in it.',
    bytes_base64: 'The whole contents as base64.',
  },
)

const requestPart = record(
  {
    ...partText,
    filename: optional(nonEmptyText),
    mime_type: optional(nonEmptyText),
    bytes_base64: optional(base64),
    bytes_text: optional(text),
  },
  {
    ...ABOUT_PART_TEXT,
    filename: 'The name of the file.',
    mime_type: 'Its media type.',
    bytes_base64: 'The bytes of the file as base64.',
    bytes_text: 'The bytes of the file as text.',
  },
)

const expectedRequest = record(
  {
    operation: optional(choice(['message', ...OPERATIONS])),
    headers: optional(mapOf(text)),
    parts: optional(list(requestPart, 1)),
    part_count: optional(integer(0)),
    metadata_contains: optional(jsonObject),
    continues_task: optional(boolean),
  },
  {
    operation: 'The operation; a message unless given.',
    headers: 'Headers it must have.',
    parts: 'What its parts must be.',
    part_count: 'How many parts.',
    metadata_contains: 'Members its metadata must have.',
    continues_task: 'Whether it continues a task.',
  },
)

const downstreamAuth = record(
  {
    bearer: optional(nonEmptyText),
    api_key: optional(nonEmptyText),
    header: optional(nonEmptyText),
    oauth2: optional(
      record(
        {
          client_id: nonEmptyText,
          client_secret: nonEmptyText,
          scope: optional(nonEmptyText),
          tokens: list(nonEmptyText, 1),
          expires_in: optional(integer(1)),
          expected_token_requests: optional(integer(0)),
        },
        {
          client_id: 'The client id the token server knows.',
          client_secret: 'Its secret.',
          scope: 'The scope asked for.',
          tokens: 'The tokens handed out, one after the other.',
          expires_in: 'Seconds until a token expires.',
          expected_token_requests: 'How often the proxy must have asked for a token.',
        },
      ),
    ),
  },
  {
    bearer: 'The bearer token the agent demands.',
    api_key: 'The API key the agent demands.',
    header: 'The header the API key comes in.',
    oauth2: 'Client credentials, with a token server that hands out these tokens.',
  },
)

const proxySettings = record(
  {
    idle_timeout: optional(timeoutMs),
    total_timeout: optional(timeoutMs),
    ask_after_cut: optional(boolean),
    artifacts: optional(boolean),
    translate: optional(boolean),
    faults: optional(list(faultShape)),
  },
  {
    idle_timeout: 'How long an agent may be silent: 5s, or seconds.',
    total_timeout: 'How long a call may take: 5s, or seconds.',
    ask_after_cut: 'Ask the agent what became of a task whose stream was cut.',
    artifacts: 'Whether files become references; true unless given.',
    translate: 'Serve other protocol versions than the agent speaks.',
    faults: 'Faults to inject between caller and proxy.',
  },
)

export const caseShape = record(
  {
    test_case_id: refine(nonEmptyText, (value, report) =>
      /^[\w.-]+$/.test(value) ? value : report("may only contain letters, digits, '_', '.' and '-'"),
    ),
    description: optional(text),
    tags: optional(list(nonEmptyText)),
    timeout: optional(timeoutMs),
    skip: optional(record({ reason: nonEmptyText }, { reason: 'Why it is not run.' })),
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
  },
  {
    test_case_id: "Letters, digits, '_', '.' and '-'; also the session of the artifact URIs.",
    description: 'What it shows.',
    tags: 'Words that --tag chooses by.',
    timeout: 'For the whole case: 5s, or seconds; 10 s unless given.',
    skip: 'Leave it out, with the reason.',
    generation: 'Protocol versions to run it in; 1.0 unless given.',
    streaming: 'true streams, false waits for the answer; a list plays both.',
    binding: 'Bindings to run it over; jsonrpc unless given.',
    gateway_input: 'What the caller says first.',
    follow_ups: 'What the caller says or does next.',
    setup_artifacts: 'Files that are there before.',
    llm_interactions: 'Only []: no language model takes part.',
    downstream_script: 'How the agent answers: a mock script, or a list of turns of events.',
    downstream_faults: 'Faults to inject between proxy and agent.',
    downstream_auth: 'Credentials the agent demands and the proxy has.',
    refuse_downstream_requests: 'So many requests the agent refuses with 401.',
    proxy: 'Settings of the proxy.',
    expected_gateway_output: 'What must come, in this order; other events may come in between.',
    expected_artifacts: 'Files that must be there in the end.',
    expected_downstream_requests: 'Every request the agent must have received; [] means that it received nothing.',
  },
)

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
