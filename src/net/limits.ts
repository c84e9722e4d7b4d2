// What one peer may make us hold or wait for. Every number has a default that is safe on the open internet; an
// operator may change each, but none can be switched off: a limit is a positive whole number.

import { memoryShare } from '../base/memory-share.ts'
import { ParleyError } from '../model/errors.ts'

/** How much a caller may ask for. */
export interface Limits {
  /**
   * Request body in bytes, counted after decompression; a larger one is refused with 413. At most 64 MiB.
   * @default 4 * 1024 * 1024
   */
  bodyBytes: number
  /**
   * Bytes of request bodies, of all connections of this process, that have begun to arrive and are not complete; beyond it
   * the connection that has been silent for the longest is cut.
   * @default an eighth of the memory this process may have, at most 256 MiB
   */
  receivingBytes: number
  /**
   * Levels of objects and arrays inside each other; deeper documents are refused.
   * @default 100
   */
  jsonDepth: number
  /**
   * Members and elements of a whole document; an empty object or array counts as one.
   * @default 100_000
   */
  jsonMembers: number
  /**
   * Characters in one JSON string, as written. Follows bodyBytes unless given: a file travels as one base64 string, so
   * a fixed smaller number would refuse files the body limit allows, and protect nothing beyond it.
   * @default bodyBytes
   */
  jsonStringLength: number
  /**
   * Characters in one member name, as written.
   * @default 1024 * 1024
   */
  jsonNameLength: number
  /**
   * Characters in one number, as written.
   * @default 100
   */
  jsonNumberLength: number
  /**
   * Bytes of request line and header fields together; more are refused with 431.
   * @default 16 * 1024
   */
  headerBytes: number
  /**
   * Header fields of a request; more are refused with 431.
   * @default 100
   */
  headerFields: number
  /**
   * Characters of the request target; a longer one is refused with 414.
   * @default 8 * 1024
   */
  urlLength: number
  /**
   * Milliseconds until the header of a request, and a TLS handshake, must be complete; then the connection is closed.
   * @default 9_000
   */
  headersTimeoutMs: number
  /**
   * Milliseconds until the whole request must have arrived; then the connection is closed.
   * @default 30_000
   */
  requestTimeoutMs: number
  /**
   * How often the two timeouts above are enforced, so they may take that much longer; Node's own default of 30 s makes
   * them meaningless.
   * @default 250
   */
  connectionsCheckingIntervalMs: number
  /**
   * Milliseconds an idle connection stays open for the next request.
   * @default 10_000
   */
  keepAliveMs: number
  /**
   * Requests on one connection; the last is answered with `Connection: close`.
   * @default 1_000
   */
  requestsPerSocket: number
  /**
   * Connections open at the same time; further ones are closed at once.
   * @default 10_000
   */
  connections: number
  /**
   * The same, from one address (IPv6: one /64); loopback and trusted proxies are not counted.
   * @default 256
   */
  connectionsPerAddress: number
  /**
   * Event streams open at the same time.
   * @default 8_000
   */
  streams: number
  /**
   * The same, for one authenticated caller.
   * @default 100
   */
  streamsPerCaller: number
  /**
   * Bytes of answers, of all connections together, that wait in memory because their clients do not read.
   * @default an eighth of the memory this process may have, at most 256 MiB
   */
  unreadBytes: number
  /**
   * The same on one connection; an answer that is larger is not begun.
   * @default 64 * 1024 * 1024
   */
  unreadBytesPerSocket: number
  /**
   * An answer of which nothing is read for this long is cut off. Streams have a longer time of their own.
   * @default 15_000
   */
  unreadTimeoutMs: number
  /**
   * Entries in the log of one task: statuses, chunks of artifacts, messages.
   * @default 50_000
   */
  taskEvents: number
  /**
   * Bytes of messages, and of the tasks they continue, that agents are working on at the same time.
   * @default an eighth of the memory this process may have, at most 256 MiB
   */
  turnBytes: number
  /**
   * Messages of one authenticated caller that agents are working on at the same time.
   * @default 1_000
   */
  turnsPerCaller: number
  /**
   * A page of ListTasks ends before its tasks, as they are stored, become larger than this.
   * @default 8 * 1024 * 1024
   */
  pageBytes: number
  /**
   * Size of one task in bytes, about that of its JSON. At most 256 MiB.
   * @default 32 * 1024 * 1024
   */
  taskBytes: number
  /**
   * Milliseconds by which the event loop may be late, twice running, before new requests are refused with 503.
   * @default 500
   */
  loopDelayMs: number
}

/** A body is held in memory whole; beyond this, raising the limit is not the answer. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024

/** What makes one JSON text must fit into one string of the engine that runs us, in whatever characters. */
const MAX_TASK_BYTES = 256 * 1024 * 1024

export const DEFAULT_LIMITS: Readonly<Limits> = {
  bodyBytes: 4 * 1024 * 1024,
  receivingBytes: memoryShare(256 * 1024 * 1024, 1 / 8),
  jsonDepth: 100,
  jsonMembers: 100_000,
  jsonStringLength: 4 * 1024 * 1024,
  jsonNameLength: 1024 * 1024,
  jsonNumberLength: 100,
  headerBytes: 16 * 1024,
  headerFields: 100,
  urlLength: 8 * 1024,
  // A socket that never finishes its request is gone 12 s after it was asked for: a burst of them fills the queue of the
  // operating system, and those that did not fit connect a second later.
  headersTimeoutMs: 9_000,
  requestTimeoutMs: 30_000,
  connectionsCheckingIntervalMs: 250,
  keepAliveMs: 10_000,
  requestsPerSocket: 1_000,
  connections: 10_000,
  connectionsPerAddress: 256,
  streams: 8_000,
  streamsPerCaller: 100,
  unreadBytes: memoryShare(256 * 1024 * 1024, 1 / 8),
  unreadBytesPerSocket: 64 * 1024 * 1024,
  unreadTimeoutMs: 15_000,
  taskEvents: 50_000,
  taskBytes: 32 * 1024 * 1024,
  turnBytes: memoryShare(256 * 1024 * 1024, 1 / 8),
  turnsPerCaller: 1_000,
  pageBytes: 8 * 1024 * 1024,
  // Accepted requests shall be answered within a second; half of that late is too busy.
  loopDelayMs: 500,
}

/** The defaults with the given values in their place; a value that is no limit is refused by name. */
export function checkLimits(given: Partial<Limits> = {}): Limits {
  const limits: Limits = { ...DEFAULT_LIMITS }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (!isLimitName(name)) {
      throw new ParleyError('bad-limit', `There is no limit called '${name}'; use one of ${LIMIT_NAMES.join(', ')}.`)
    }
    if (!Number.isSafeInteger(value) || value <= 0) {
      throw new ParleyError('bad-limit', `The limit '${name}' must be a whole number above 0, not ${String(value)}.`)
    }
    limits[name] = value
  }
  if (limits.bodyBytes > MAX_BODY_BYTES) {
    throw new ParleyError('bad-limit', `The limit 'bodyBytes' must be at most ${MAX_BODY_BYTES} (64 MiB).`)
  }
  if (limits.taskBytes > MAX_TASK_BYTES) {
    throw new ParleyError('bad-limit', `The limit 'taskBytes' must be at most ${MAX_TASK_BYTES} (256 MiB).`)
  }
  if (given.jsonStringLength === undefined) limits.jsonStringLength = limits.bodyBytes
  return limits
}

const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS)

function isLimitName(name: string): name is keyof Limits {
  return Object.hasOwn(DEFAULT_LIMITS, name)
}
