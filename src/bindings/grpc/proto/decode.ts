// From bytes to ProtoJSON. What the bytes say beyond the schema (unknown fields, other wire types) is skipped as protocol
// buffers want it, and collected for whoever judges them. Bytes that are no message at all are a NotDecodable.

import type { JsonObject, JsonValue } from '../../../model/json.ts'
import { formatDuration, formatTimestamp } from './instants.ts'
import { type Field, type MessageType, schema } from './schema.ts'

export class NotDecodable extends Error {}

/** Something in the bytes that the schema does not have. */
export interface UnknownField {
  /** The message it lies in. */
  message: string
  number: number
  wireType: number
  /** The schema has the number with another wire type. */
  isKnownNumber: boolean
}

export interface DecodeOptions {
  unknown?: UnknownField[]
  /** Deeper nesting is refused. */
  maxDepth?: number
}

const MAX_DEPTH = 100
const ANY_PREFIX = 'type.googleapis.com/'
const WIRE_TYPES: Readonly<Record<Field['kind'], number>> = {
  ...{ bool: 0, int32: 0, int64: 0, enum: 0, double: 1 },
  ...{ string: 2, bytes: 2, message: 2 },
}

export function decodeMessage(type: MessageType, bytes: Buffer, options: DecodeOptions = {}): JsonValue {
  return new Reader(bytes, options).message(type, bytes.length)
}

class Reader {
  readonly #bytes: Buffer
  readonly #unknown: UnknownField[] | undefined
  #depthLeft: number
  #at = 0
  /** Upper half of the varint that was read last. */
  #high = 0

  constructor(bytes: Buffer, { unknown, maxDepth = MAX_DEPTH }: DecodeOptions) {
    this.#bytes = bytes
    this.#unknown = unknown
    this.#depthLeft = maxDepth
  }

  message(type: MessageType, end: number): JsonValue {
    if (--this.#depthLeft < 0) throw new NotDecodable('The message is nested too deeply.')
    const json = type.wellKnown === undefined ? this.#plain(type, end) : this.#wellKnown(type, end)
    if (this.#at !== end) throw new NotDecodable('A field of the message is longer than the message.')
    this.#depthLeft++
    return json
  }

  #plain(type: MessageType, end: number): JsonObject {
    const json: JsonObject = {}
    while (this.#at < end) {
      const tag = this.#varint()
      const field = type.byNumber[tag >>> 3]
      const wireType = tag & 7
      if (field === undefined) this.#skip(type, tag, false)
      else if (field.isRepeated && wireType === 2 && WIRE_TYPES[field.kind] !== 2) this.#packed(field, json)
      else if (wireType !== WIRE_TYPES[field.kind] && !(field.isMap && wireType === 2)) this.#skip(type, tag, true)
      else if (field.isMap) this.#mapEntry(type, field, json)
      else if (field.isRepeated) listIn(json, field).push(this.#single(field))
      else this.#set(type, field, json)
    }
    return json
  }

  #set(type: MessageType, field: Field, json: JsonObject): void {
    const value = this.#single(field)
    if (!field.hasPresence && isDefault(field, value)) {
      // Deleting makes an object slow, so only what is there.
      if (field.jsonName in json) delete json[field.jsonName]
      return
    }
    // Of a oneof, the last one counts.
    if (field.oneof !== undefined) {
      for (const other of type.fields)
        if (other.oneof === field.oneof && other.jsonName in json) delete json[other.jsonName]
    }
    json[field.jsonName] = value
  }

  #packed(field: Field, json: JsonObject): void {
    const end = this.#lengthEnd()
    const list = listIn(json, field)
    while (this.#at < end) list.push(this.#single(field))
  }

  #mapEntry(type: MessageType, field: Field, json: JsonObject): void {
    const end = this.#lengthEnd()
    let key = ''
    let value: JsonValue | undefined
    while (this.#at < end) {
      const tag = this.#varint()
      if (tag === 10) key = this.#text()
      else if (tag === 16 + WIRE_TYPES[field.kind]) value = this.#single(field)
      else this.#skip(type, tag, false)
    }
    json[field.jsonName] ??= {}
    const entries = json[field.jsonName] as JsonObject
    entries[memberName(key)] = value === undefined ? emptyValue(field) : value
  }

