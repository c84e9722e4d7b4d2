// Where things stand in a JSON text a person wrote: the line where it stops being JSON, and the line of every member.
// JSON.parse knows but does not tell; a person with a broken card file needs it.

import { pointerStep } from '../model/json-pointer.ts'

export interface JsonLines {
  /** The line, from 1, where the text stops being JSON; undefined when it is JSON. */
  fault: number | undefined
  /** The line of the value a JSON pointer names, or of the nearest one around it. */
  lineOf(pointer: string): number
}

class Fault extends Error {
  override readonly name = 'Fault'
}

const SPACE = /[ \t\n\r]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these in strings
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

export function jsonLines(text: string): JsonLines {
  const reader = new JsonReader(text)
  return { fault: reader.fault, lineOf: (pointer) => reader.lineOf(pointer) }
}

class JsonReader {
  readonly fault: number | undefined
  readonly #text: string
  readonly #lines = new Map<string, number>()
  #at = 0
  #line = 1

  constructor(text: string) {
    this.#text = text
    this.fault = this.#faultOf()
  }

  lineOf(pointer: string): number {
    for (let place = pointer; ; place = place.slice(0, place.lastIndexOf('/'))) {
      const known = this.#lines.get(place)
      if (known !== undefined) return known
      if (place === '') return 1
    }
  }

  #faultOf(): number | undefined {
    try {
      this.#value('')
      this.#take(SPACE)
      return this.#at === this.#text.length ? undefined : this.#line
    } catch (error) {
      if (error instanceof Fault || error instanceof RangeError) return this.#line
      throw error
    }
  }

  /** Moves over what the pattern matches here, counting lines; undefined when it does not match. */
  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found === undefined) return undefined
    for (const char of found) if (char === '\n') this.#line += 1
    this.#at += found.length
    return found
  }

  #punctuation(char: string): boolean {
    this.#take(SPACE)
    if (this.#text[this.#at] !== char) return false
    this.#at += 1
    return true
  }

  #value(pointer: string): void {
    this.#take(SPACE)
    this.#lines.set(pointer, this.#line)
    const first = this.#text[this.#at]
    if (first === '{') this.#members(pointer)
    else if (first === '[') this.#elements(pointer)
    else if (this.#take(STRING) === undefined && this.#take(SCALAR) === undefined) throw new Fault()
  }

  #members(pointer: string): void {
    this.#at += 1
    if (this.#punctuation('}')) return
    do {
      this.#take(SPACE)
      const name = this.#take(STRING)
      if (name === undefined || !this.#punctuation(':')) throw new Fault()
      this.#value(pointer + pointerStep(JSON.parse(name) as string))
    } while (this.#punctuation(','))
    if (!this.#punctuation('}')) throw new Fault()
  }

  #elements(pointer: string): void {
    this.#at += 1
    if (this.#punctuation(']')) return
    let index = 0
    do this.#value(`${pointer}/${index++}`)
    while (this.#punctuation(','))
    if (!this.#punctuation(']')) throw new Fault()
  }
}
