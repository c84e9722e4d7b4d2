// From ProtoJSON to bytes, without objects in between: the model has the JSON shape of 1.0, so this is all of the
// encoding. Written from the end of the buffer to its beginning, because a length stands in front of what it measures.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../model/json.ts'
import { pointerStep } from '../../../model/json-pointer.ts'
import { parseDuration, parseTimestamp } from './instants.ts'
import { type Field, type MessageType, schema } from './schema.ts'

/** This JSON is no message of that type; the pointer says where. */
export class NotEncodable extends Error {
  readonly pointer: string

  constructor(pointer: string, message: string) {
    super(message)
    this.pointer = pointer
  }
}

/** Room in front of a message for what surrounds it on the wire. */
const FIRST_BYTES = 16 * 1024
/** The buffer of messages that were larger is given back. */
const KEPT_BYTES = 256 * 1024
const SHORT_TEXT = 40
const ANY_PREFIX = 'type.googleapis.com/'

let scratch: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)

export interface EncodeOptions {
  /** So many bytes in front are left for the caller to fill. */
  headroom?: number
  /** Members the message does not have are left out; by default they are an error. */
  skipsUnknown?: boolean
}

export function encodeMessage(
  type: MessageType,
  json: JsonValue,
  { headroom = 0, skipsUnknown = false }: EncodeOptions = {},
): Buffer {
  const writer = new Writer(scratch, skipsUnknown)
  writer.message(type, json)
  const found = writer.taken(headroom)
  if (writer.buffer.length <= KEPT_BYTES) scratch = writer.buffer
  return found
}

class Writer {
  buffer: Buffer
  #at: number
  readonly #path: (string | number)[] = []

  readonly #skipsUnknown: boolean

  constructor(buffer: Buffer, skipsUnknown: boolean) {
    this.buffer = buffer
    this.#skipsUnknown = skipsUnknown
    this.#at = buffer.length
  }

  /** A copy of what was written. */
  taken(headroom: number): Buffer {
    const size = this.buffer.length - this.#at
    const copy = Buffer.allocUnsafe(headroom + size)
    this.buffer.copy(copy, headroom, this.#at)
    return copy
  }

  message(type: MessageType, json: JsonValue): void {
    if (type.wellKnown !== undefined) {
      this.#wellKnown(type, json)
      return
    }
    if (!isJsonObject(json)) throw this.#wrong('must be an object')
    const names = Object.keys(json)
    const arms: string[] = []
    for (let at = names.length - 1; at >= 0; at--) {
      const name = names[at] as string
      const value = json[name]
      const field = type.byName.get(name)
      if (field === undefined && this.#skipsUnknown) continue
      if (field === undefined) throw this.#wrong(`has the member ${JSON.stringify(name)}, which it must not have`)
      if (value === undefined || (value === null && field.message?.wellKnown !== 'value')) continue
      if (field.oneof !== undefined) {
        if (arms.includes(field.oneof)) throw this.#wrong(`has more than one of ${field.oneof}`)
        arms.push(field.oneof)
      }
      this.#path.push(name)
      this.#field(field, value)
      this.#path.pop()
    }
  }

  #field(field: Field, value: JsonValue): void {
    if (field.isMap) {
      this.#map(field, value)
      return
    }
    if (!field.isRepeated) {
      this.#single(field, value, !field.hasPresence)
      return
    }
    if (!Array.isArray(value)) throw this.#wrong('must be a list')
    for (let at = value.length - 1; at >= 0; at--) {
      this.#path.push(at)
      this.#single(field, value[at] ?? null, false)
      this.#path.pop()
    }
  }

  #map(field: Field, value: JsonValue): void {
    if (!isJsonObject(value)) throw this.#wrong('must be an object')
    const entry: Field = { ...field, number: 2, isMap: false, hasPresence: true }
    for (const [key, item] of Object.entries(value).reverse()) {
      const end = this.#at
      this.#path.push(key)
      this.#single(entry, item ?? null, false)
      this.#path.pop()
      this.#text(key)
      this.#tag(1, 2)
      this.#lengthSince(end)
      this.#tag(field.number, 2)
    }
  }