  #single(field: Field): JsonValue {
    switch (field.kind) {
      case 'string':
        return this.#text()
      case 'bytes': {
        const end = this.#lengthEnd()
        const text = this.#bytes.toString('base64', this.#at, end)
        this.#at = end
        return text
      }
      case 'bool':
        return (this.#varint() | this.#high) !== 0
      case 'int32':
        return this.#varint() | 0
      case 'int64':
        return String(this.#int64())
      case 'enum': {
        const number = this.#varint() | 0
        return field.enum?.byNumber.get(number) ?? number
      }
      case 'double':
        return this.#double()
      case 'message':
        return this.message(field.message as MessageType, this.#lengthEnd())
    }
  }

  #wellKnown(type: MessageType, end: number): JsonValue {
    switch (type.wellKnown) {
      case 'struct':
        return this.#struct(type, end)
      case 'list':
        return this.#list(type, end)
      case 'value':
        return this.#value(type, end)
      case 'any':
        return this.#any(type, end)
      case 'timestamp':
      case 'duration':
      case undefined: {
        const { seconds = '0', nanos = 0 } = this.#plain(type, end)
        const instant = { seconds: Number(seconds), nanos: Number(nanos) }
        if (type.wellKnown === 'duration') return formatDuration(instant)
        const text = formatTimestamp(instant)
        if (text === undefined) throw new NotDecodable('A timestamp lies outside of the years 1 to 9999.')
        return text
      }
    }
  }

  #struct(type: MessageType, end: number): JsonValue {
    return this.#plain(type, end).fields ?? {}
  }

  #list(type: MessageType, end: number): JsonValue {
    return this.#plain(type, end).values ?? []
  }

  #value(type: MessageType, end: number): JsonValue {
    const json = this.#plain(type, end)
    for (const name in json) return name === 'nullValue' ? null : (json[name] as JsonValue)
    // A Value without a kind is what some libraries make of null.
    return null
  }

  #any(type: MessageType, end: number): JsonValue {
    const { typeUrl = '', value = '' } = this.#plain(type, end)
    const url = typeof typeUrl === 'string' ? typeUrl : ''
    const packed = typeof value === 'string' ? value : ''
    const inner = schema().findMessage(url.startsWith(ANY_PREFIX) ? url.slice(ANY_PREFIX.length) : url)
    if (inner === undefined) return { '@type': url, value }
    const json = decodeMessage(inner, Buffer.from(packed, 'base64'), { maxDepth: this.#depthLeft })
    return inner.wellKnown === undefined ? { '@type': url, ...(json as JsonObject) } : { '@type': url, value: json }
  }

  #text(): string {
    const end = this.#lengthEnd()
    const text = this.#bytes.toString('utf8', this.#at, end)
    if (text.includes('\uFFFD') && !isUtf8(this.#bytes.subarray(this.#at, end)))
      throw new NotDecodable('A string is not UTF-8.')
    this.#at = end
    return text
  }

  #double(): number {
    const at = this.#at
    this.#at += 8
    if (this.#at > this.#bytes.length) throw cut()
    return this.#bytes.readDoubleLE(at)
  }

  #int64(): bigint {
    const low = this.#varint()
    return BigInt.asIntN(64, (BigInt(this.#high >>> 0) << 32n) | BigInt(low >>> 0))
  }

  /** The lower 32 bits; the upper ones are in `#high`. */
  #varint(): number {
    let low = 0
    let high = 0
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw cut()
      const bits = byte & 127
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= bits << 28
        high = bits >> 4
      } else high |= bits << (shift - 32)
      if (byte < 128) {
        this.#high = high
        return low >>> 0
      }
    }
    throw new NotDecodable('A number has more than ten bytes.')
  }

  #lengthEnd(): number {
    const length = this.#varint()
    const end = this.#at + length
    if (this.#high !== 0 || end > this.#bytes.length) throw cut()
    return end
  }

  #skip(type: MessageType, tag: number, isKnownNumber: boolean): void {
    const number = tag >>> 3
    const wireType = tag & 7
    if (number === 0) throw new NotDecodable('A field has the number 0.')
    this.#unknown?.push({ message: type.name, number, wireType, isKnownNumber })
    if (wireType === 0) this.#varint()
    else if (wireType === 1) this.#at += 8
    else if (wireType === 2) this.#at = this.#lengthEnd()
    else if (wireType === 5) this.#at += 4
    else throw new NotDecodable(`A field has the wire type ${wireType}, which does not exist.`)
    if (this.#at > this.#bytes.length) throw cut()
  }
}

function listIn(json: JsonObject, field: Field): JsonValue[] {
  const known = json[field.jsonName]
  if (Array.isArray(known)) return known
  const made: JsonValue[] = []
  json[field.jsonName] = made
  return made
}

function isDefault({ kind, enum: names }: Field, value: JsonValue): boolean {
  // Only an int64 is a number in the shape of a text: a text "0" says something.
  if (kind === 'int64') return value === '0'
  return value === '' || value === 0 || value === false || (kind === 'enum' && value === names?.byNumber.get(0))
}

/** An entry of a map that does not say its value. */
function emptyValue({ kind, message }: Field): JsonValue {
  if (kind !== 'message') return ''
  return message?.wellKnown === 'value' ? null : {}
}

/** A member of this name would be a prototype instead. */
function memberName(name: string): string {
  if (name === '__proto__') throw new NotDecodable('A member must not be called __proto__.')
  return name
}

const strict = new TextDecoder('utf-8', { fatal: true })

function isUtf8(bytes: Buffer): boolean {
  try {
    strict.decode(bytes)
    return true
  } catch {
    return false
  }
}

function cut(): NotDecodable {
  return new NotDecodable('The message ends in the middle of a field.')
}
