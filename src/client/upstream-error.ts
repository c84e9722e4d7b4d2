// Trouble with an agent that was asked on behalf of a caller, as the caller may hear it: what happened, in our
// words. Addresses inside a network and bytes of whoever answered are for the operator, who finds them in the log.

import { HttpStatusError, InvalidPeerResponse } from '../bindings/endpoint-client.ts'
import { connectionFailure } from '../discovery/connection-failure.ts'
import { A2AError, ParleyError } from '../model/errors.ts'

const HAPPENED: { readonly [code: string]: string } = {
  'agent-unreachable': 'it could not be reached',
  'connection-lost': 'the connection ended before the answer was complete',
  'stream-ended-early': 'it ended its stream before the task had ended',
  'tls-failed': 'no secure connection to it could be made',
  'address-refused': 'its card leads to an address that must not be called from here',
  'answer-too-large': 'its answer is too large',
  'not-http': 'it did not answer with valid HTTP',
  'not-a-card': 'what is published in place of its card is not an agent card',
  'no-usable-interface': 'its card names no interface that can be used',
  'foreign-origin': 'its card sends calls to another origin, which must not see the credentials',
  unauthenticated: 'it does not accept the credentials it is shown',
}

/** Stable words for programs, where they differ from the code. */
const REASONS: { readonly [code: string]: string } = { 'agent-unreachable': 'unreachable' }

/** `who` begins the sentence: 'The agent behind this proxy'. Errors that are the agent's own words stay as they are. */
export function asUpstreamError(error: unknown, who: string): unknown {
  if (error instanceof InvalidPeerResponse)
    return new A2AError('InvalidAgentResponse', `${who} did not answer in valid A2A.`, { cause: error })
  if (error instanceof HttpStatusError) {
    const { cause: _ours, ...options } = error.options
    return new A2AError(error.kind, `${who} answered HTTP ${error.status}.`, { ...options, cause: error })
  }
  const failure = failureOf(error)
  if (failure === undefined) return error
  const isGone = failure.code === 'agent-unreachable'
  return new A2AError('Unavailable', `${who} did not answer: ${happenedIn(failure)}.`, {
    metadata: { reason: REASONS[failure.code] ?? failure.code },
    cause: error,
    ...(isGone ? { retryAfterSeconds: 1 } : {}),
  })
}

/** What happened to the connection, in a few words; undefined when the error is about something else. */
export function happened(error: unknown): string | undefined {
  const failure = failureOf(error)
  return failure === undefined ? undefined : happenedIn(failure)
}

function failureOf(error: unknown): ParleyError | undefined {
  if (error instanceof ParleyError) return error
  return connectionFailure(error)
}

function happenedIn({ code, message }: ParleyError): string {
  // 'http://10.0.0.7 sent nothing for 2000 ms.': how long is ours to say, who is not.
  if (code === 'timeout') return `it ${message.slice(message.indexOf(' ') + 1).replace(/\.$/, '')}`
  return HAPPENED[code] ?? 'the call failed'
}

/** What the operator should read in the log about an error that was told onward. */
export function operatorDetail(error: unknown): string {
  let told = error
  while (told instanceof A2AError && told.cause instanceof Error) told = told.cause
  if (told instanceof InvalidPeerResponse) return told.plain
  return told instanceof Error ? told.message : String(told)
}
