// What a client sends: members, headers, names and values (1.0 §3.2, §4.1, §5, §9, §11).

import { isHttp1 } from '../../bindings/registry.ts'
import { dialectById } from '../../dialects/index.ts'
import { isJsonObject, type JsonObject, type JsonValue, listAt, objectAt, sameJson, textAt } from '../../model/json.ts'
import type { Call } from '../call.ts'
import type { Evidence } from '../evidence.ts'
import { CURRENT, GRPC_1, HTTP_1, type Scenario, type Surface } from '../scenario.ts'

const CANARY = 'Grüße, 世界 🚀 — “quoted” \\ back\nnext line'
const DATA: JsonObject = {
  whole: 9_007_199_254_740_991,
  small: -0.000_001,
  nested: { list: [1, 'two', null, true, []], empty: {} },
  text: CANARY,
}
const BYTES = Buffer.from(Array.from({ length: 256 }, (_, at) => at)).toString('base64')
const PARTS = [
  { text: CANARY },
  { data: DATA },
  { raw: BYTES, mediaType: 'application/octet-stream', filename: 'all bytes.bin' },
]

/** HTTP+JSON of 0.3 writes messages as its proto does, with names of its own. */
const SPELLED_AS_JSON: readonly Surface[] = [
  ...HTTP_1,
  { version: '0.3', binding: 'jsonrpc' },
  { version: '0.1', binding: 'jsonrpc' },
]

/** Members of 0.3 that 1.0 does not have, and the reverse. */
const OLD_MEMBERS = new Set(['kind', 'type', 'blocking', 'pushNotificationConfig'])
const NEW_MEMBERS = new Set([
  'returnImmediately',
  'taskPushNotificationConfig',
  'tenant',
  'raw',
  'mediaType',
  'filename',
])

function partsOf(e: Evidence): JsonObject[] {
  return partsIn(e.firstMessage())
}

function partsIn(message: JsonObject): JsonObject[] {
  return (listAt(message, 'parts') ?? []).filter(isJsonObject)
}

/** A message of text as this version writes it. */
function usualMessage({ version, binding }: Surface): JsonObject {
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hello' }] }
  const wire = dialectById(version).codecs[binding]?.encodeRequest('sendMessage', { message, clientTaskId: 't' }).wire
  return objectAt(wire, 'message') ?? {}
}

function membersIn(value: JsonValue | undefined, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each, at) => membersIn(each, `${path}/${at}`))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, each]) =>
    // What a user puts into data or metadata is the user's.
    [`${path}/${name}`, ...(name === 'data' || name === 'metadata' ? [] : membersIn(each, `${path}/${name}`))],
  )
}

/** The content of a part, whichever version wrote it. */
function contentOf(part: JsonObject): JsonValue | undefined {
  const file = isJsonObject(part.file) ? part.file : {}
  return part.raw ?? file.bytes ?? part.data ?? part.text ?? undefined
}

/** base64 with or without padding, in either alphabet. */
const sameBytes = (a: JsonValue | undefined, b: string): boolean =>
  typeof a === 'string' &&
  Buffer.from(a.replaceAll('-', '+').replaceAll('_', '/'), 'base64').equals(Buffer.from(b, 'base64'))

function acceptsBoth(call: Call): boolean {
  const accept = call.headers.accept
  if (call.op === 'streamMessage') return accept === undefined || /\*\/\*|text\//.test(accept)
  return accept === undefined || /\*\/\*|application\/(?:a2a\+)?json|application\/\*/.test(accept)
}

