// Where things stand in a JSON text a person wrote: the line where it stops being JSON, and the line of every member.
// JSON.parse knows but does not tell; a person with a broken card file needs it.

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
  const lines = new Map<string, number>()
  let at = 0
  let line = 1

  /** Moves over what the pattern matches here, counting lines; undefined when it does not match. */
  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found === undefined) return undefined
    for (const char of found) if (char === '\n') line += 1
    at += found.length
    return found
  }

  function punctuation(char: string): boolean {
    take(SPACE)
    if (text[at] !== char) return false
    at += 1
    return true
  }

  function value(pointer: string): void {
    take(SPACE)
    lines.set(pointer, line)
    if (text[at] === '{') members(pointer)
    else if (text[at] === '[') elements(pointer)
    else if (take(STRING) === undefined && take(SCALAR) === undefined) throw new Fault()
  }

  function members(pointer: string): void {
    at += 1
    if (punctuation('}')) return
    do {
      take(SPACE)
      const name = take(STRING)
      if (name === undefined || !punctuation(':')) throw new Fault()
      value(`${pointer}/${escaped(JSON.parse(name) as string)}`)
    } while (punctuation(','))
    if (!punctuation('}')) throw new Fault()
  }

  function elements(pointer: string): void {
    at += 1
    if (punctuation(']')) return
    let index = 0
    do value(`${pointer}/${index++}`)
    while (punctuation(','))
    if (!punctuation(']')) throw new Fault()
  }

  return { fault: faultOf(), lineOf }

  function faultOf(): number | undefined {
    try {
      value('')
      take(SPACE)
      return at === text.length ? undefined : line
    } catch (error) {
      if (error instanceof Fault || error instanceof RangeError) return line
      throw error
    }
  }

  function lineOf(pointer: string): number {
    for (let place = pointer; ; place = place.slice(0, place.lastIndexOf('/'))) {
      const known = lines.get(place)
      if (known !== undefined) return known
      if (place === '') return 1
    }
  }
}

/** RFC 6901 §3. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
