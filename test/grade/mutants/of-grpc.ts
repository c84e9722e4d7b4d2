// Faults over gRPC: in the metadata, in how the end of a call is read, and in what is made of the bytes.

import { connect, constants } from 'node:http2'
import type { Assignment } from '../../../src/grade/graded-client.ts'
import { A2AError } from '../../../src/model/errors.ts'
import { endIsEnd, type Faults, type Mutant, swallows } from './mutant.ts'

const mutant = (id: string, breaks: string, faults: Faults, also: readonly string[] = []): Mutant => ({
  ...{ id, breaks, also, faults },
})
const fails: Faults = { exit: () => ({ code: 1 }) }
const refuse = async () => {
  throw new A2AError('UnsupportedOperation', 'not asked')
}
/** A call past the client, with this metadata and an empty message. */
async function blurt({ cardUrl }: Assignment, metadata: Record<string, string>): Promise<void> {
  const card = (await (await fetch(cardUrl)).json()) as { supportedInterfaces: { url: string }[] }
  const session = connect(`http://${card.supportedInterfaces[0]?.url}`)
  const call = session.request({
    [constants.HTTP2_HEADER_METHOD]: 'POST',
    [constants.HTTP2_HEADER_PATH]: '/lf.a2a.v1.A2AService/SendMessage',
    'content-type': 'application/grpc',
    te: 'trailers',
    ...metadata,
  })
  call.end(Buffer.alloc(5))
  await new Promise((resolve) => call.resume().once('close', resolve))
  session.close()
}

export const OF_GRPC: readonly Mutant[] = [
  mutant('names no version in its metadata', 'client-grpc-version', {
    after: (_, assignment) => blurt(assignment, {}),
  }),
  mutant('names a patch in its metadata', 'client-grpc-version', {
    after: (_, assignment) => blurt(assignment, { 'a2a-version': '1.0.1' }),
  }),
  mutant('knows no secure channel', 'client-grpc-tls', { options: { interceptors: [{ call: refuse }] } }),
  mutant('reads no trailers', 'client-grpc-trailers', swallows),
  mutant('reads trailers alone', 'client-grpc-trailers-only', swallows),
  mutant('hides a deadline', 'client-grpc-deadline', swallows),
  mutant('sends again after a deadline', 'client-grpc-deadline', {
    after: (_, assignment) => blurt(assignment, { 'a2a-version': '1.0' }),
  }),
  mutant('hides UNIMPLEMENTED', 'client-grpc-unimplemented', swallows),
  mutant('takes the last message for the end', 'client-grpc-stream-status', endIsEnd),
  mutant('stumbles over unknown fields', 'client-grpc-unknown-fields', fails),
  mutant('cannot unpack messages', 'client-grpc-reads-gzip', fails),
  mutant('wants whole messages', 'client-grpc-torn', fails),
]