export const requests: readonly Scenario[] = [
  {
    id: 'request-send',
    area: 'requests',
    about: 'A message of text is sent.',
    on: SPELLED_AS_JSON,
    intent: () => ({ do: 'send', text: CANARY }),
    world: () => ({}),
    claims: [
      {
        id: 'client-message-members',
        isGeneral: true,
        title: 'MUST send messages with a role and at least one part',
        proves: ['client-message-required-fields'],
        fix: 'Fill in role and parts, and messageId where the version has it.',
        judge(e) {
          const message = e.firstMessage()
          const usual = usualMessage(e.surface)
          for (const member of Object.keys(usual))
            e.expect(
              message[member] !== undefined && message[member] !== '',
              `the message has no ${member}`,
              e.firstSent,
            )
          e.expect(
            message.role === usual.role,
            `the role is ${JSON.stringify(message.role)}, not ${JSON.stringify(usual.role)}`,
            e.firstSent,
          )
          e.expect(partsOf(e).length > 0, 'the message has no parts', e.firstSent)
        },
      },
      {
        id: 'client-text-intact',
        title: 'MUST send text as its user wrote it',
        proves: ['client-json-strict-output'],
        fix: 'Send text as UTF-8 and let the JSON encoder do all escaping.',
        judge(e) {
          const [part] = partsOf(e)
          // Garbled or not, this much of it would be left.
          e.need(textAt(part, 'text')?.includes('quoted') === true, 'the client sent another text than it was given')
          e.expect(part?.text === CANARY, `the text arrived as ${JSON.stringify(part?.text)}`, e.firstSent)
        },
      },
      {
        id: 'client-content-type',
        isGeneral: true,
        title: 'MUST label its requests as JSON',
        proves: ['client-jsonrpc-format'],
        fix: 'Send Content-Type: application/json (HTTP+JSON of 1.0: application/a2a+json).',
        judge(e) {
          const call = e.firstSent
          const type = call.headers['content-type'] ?? ''
          e.expect(/^application\/(?:a2a\+)?json\b/i.test(type), `the Content-Type is "${type}"`, call)
        },
      },
      {
        id: 'client-accepts-json',
        isGeneral: true,
        title: 'MUST accept JSON as the answer',
        proves: ['client-jsonrpc-format'],
        fix: 'Name application/json (and application/a2a+json) in Accept, or leave it out.',
        judge(e) {
          const call = e.firstSent
          e.expect(acceptsBoth(call), `Accept is "${call.headers.accept}"`, call)
        },
      },
    ],
  },
  {
    id: 'request-version-header',
    area: 'requests',
    about: 'A call over an interface of 1.0.',
    on: HTTP_1,
    intent: () => ({ do: 'send', text: 'hello' }),
    world: () => ({ speaks: ['1.0', '0.3'] }),
    claims: [
      {
        id: 'client-names-version',
        isGeneral: true,
        title: 'MUST name the protocol version in every request',
        proves: ['client-version-header', 'client-version-query'],
        cites: ['a2a-java #1004'],
        fix: 'Send A2A-Version with every request of 1.0 (§3.6.1).',
        judge(e) {
          const call = e.firstSent
          const bare = e.asked.find(({ version }) => version === undefined)
          e.expect(bare === undefined, `${bare?.label} has no A2A-Version`, bare ?? call)
        },
      },
      {
        id: 'client-version-is-major-minor',
        isGeneral: true,
        title: 'MUST write the version as Major.Minor, as the interface has it',
        proves: ['client-version-format', 'client-version-no-patch', 'client-version-matches-interface'],
        fix: 'Send the protocolVersion of the selected interface: 1.0, without a patch number.',
        judge(e) {
          const call = e.asked.find(({ version }) => version !== undefined)
          e.need(call !== undefined, 'the client never named a version')
          const named = dialectById(e.surface.version).versionHeader
          e.expect(call?.version === named, `the client sent A2A-Version: ${call?.version}, not ${named}`, call)
        },
      },
    ],
  },
  {
    id: 'request-rest-media-type',
    area: 'requests',
    about: 'A call over HTTP+JSON of 1.0.',
    on: [{ version: '1.0', binding: 'rest' }],
    intent: () => ({ do: 'send', text: 'hello' }),
    world: () => ({}),
    claims: [
      {
        id: 'client-rest-media-type',
        isGeneral: true,
        title: 'SHOULD label bodies as application/a2a+json',
        proves: ['client-rest-content-type'],
        fix: 'Send Content-Type: application/a2a+json over HTTP+JSON (1.0.1 §11.1).',
        judge(e) {
          const call = e.firstSent
          const type = call.headers['content-type'] ?? ''
          e.expect(type.toLowerCase().startsWith('application/a2a+json'), `the Content-Type is "${type}"`, call)
        },
      },
      {
        id: 'client-rest-path',
        title: 'MUST append the path of the operation to the URL of the interface',
        proves: ['client-rest-paths'],
        fix: 'POST {url}/message:send, with the colon as it stands.',
        judge(e) {
          const [call] = e.asked
          e.need(call !== undefined, 'the client called nothing but the card')
          const isRight = call?.path === '/message:send' || call?.path === '/message:stream'
          e.expect(isRight, `the client called ${call?.path}, not /message:send`, call)
        },
      },
    ],
  },
  {
    id: 'request-jsonrpc',
    area: 'requests',
    about: 'Two calls over JSON-RPC.',
    on: [
      { version: '1.0', binding: 'jsonrpc' },
      { version: '0.3', binding: 'jsonrpc' },
      { version: '0.1', binding: 'jsonrpc' },
    ],
    intent: () => ({ do: 'continue', text: 'first', reply: 'second' }),
    world: () => ({}),
    claims: [
      {
        id: 'client-jsonrpc-envelope',
        isGeneral: true,
        title: 'MUST send requests of JSON-RPC 2.0 with the method names of the version',
        proves: ['client-jsonrpc-format', 'client-prefer-current-names'],
        fix: 'Send {"jsonrpc":"2.0","id":…,"method":…,"params":{…}} with the method names of the interface’s version.',
        judge(e) {
          const [call] = e.asked
          e.need(call !== undefined, 'the client called nothing but the card')
          const { json } = call as Call
          e.expect(textAt(json, 'jsonrpc') === '2.0', 'the request is not JSON-RPC 2.0', call)
          const isKnown = e.asked.some(({ op }) => op !== undefined)
          e.expect(isKnown, `the agent does not know the method ${JSON.stringify(textAt(json, 'method'))}`, call)
        },
      },
      {
        id: 'client-jsonrpc-id',
        isGeneral: true,
        title: 'MUST give every request a unique id',
        proves: ['client-jsonrpc-format'],
        fix: 'Count up, or take a UUID, for the id of every request.',
        judge(e) {
          const calls = e.asked.filter(({ id, op }) => id !== undefined && op !== undefined)
          e.need(e.asked.length > 1, 'the client made a single call')
          const bare = e.asked.find(({ id }) => id === undefined || id === null)
          e.expect(bare === undefined, 'a request has no id, so its response cannot be matched', bare)
          e.expect(
            new Set(calls.map(({ id }) => JSON.stringify(id))).size === calls.length,
            'two requests share an id',
            calls.at(-1),
          )
        },
      },
      {
        id: 'client-fresh-message-id',
        isGeneral: true,
        title: 'MUST give every message a unique id',
        proves: ['client-message-required-fields'],
        fix: 'Make a new messageId for every message, also in the same conversation.',
        judge(e) {
          e.need(usualMessage(e.surface).messageId !== undefined, 'messages of this version have no id')
          e.need(e.sent.length > 1, 'the client sent a single message')
          const ids = e.sent.map(({ message }) => textAt(message, 'messageId'))
          e.expect(new Set(ids).size === ids.length, 'two messages share the messageId', e.sent.at(-1))
        },
      },
    ],
  },
  {
    id: 'request-parts',
    area: 'requests',
    about: 'Text, data and a file are sent in one message.',
    on: [...SPELLED_AS_JSON.slice(0, -1), ...GRPC_1],
    intent: () => ({ do: 'send', parts: PARTS }),
    world: () => ({}),
    claims: [
      {
        id: 'client-part-one-content',
        isGeneral: true,
        title: 'MUST send parts with exactly one content each',
        proves: ['client-part-oneof'],
        fix: 'Give every part one of text, raw, url and data (0.3: kind with its member).',
        judge(e) {
          for (const part of partsOf(e)) {
            const contents = ['text', 'raw', 'url', 'data', 'file'].filter((name) => part[name] !== undefined)
            e.expect(
              contents.length === 1,
              `a part has ${contents.length} contents (${contents.join(', ')})`,
              e.firstSent,
            )
            const hasKind = partsIn(usualMessage(e.surface))[0]?.kind !== undefined
            e.expect(
              hasKind === (part.kind !== undefined),
              hasKind ? 'a part has no kind' : 'a part has the member kind of 0.3',
              e.firstSent,
            )
          }
        },
      },
      {
        id: 'client-data-intact',
        title: 'MUST send structured data as it was given',
        proves: ['client-part-oneof'],
        fix: 'Put the JSON value into data unchanged.',
        judge(e) {
          const part = partsOf(e).find(({ data }) => data !== undefined)
          e.need(part !== undefined, 'the client sent no data part')
          e.expect(sameJson(part?.data, DATA), `the data arrived as ${JSON.stringify(part?.data)}`, e.firstSent)
        },
      },
      {
        id: 'client-bytes-intact',
        title: 'MUST send a file with all of its bytes, as base64',
        proves: ['client-part-oneof'],
        fix: 'Encode the bytes of the file as base64, not as text.',
        judge(e) {
          const part = partsOf(e).find((each) => each.raw !== undefined || isJsonObject(each.file))
          e.need(part !== undefined, 'the client sent no file part')
          e.expect(
            part !== undefined && sameBytes(contentOf(part), BYTES),
            'the bytes of the file arrived changed',
            e.firstSent,
          )
        },
      },
      {
        id: 'client-no-foreign-members',
        isGeneral: true,
        title: 'MUST NOT send members of another version',
        proves: ['client-json-strict-output', 'client-part-oneof'],
        fix: 'Write requests by the schema of the version of the interface alone.',
        judge(e) {
          e.need(isHttp1(e.surface.binding), 'over gRPC no names travel')
          const call = e.firstSent
          const isCurrent = e.surface.version === CURRENT
          const [foreign, other] = isCurrent ? [OLD_MEMBERS, '0.3'] : [NEW_MEMBERS, CURRENT]
          const wrong = membersIn(call.params).find((path) => foreign.has(path.split('/').at(-1) ?? ''))
          e.expect(wrong === undefined, `the request has ${wrong}, a member of ${other}`, call)
          const snake = membersIn(call.params).find((path) => /_/.test(path.split('/').at(-1) ?? ''))
          e.expect(snake === undefined, `the request has ${snake}, which is not camelCase`, call)
        },
      },
    ],
  },
]
