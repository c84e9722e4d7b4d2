// What an exchange says, whatever carried it.

import type { Transcript, TranscriptFrame } from '../../src/trace/transcript.ts'

export function sentOf(one: Transcript): string {
  return one.protocol === 'http' ? one.request.body : one.request.messages.map(({ data }) => data).join('\n')
}

/** The messages of a stream; none for a single answer. */
export function framesOf(one: Transcript): readonly TranscriptFrame[] {
  if (one.protocol === 'http') return one.response?.frames ?? []
  const messages = one.response?.messages ?? []
  return messages.length > 1 ? messages : []
}

export function answerBodyOf(one: Transcript): string {
  if (one.protocol === 'http') return one.response?.body ?? ''
  return one.response?.messages.map(({ data }) => data).join('\n') ?? ''
}
