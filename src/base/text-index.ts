// Finds one of very many values by a text it carries, as a Map would. A Map looks at the texts, which lie all over memory,
// and at several of them before it knows that a new one is none of them: that took longer than anything else about
// storing a task. Here their hashes lie side by side, and a text is looked at only where its hash is the one sought.

import { randomInt } from 'node:crypto'

const EMPTY = 0
/** Something was here: whoever looks for what lies behind it goes on. */
const GONE = 1
const LEAST_PLACES = 16
/** So far from its place a value is put and looked for. Texts chosen to share a hash do no harm: the rest go to a Map. */
const REACH = 32

export class TextIndex<V> {
  readonly #textOf: (value: V) => string
  readonly #hash: (text: string) => number
  #hashes = new Int32Array(LEAST_PLACES)
  #values: (V | undefined)[] = emptyPlaces(LEAST_PLACES)
  /** Places that are not EMPTY. */
  #used = 0
  /** Values in places; those in `#crowded` come on top. */
  #placed = 0
  readonly #crowded = new Map<string, V>()

  constructor(textOf: (value: V) => string, hash: (text: string) => number = hashText) {
    this.#textOf = textOf
    this.#hash = hash
  }

  get size(): number {
    return this.#placed + this.#crowded.size
  }

  get(text: string): V | undefined {
    const place = this.#find(text)
    if (place !== -1) return this.#values[place]
    return this.#crowded.size === 0 ? undefined : this.#crowded.get(text)
  }

  /** The value that has the same text already and stays, or undefined when this one was added. */
  add(value: V): V | undefined {
    if (2 * this.#used >= this.#hashes.length) this.#makeRoom()
    const text = this.#textOf(value)
    const crowded = this.#crowded.size === 0 ? undefined : this.#crowded.get(text)
    if (crowded !== undefined) return crowded
    const hash = stored(this.#hash(text))
    const mask = this.#hashes.length - 1
    let free = -1
    for (let step = 0; step < REACH; step++) {
      const place = ((hash >>> 2) + step) & mask
      const there = this.#hashes[place]
      if (there === hash) {
        const known = this.#values[place]
        if (known !== undefined && this.#textOf(known) === text) return known
      } else if (there === EMPTY || there === GONE) {
        if (free === -1) free = place
        if (there === EMPTY) break
      }
    }
    if (free === -1) this.#crowded.set(text, value)
    else this.#put(free, hash, value)
    return undefined
  }

  /** Puts `value` in the place of the one with the same text. */
  replace(value: V): void {
    const text = this.#textOf(value)
    const place = this.#find(text)
    if (place !== -1) this.#values[place] = value
    else if (this.#crowded.has(text)) this.#crowded.set(text, value)
  }

  delete(text: string): void {
    const place = this.#find(text)
    if (place === -1) {
      this.#crowded.delete(text)
      return
    }
    this.#hashes[place] = GONE
    this.#values[place] = undefined
    this.#placed--
  }

  #find(text: string): number {
    const hash = stored(this.#hash(text))
    const mask = this.#hashes.length - 1
    for (let step = 0; step < REACH; step++) {
      const place = ((hash >>> 2) + step) & mask
      const there = this.#hashes[place]
      if (there === EMPTY) return -1
      if (there !== hash) continue
      const value = this.#values[place]
      if (value !== undefined && this.#textOf(value) === text) return place
    }
    return -1
  }

  #put(place: number, hash: number, value: V): void {
    if (this.#hashes[place] === EMPTY) this.#used++
    this.#hashes[place] = hash
    this.#values[place] = value
    this.#placed++
  }

  /** Four places for each value: mostly twice as many as before, fewer where what is gone took them. */
  #makeRoom(): void {
    const hashes = this.#hashes
    const values = this.#values
    const places = Math.max(LEAST_PLACES, 2 ** Math.ceil(Math.log2(4 * this.#placed)))
    this.#hashes = new Int32Array(places)
    this.#values = emptyPlaces(places)
    this.#used = 0
    this.#placed = 0
    hashes.forEach((hash, place) => {
      const value = values[place]
      if (value !== undefined) this.#putAgain(hash, value)
    })
  }

  #putAgain(hash: number, value: V): void {
    const mask = this.#hashes.length - 1
    for (let step = 0; step < REACH; step++) {
      const place = ((hash >>> 2) + step) & mask
      if (this.#hashes[place] !== EMPTY) continue
      this.#put(place, hash, value)
      return
    }
    this.#crowded.set(this.#textOf(value), value)
  }
}

function emptyPlaces<V>(places: number): (V | undefined)[] {
  return new Array<V | undefined>(places).fill(undefined)
}

/** Never EMPTY or GONE. */
function stored(hash: number): number {
  return hash | 2
}

const SEED = randomInt(2 ** 31)

function hashText(text: string): number {
  let hash = SEED
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return hash ^ (hash >>> 13)
}
