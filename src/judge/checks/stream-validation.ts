// Streaming sends are validated like plain ones, before anything happens (1.0 §3.3.2, §5.7).

import type { JsonObject } from '../../model/json.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawStream } from '../probe/raw-stream.ts'
import { area, check, type PlacedCheck, type Title } from './check.ts'
import { BAD_MESSAGES, editedMessage } from './validation.ts'

const NOT_BASE64 = (message: JsonObject) => [{ ...message, parts: [{ raw: 'not base64!', mediaType: 'text/plain' }] }]

/** Tells when refusals of streams come with the wrong status, whatever they refuse. */
const PLACE_OF_ERRORS = ['stream-error-rest']

export const streamValidationChecks: PlacedCheck[] = area(
  { name: 'stream-validation', category: 'error-handling', phase: 4, needs: ['check:stream-opens'] },
  [
    ...BAD_MESSAGES.map(([id, title, , member, variants]) =>
      check(
        twinOf(id),
        title.replace('refuse', 'refuse to stream') as Title,
        {
          proves: [twinOf(id)],
          fix: `Validate message.${member} of streaming sends like that of plain ones, before the stream begins.`,
          yieldsTo: [id, ...PLACE_OF_ERRORS],
        },
        async (t) => {
          for (let at = 0; at < variants({}).length; at++)
            t.expectError(await streamed(t, (message) => variants(message)[at] ?? {}), 'InvalidParams')
        },
      ),
    ),
    check(
      'stream-raw-not-base64',
      'MUST refuse to stream a part whose raw bytes are not base64',
      {
        proves: ['stream-raw-not-base64'],
        fix: 'Decode raw strictly on streaming sends too.',
        yieldsTo: ['send-raw-not-base64', ...PLACE_OF_ERRORS],
      },
      async (t) => {
        const s = await streamed(t, (message) => NOT_BASE64(message)[0] ?? {})
        // An agent that takes no files may say that first.
        t.expectError(s, 'InvalidParams', 'ContentTypeNotSupported')
      },
    ),
    check(
      'stream-missing-message',
      'MUST refuse a streaming send without its message',
      {
        proves: ['stream-missing-message'],
        fix: 'Return a validation error when a required member is missing, before the stream begins.',
        yieldsTo: ['send-missing-message', ...PLACE_OF_ERRORS],
      },
      async (t) => {
        const s = await t.stream('streamMessage', { message: t.message('x') }, { edit: () => ({}) })
        await s.next()
        s.close()
        t.expectError(s, 'InvalidParams')
      },
    ),
  ],
)

/** `send-missing-role` is `stream-missing-role` on streams. */
function twinOf(id: string): string {
  return id.replace(/^send-/, 'stream-')
}

async function streamed(t: Probe, change: (message: JsonObject) => JsonObject): Promise<RawStream> {
  const message = t.message(t.behaviour('task').text)
  const s = await t.stream('streamMessage', { message }, { edit: editedMessage(change) })
  await s.next()
  s.close()
  return s
}
