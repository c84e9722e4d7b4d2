// The half of a binding that tests an agent instead of talking to it: requests stay open to being made wrong, and
// answers are taken apart without judging them. It never reads through the dialects' codecs.

import type { Dialect, SpecRevision } from '../dialects/dialect.ts'
import type { ErrorNumbers } from '../dialects/expectations.ts'
import type { JsonObject, JsonValue } from '../model/json.ts'
import type { Operation } from '../model/operation.ts'
import type { Exchange } from '../trace/exchange.ts'

export interface ProbeEndpoint {
  readonly url: string
  readonly dialect: Dialect
}

export interface ProbeRequest {
  method: string
  url: string
  headers: [string, string][]
  body: Uint8Array | undefined
  op?: Operation
  /** What it is called in progress and findings. */
  label?: string
  /** Asking twice changes nothing; without it, only GET, HEAD and OPTIONS are taken for reads. */
  isRead?: boolean
  /** A gRPC call: what its message says. It goes out over HTTP/2. */
  grpcMessage?: string
  /** A gRPC call that is answered with a stream. */
  isStream?: boolean
}

/** What lies in an answer: a result or an error, and where. */
export interface Inside {
  /** The envelope around it, where the binding has one. */
  readonly envelope: JsonObject | undefined
  readonly result: JsonValue | undefined
  readonly resultPointer: string
  readonly error: FoundError | undefined
}

export interface FoundError {
  readonly json: JsonValue | undefined
  readonly pointer: string
}

/** An error as it was seen, whatever shape it took. */
export interface RawError {
  code: number | undefined
  /** HTTP status of the response that carried it. */
  httpStatus: number
  /** Canonical status name of the REST form. */
  statusName: string | undefined
  /** `HTTP 404`, `gRPC NOT_FOUND`: the status as the binding has it. */
  statusText: string
  message: string | undefined
  details: JsonObject[]
  reason: string | undefined
  json: JsonValue
  pointer: string
}

export type ErrorMatch =
  | { fits: true; by: 'reason' | 'code' | 'status'; otherRevision?: SpecRevision }
  | { fits: false }

/** Which of the numbers of an error the binding carries, and how it is said. */
export interface ProbeErrors {
  /** By number, where no reason was given. */
  match(error: RawError, numbers: ErrorNumbers, revision: SpecRevision): ErrorMatch
  /** The exact number; `fits` also where the table has none. */
  matchNumber(error: RawError, numbers: ErrorNumbers, revision: SpecRevision): ErrorMatch
  /** "JSON-RPC error -32001", "HTTP 404": what is expected. */
  expected(numbers: ErrorNumbers, revision: SpecRevision): string
  /** "the error code is -32001", "the HTTP status is 404": what came. */
  actual(error: RawError): string
  /** The numbers of it, for a list. */
  numberOf(numbers: ErrorNumbers, revision: SpecRevision): number | undefined
  /** Where the number lies in the body; undefined when it is none of the body's. */
  readonly numberPointer: string | undefined
  /** A refusal of invalid parameters that says so in a neighbouring number. */
  isLenient(error: RawError): boolean
  /** A number the agent chose itself, outside of what the binding reserves. */
  isAgentsOwn(error: RawError): boolean
}

export interface HandMade {
  readonly method: string
  readonly path: string | undefined
  /** The body, where it is JSON. */
  readonly json: JsonValue | undefined
}

/** What a check wants to send cannot be said over this binding at all. */
export class NotSayable extends Error {}

/** What was said, or why it cannot be. */
export function sayable<T>(say: () => T): T | string {
  try {
    return say()
  } catch (error) {
    if (error instanceof NotSayable) return error.message
    throw error
  }
}

export interface ProbeHalf {
  /** Requests are plain HTTP, so that checks can change them by hand. */
  readonly isHttp1: boolean
  /** As a correct client would send these parameters; throws NotSayable. */
  encode(endpoint: ProbeEndpoint, op: Operation, params: JsonValue, id: JsonValue): ProbeRequest
  /** The same by another way the texts allow, for agents that do not know the first. */
  alternative?<R extends ProbeRequest>(op: Operation, request: R): R | undefined
  /** Which operation a hand-made request is about, as far as it can be told. */
  operationOf(endpoint: ProbeEndpoint, request: HandMade): Operation | undefined
  /** The request in the words of a finding; `json` is its body where it is JSON, `text` whatever it is. */
  describe(
    endpoint: ProbeEndpoint,
    op: Operation | undefined,
    request: Pick<ProbeRequest, 'method' | 'url'> & { text: string; json: JsonValue | undefined },
  ): { name: string; shown: string }
  /** HTTP status of an answer, or the one that says the same; 0 when there was none. */
  statusOf(exchange: Exchange): number
  /** `HTTP 404`, `gRPC NOT_FOUND`: the same in the words of a finding. */
  statusText(exchange: Exchange): string
  /** The text of an answer that should be JSON. */
  textOf(exchange: Exchange): string
  read(body: JsonValue | undefined, status: number): Inside
  /** One event of a stream. */
  readFrame(payload: JsonValue, status: number): { result: JsonValue | undefined } | { error: FoundError }
  /** Answers come in an envelope of their own, beside the HTTP response. */
  readonly isEnveloped: boolean
  /** Generations are told apart by method names only, and share some of them. */
  readonly sharesMethods: boolean
  /** Paths of two generations can be the same; the bodies of errors tell them apart. */
  readonly sharesPaths: boolean
  /** Why this answer to a harmless question is none of this binding; undefined when it is one. */
  foreignAnswer(answer: Inside & { status: number }): { code: string; reason: string } | undefined
  /** Asking for the extended card is also how anybody gets the public one. */
  handsOutPublicCard?(dialect: Dialect): boolean
  /** Only an answer of the protocol itself shows that the binding is served. */
  provesService(answer: { body: JsonValue | undefined; error: RawError | undefined }): boolean
  readonly errors: ProbeErrors
}

/** The patch revision a run does not judge by. */
export const OTHER_REVISION: Readonly<Record<SpecRevision, SpecRevision>> = { '1.0.1': '1.0.0', '1.0.0': '1.0.1' }

/** A number that stands in a column per revision. */
export function matchRevision(
  seen: number,
  column: Readonly<Record<SpecRevision, number>>,
  revision: SpecRevision,
): ErrorMatch {
  if (seen === column[revision]) return { fits: true, by: 'status' }
  const other = OTHER_REVISION[revision]
  return seen === column[other] ? { fits: true, by: 'status', otherRevision: other } : { fits: false }
}
