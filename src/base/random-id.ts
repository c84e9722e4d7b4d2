// UUIDs as flat strings. The one of node:crypto is put together from sixteen pieces and stays a tree of them until they are
// read; ids are kept by the thousand, and the trees with them.

import { randomFillSync } from 'node:crypto'

const IDS_AT_ONCE = 128
const BYTES = 16

const random = Buffer.alloc(IDS_AT_ONCE * BYTES)
let used = random.length

const HEX = Buffer.from('0123456789abcdef', 'latin1')
const text = Buffer.alloc(36, '-', 'latin1')
/** Where the two digits of each byte stand, between the hyphens. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
/** Bytes that tell the time, in milliseconds. */
const TIME_BYTES = 6
const LOW = 2 ** 24

/** All of it random (RFC 9562 §5.4). */
export function randomId(): string {
  write(0x40, 0)
  return text.toString('latin1')
}

/**
 * The time first, then 74 random bits (RFC 9562 §5.7): for what databases keep indexes of. Ids that are made one after the
 * other stand beside each other there, on pages that are at hand.
 */
export function timedId(now: number = Date.now()): string {
  write(0x70, TIME_BYTES)
  const [high, low] = [Math.floor(now / LOW), now % LOW]
  for (let index = 0; index < TIME_BYTES; index++) {
    const half = index < 3 ? high : low
    put(index, (half >> (16 - 8 * (index % 3))) & 0xff)
  }
  return text.toString('latin1')
}

/** Random bytes from the byte `from` on, with version and variant in their places. */
function write(version: number, from: number): void {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  for (let index = from; index < BYTES; index++) {
    const byte = random[used + index] ?? 0
    put(index, index === 6 ? (byte & 0x0f) | version : index === 8 ? (byte & 0x3f) | 0x80 : byte)
  }
  used += BYTES
}

function put(index: number, byte: number): void {
  const place = PLACES[index] ?? 0
  text[place] = HEX[byte >> 4] ?? 0
  text[place + 1] = HEX[byte & 0x0f] ?? 0
}
