// Random UUIDs (RFC 9562 §5.4) as flat strings. The one of node:crypto is put together from sixteen pieces and stays a
// tree of them until they are read; ids are kept by the thousand, and the trees with them.

import { randomFillSync } from 'node:crypto'

const IDS_AT_ONCE = 128
const BYTES = 16

const random = Buffer.alloc(IDS_AT_ONCE * BYTES)
let used = random.length

const HEX = Buffer.from('0123456789abcdef', 'latin1')
const text = Buffer.alloc(36, '-', 'latin1')
/** Where the two digits of each byte stand, between the hyphens. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

export function randomId(): string {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  for (let index = 0; index < BYTES; index++) {
    let byte = random[used++] ?? 0
    if (index === 6) byte = (byte & 0x0f) | 0x40
    else if (index === 8) byte = (byte & 0x3f) | 0x80
    const place = PLACES[index] ?? 0
    text[place] = HEX[byte >> 4] ?? 0
    text[place + 1] = HEX[byte & 0x0f] ?? 0
  }
  return text.toString('latin1')
}
