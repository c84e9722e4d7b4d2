// The shape of one exchange as run records and reports hold it: over HTTP or over gRPC, told apart by its tag.

import {
  choice,
  described,
  either,
  integer,
  list,
  optional,
  record,
  refine,
  type Shape,
  text,
  titled,
} from '../yaml/shape.ts'
import { count, instant, milliseconds, word, words } from './shape-words.ts'

const headerPair: Shape<[string, string]> = refine(
  list(text, 2),
  ([name = '', value = '']): [string, string] => [name, value],
  { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
)
const headers = titled(
  described(list(headerPair), 'Names and values in the order they were sent; secrets are redacted.'),
  'Headers',
)

const frame = titled(
  record({
    atMs: milliseconds('Milliseconds after the request was sent.'),
    data: words('The data of a server-sent event, or a message as JSON.'),
  }),
  'Frame',
)

const timed = {
  startedAt: instant('When the request was sent'),
  durationMs: optional(milliseconds('Until the answer was complete.')),
  failure: word('Why there is no response, or no complete one.'),
  repeated: word('Why it was sent again on a new connection; the last attempt is shown.'),
}
const bytes = word('The bytes on the wire as hexadecimal digits, prefixes of messages included.')
const incomplete = word('Why the body was cut or could not be read to its end.')

const httpTranscript = record({
  protocol: choice(['http']),
  request: record({
    method: words('GET, POST, …'),
    url: words('The address it was sent to.'),
    headers,
    body: words('The body as sent, cut to a readable size.'),
  }),
  response: optional(
    record({
      status: described(integer(100, 599), 'The HTTP status.'),
      headers,
      body: words('The body as received, cut to a readable size.'),
      incomplete,
      frames: optional(described(list(frame), 'Server-sent events with their times.')),
    }),
  ),
  ...timed,
})

const grpcTranscript = record({
  protocol: choice(['grpc']),
  request: record({
    method: words('The path of the method: /lf.a2a.v1.A2AService/GetTask.'),
    url: words('Host and port.'),
    headers,
    messages: list(frame),
    bytes,
  }),
  response: optional(
    record({
      status: optional(count('The number of the gRPC status; absent when the call ended without one.')),
      message: word('The text of the gRPC status.'),
      headers,
      messages: list(frame),
      trailers: headers,
      bytes,
      unknownFields: optional(described(list(text), 'Fields the schema does not have: "3 of lf.a2a.v1.Task".')),
      incomplete,
    }),
  ),
  ...timed,
})

export const transcriptShape = refine(either(httpTranscript, grpcTranscript), (one) => one, {
  title: 'Exchange',
  description: 'One exchange as it was on the wire: over HTTP, or over gRPC.',
  type: 'object',
  required: ['protocol'],
  if: { properties: { protocol: { const: 'grpc' } }, required: ['protocol'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: grpcTranscript.schema,
  else: httpTranscript.schema,
})