  /** `skipsDefault`: a field without presence says its default by being absent. */
  #single(field: Field, value: JsonValue, skipsDefault: boolean): void {
    switch (field.kind) {
      case 'string':
        if (typeof value !== 'string') throw this.#wrong('must be a string')
        if (skipsDefault && value === '') return
        this.#text(value)
        this.#tag(field.number, 2)
        return
      case 'bytes': {
        const bytes = this.#bytesOf(value)
        if (skipsDefault && bytes.length === 0) return
        this.#bytes(bytes)
        this.#tag(field.number, 2)
        return
      }
      case 'bool':
        if (typeof value !== 'boolean') throw this.#wrong('must be true or false')
        if (skipsDefault && !value) return
        this.#varint(value ? 1 : 0)
        this.#tag(field.number, 0)
        return
      case 'int32':
      case 'int64': {
        const number = this.#integerOf(value, field.kind)
        if (skipsDefault && number === 0) return
        this.#varint(number)
        this.#tag(field.number, 0)
        return
      }
      case 'enum': {
        const number = this.#enumOf(field, value)
        if (skipsDefault && number === 0) return
        this.#varint(number)
        this.#tag(field.number, 0)
        return
      }
      case 'double':
        if (typeof value !== 'number') throw this.#wrong('must be a number')
        this.#double(value)
        this.#tag(field.number, 1)
        return
      case 'message': {
        const end = this.#at
        this.message(field.message as MessageType, value)
        this.#lengthSince(end)
        this.#tag(field.number, 2)
        return
      }
    }
  }

  #wellKnown(type: MessageType, json: JsonValue): void {
    switch (type.wellKnown) {
      case 'struct':
        if (!isJsonObject(json)) throw this.#wrong('must be an object')
        this.#struct(json)
        return
      case 'list':
        if (!Array.isArray(json)) throw this.#wrong('must be a list')
        this.#list(json)
        return
      case 'value':
        this.#value(json)
        return
      case 'any':
        this.#any(json)
        return
      case 'timestamp':
      case 'duration':
      case undefined: {
        const text = typeof json === 'string' ? json : ''
        const found = type.wellKnown === 'timestamp' ? parseTimestamp(text) : parseDuration(text)
        if (found === undefined) throw this.#wrong(`must be a ${type.wellKnown}`)
        if (found.nanos !== 0) {
          this.#varint(found.nanos)
          this.#tag(2, 0)
        }
        if (found.seconds === 0) return
        this.#varint(found.seconds)
        this.#tag(1, 0)
      }
    }
  }

  #struct(json: JsonObject): void {
    const names = Object.keys(json)
    for (let at = names.length - 1; at >= 0; at--) {
      const name = names[at] as string
      const value = json[name]
      if (value === undefined) continue
      const end = this.#at
      this.#value(value)
      this.#lengthSince(end)
      this.#tag(2, 2)
      this.#text(name)
      this.#tag(1, 2)
      this.#lengthSince(end)
      this.#tag(1, 2)
    }
  }

  #list(json: readonly JsonValue[]): void {
    for (let at = json.length - 1; at >= 0; at--) {
      const end = this.#at
      this.#value(json[at] ?? null)
      this.#lengthSince(end)
      this.#tag(1, 2)
    }
  }

  #value(json: JsonValue): void {
    if (json === null) {
      this.#varint(0)
      this.#tag(1, 0)
    } else if (typeof json === 'number') {
      this.#double(json)
      this.#tag(2, 1)
    } else if (typeof json === 'string') {
      this.#text(json)
      this.#tag(3, 2)
    } else if (typeof json === 'boolean') {
      this.#varint(json ? 1 : 0)
      this.#tag(4, 0)
    } else {
      const end = this.#at
      if (Array.isArray(json)) this.#list(json)
      else this.#struct(json)
      this.#lengthSince(end)
      this.#tag(Array.isArray(json) ? 6 : 5, 2)
    }
  }

  #any(json: JsonValue): void {
    const { '@type': url, ...rest } = isJsonObject(json) ? json : {}
    if (typeof url !== 'string') throw this.#wrong('must be an object with @type')
    const type = schema().findMessage(url.startsWith(ANY_PREFIX) ? url.slice(ANY_PREFIX.length) : url)
    if (type === undefined) throw this.#wrong(`has the unknown type ${url}`)
    const end = this.#at
    this.message(type, type.wellKnown === undefined ? rest : (rest.value ?? null))
    this.#lengthSince(end)
    this.#tag(2, 2)
    this.#text(url)
    this.#tag(1, 2)
  }

  #bytesOf(value: JsonValue): Buffer {
    if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) throw this.#wrong('must be base64')
    return Buffer.from(value, 'base64')
  }

  #integerOf(value: JsonValue, kind: 'int32' | 'int64'): number {
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
    const isIn = kind === 'int32' ? Math.abs(Number(number)) <= 2 ** 31 : Number.isSafeInteger(number)
    if (typeof number !== 'number' || !Number.isInteger(number) || !isIn || number === 2 ** 31)
      throw this.#wrong(`must be an ${kind}`)
    return number
  }

  #enumOf(field: Field, value: JsonValue): number {
    if (typeof value === 'number' && Number.isInteger(value)) return value
    const number = typeof value === 'string' ? field.enum?.byName.get(value) : undefined
    if (number === undefined) throw this.#wrong(`must be one of ${[...(field.enum?.byName.keys() ?? [])].join(', ')}`)
    return number
  }

  #text(text: string): void {
    const { length } = text
    if (length > SHORT_TEXT || !this.#ascii(text, length)) {
      const size = Buffer.byteLength(text)
      this.#reserve(size)
      this.#at -= size
      this.buffer.write(text, this.#at, size)
      this.#varint(size)
    }
  }

  /** Most texts are short and plain: a loop is faster than a call out of the engine. False when it is not plain. */
  #ascii(text: string, length: number): boolean {
    this.#reserve(length)
    const { buffer } = this
    const from = this.#at - length
    for (let at = 0; at < length; at++) {
      const unit = text.charCodeAt(at)
      if (unit > 127) return false
      buffer[from + at] = unit
    }
    this.#at = from
    this.#varint(length)
    return true
  }

  #bytes(bytes: Buffer): void {
    this.#reserve(bytes.length)
    this.#at -= bytes.length
    bytes.copy(this.buffer, this.#at)
    this.#varint(bytes.length)
  }

  #double(number: number): void {
    this.#reserve(8)
    this.#at -= 8
    this.buffer.writeDoubleLE(number, this.#at)
  }

  #lengthSince(end: number): void {
    // A buffer that grew meanwhile kept the distance to its end.
    this.#varint(this.#grown(end) - this.#at)
  }

  #tag(number: number, wireType: number): void {
    this.#varint(number * 8 + wireType)
  }

  #varint(number: number): void {
    this.#reserve(10)
    const { buffer } = this
    if (number >= 0 && number < 128) {
      buffer[--this.#at] = number
      return
    }
    if (number < 0) {
      this.#negative(number)
      return
    }
    let size = 2
    for (let rest = number; rest >= 16_384; rest /= 128) size++
    this.#at -= size
    let rest = number
    for (let at = 0; at < size - 1; at++) {
      buffer[this.#at + at] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    buffer[this.#at + size - 1] = rest
  }

  /** As 64 bits in two's complement: ten bytes. */
  #negative(number: number): void {
    this.#at -= 10
    let rest = BigInt.asUintN(64, BigInt(number))
    for (let at = 0; at < 10; at++) {
      this.buffer[this.#at + at] = Number(rest & 127n) | (at < 9 ? 128 : 0)
      rest >>= 7n
    }
  }

  #growth = 0

  #reserve(size: number): void {
    if (this.#at >= size) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.buffer.length + size + FIRST_BYTES))
    const moved = larger.length - this.buffer.length
    this.buffer.copy(larger, this.#at + moved, this.#at)
    this.#at += moved
    this.#growth += moved
    this.buffer = larger
  }

  /** Where a place noted before is now. */
  #grown(place: number): number {
    return place + this.#growth
  }

  #wrong(message: string): NotEncodable {
    return new NotEncodable(this.#path.map(pointerStep).join(''), message)
  }
}
