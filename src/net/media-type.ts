// A Content-Type, parsed once (RFC 9110 §8.3.1). Decisions are made on the parsed essence, never on header text:
// "text/plain; a=application/json" is text.

export interface MediaType {
  /** All lower case. */
  type: string
  subtype: string
  /** `type/subtype`. */
  essence: string
  /** Names in lower case, values as sent without their quotes. */
  parameters: ReadonlyMap<string, string>
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()

/** What nearly every request of this protocol says, answered without parsing. */
const KNOWN = new Map<string, MediaType>(
  ['application/json', 'application/a2a+json', 'text/event-stream'].map((essence) => {
    const [type = '', subtype = ''] = essence.split('/')
    return [essence, { type, subtype, essence, parameters: NO_PARAMETERS }]
  }),
)

/** Undefined when there is no value or it is no media type; a duplicate parameter makes it none. */
export function parseMediaType(value: string | undefined): MediaType | undefined {
  if (value === undefined) return undefined
  const known = KNOWN.get(value)
  if (known !== undefined) return known
  if (value.length > 1024) return undefined
  const semicolon = value.indexOf(';')
  const essence = trim(semicolon === -1 ? value : value.slice(0, semicolon)).toLowerCase()
  const slash = essence.indexOf('/')
  const type = essence.slice(0, Math.max(slash, 0))
  const subtype = essence.slice(slash + 1)
  if (!TOKEN.test(type) || !TOKEN.test(subtype)) return undefined
  const parameters = semicolon === -1 ? NO_PARAMETERS : parseParameters(value, semicolon)
  return parameters === undefined ? undefined : { type, subtype, essence, parameters }
}

function parseParameters(value: string, from: number): Map<string, string> | undefined {
  const parameters = new Map<string, string>()
  let at = from
  while (at < value.length) {
    at = skipSpace(value, at + 1) // past the semicolon
    if (at >= value.length || value[at] === ';') continue
    const equals = value.indexOf('=', at)
    if (equals === -1) return undefined
    const name = value.slice(at, equals)
    if (!TOKEN.test(name) || parameters.has(name.toLowerCase())) return undefined
    let text = ''
    at = equals + 1
    if (value[at] === '"') {
      for (at++; value[at] !== '"'; at++) {
        if (value[at] === '\\') at++
        if (at >= value.length) return undefined
        text += value[at]
      }
      at++
    } else {
      const semicolon = value.indexOf(';', at)
      const end = semicolon === -1 ? value.length : semicolon
      text = trim(value.slice(at, end))
      if (!TOKEN.test(text)) return undefined
      at = end
    }
    parameters.set(name.toLowerCase(), text)
    at = skipSpace(value, at)
    if (at < value.length && value[at] !== ';') return undefined
  }
  return parameters
}

function isSpace(char: string | undefined): boolean {
  return char === ' ' || char === '\t'
}

function skipSpace(value: string, from: number): number {
  let at = from
  while (isSpace(value[at])) at++
  return at
}

function trim(value: string): string {
  const start = skipSpace(value, 0)
  let end = value.length
  while (end > start && isSpace(value[end - 1])) end--
  return value.slice(start, end)
}
