// Texts that live outside the collector's heap, many to a slab. What is kept there is neither copied by it nor counted
// when it decides how much room it needs; a slab goes when the last of its texts does.

const SLAB_BYTES = 256 * 1024
/** A text of this length stays where it is: it is one thing to carry along, and copying it out costs more. */
const LONG_TEXT = 4096
/** Of a UTF-16 code unit in UTF-8. */
const MOST_BYTES = 3

class Slice {
  readonly #slab: Buffer
  readonly #start: number
  readonly #end: number

  constructor(slab: Buffer, start: number, end: number) {
    this.#slab = slab
    this.#start = start
    this.#end = end
  }

  toString(): string {
    return this.#slab.toString('utf8', this.#start, this.#end)
  }
}

/** Read with toString. */
export type KeptText = string | Slice

export class Slabs {
  #slab = Buffer.alloc(0)
  #used = 0

  /** `text` must be well-formed, as what JSON.stringify makes always is. */
  keep(text: string): KeptText {
    if (text.length > LONG_TEXT) return text
    if (!this.#hasRoomFor(text)) {
      // Written once from end to end: a page costs least when it is first touched along with its neighbours.
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES).fill(0)
      this.#used = 0
    }
    const start = this.#used
    this.#used += this.#slab.write(text, start)
    return new Slice(this.#slab, start, this.#used)
  }

  #hasRoomFor(text: string): boolean {
    const room = this.#slab.length - this.#used
    return MOST_BYTES * text.length <= room || Buffer.byteLength(text) <= room
  }
}
