// The messages of proto/, linked: what a field is called in JSON, which number and wire type it has, what lies in it.
// Read when gRPC is used first, once per process.

import { readFileSync } from 'node:fs'
import { packageFile } from '../../../base/package-file.ts'
import { type ProtoEnum, type ProtoField, type ProtoFile, type ProtoMessage, parseProto } from './parse-proto.ts'

/** How a field lies on the wire. */
export type FieldKind = 'string' | 'bytes' | 'bool' | 'int32' | 'int64' | 'double' | 'enum' | 'message'

export interface Field {
  readonly name: string
  readonly jsonName: string
  readonly number: number
  readonly kind: FieldKind
  readonly isRepeated: boolean
  readonly isMap: boolean
  /** Whether an absent value can be told from the default one. */
  readonly hasPresence: boolean
  readonly oneof: string | undefined
  /** Of `message` fields and of maps with message values. */
  readonly message: MessageType | undefined
  readonly enum: EnumType | undefined
}

export interface EnumType {
  readonly name: string
  readonly byName: ReadonlyMap<string, number>
  readonly byNumber: ReadonlyMap<number, string>
}

/** Messages whose JSON is not an object of their fields. */
export type WellKnown = 'struct' | 'value' | 'list' | 'timestamp' | 'duration' | 'any'

export interface MessageType {
  /** With its package. */
  readonly name: string
  readonly wellKnown: WellKnown | undefined
  readonly fields: readonly Field[]
  /** Sparse. */
  readonly byNumber: readonly (Field | undefined)[]
  /** By JSON name and by the name in the file: ProtoJSON reads both. */
  readonly byName: ReadonlyMap<string, Field>
}

export interface Rpc {
  readonly name: string
  /** `/package.Service/Name`. */
  readonly path: string
  readonly request: MessageType
  readonly response: MessageType
  readonly streamsRequests: boolean
  readonly streamsResponses: boolean
}

export interface Schema {
  readonly files: ReadonlyMap<string, ProtoFile>
  message(name: string): MessageType
  findMessage(name: string): MessageType | undefined
  rpc(path: string): Rpc | undefined
}

export const PROTO_FILES = [
  'google/protobuf/any.proto',
  'google/protobuf/descriptor.proto',
  'google/protobuf/duration.proto',
  'google/protobuf/empty.proto',
  'google/protobuf/struct.proto',
  'google/protobuf/timestamp.proto',
  'google/rpc/error_details.proto',
  'google/rpc/status.proto',
  'grpc/health/v1/health.proto',
  'grpc/reflection/v1/reflection.proto',
  'grpc/reflection/v1alpha/reflection.proto',
  'a2a/v1/a2a.proto',
  'lf/a2a/v1/a2a.proto',
] as const

let loaded: Schema | undefined

export function schema(): Schema {
  loaded ??= link(PROTO_FILES.map((name) => parseProto(name, readFileSync(packageFile(`proto/${name}`), 'utf8'))))
  return loaded
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'bytes', 'bool', 'int32', 'int64', 'double'])

const WELL_KNOWN: Readonly<Record<string, WellKnown>> = {
  'google.protobuf.Struct': 'struct',
  'google.protobuf.Value': 'value',
  'google.protobuf.ListValue': 'list',
  'google.protobuf.Timestamp': 'timestamp',
  'google.protobuf.Duration': 'duration',
  'google.protobuf.Any': 'any',
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

interface Unlinked {
  type: Writable<MessageType>
  declared: ProtoMessage
}

function link(files: readonly ProtoFile[]): Schema {
  const messages = new Map<string, Unlinked>()
  const enums = new Map<string, EnumType>()
  const addEnum = (scope: string, { name, values }: ProtoEnum) => {
    const full = `${scope}.${name}`
    enums.set(full, { name: full, byName: new Map(values), byNumber: new Map(values.map(([n, v]) => [v, n])) })
  }
  const addMessage = (scope: string, declared: ProtoMessage) => {
    const name = `${scope}.${declared.name}`
    const wellKnown = WELL_KNOWN[name]
    messages.set(name, { declared, type: { name, wellKnown, fields: [], byNumber: [], byName: new Map() } })
    for (const each of declared.enums) addEnum(name, each)
    for (const each of declared.messages) addMessage(name, each)
  }
  for (const file of files) {
    for (const each of file.enums) addEnum(file.package, each)
    for (const each of file.messages) addMessage(file.package, each)
  }
  /** Names are looked for in the message itself and then outwards, as protoc does. */
  const resolve = <T>(table: ReadonlyMap<string, T>, scope: string, name: string): T | undefined => {
    for (let outer = scope; ; outer = outer.slice(0, Math.max(0, outer.lastIndexOf('.')))) {
      const found = table.get(outer === '' ? name : `${outer}.${name}`)
      if (found !== undefined || outer === '') return found
    }
  }
  for (const { type, declared } of messages.values()) {
    const fields = declared.fields.map((field) =>
      fieldOf(field, resolve(messages, type.name, field.type)?.type, resolve(enums, type.name, field.type)),
    )
    type.fields = fields
    const byNumber: (Field | undefined)[] = []
    for (const field of fields) byNumber[field.number] = field
    type.byNumber = byNumber
    type.byName = new Map([...fields.map((f) => [f.name, f] as const), ...fields.map((f) => [f.jsonName, f] as const)])
  }
  const rpcs = new Map<string, Rpc>()
  for (const file of files) {
    for (const service of file.services) {
      for (const { name, request, response, streamsRequests, streamsResponses } of service.rpcs) {
        const path = `/${file.package}.${service.name}/${name}`
        const [asked, answered] = [request, response].map((type) => resolve(messages, file.package, type)?.type)
        if (asked === undefined || answered === undefined) throw new Error(`${path} has an unknown type`)
        rpcs.set(path, { name, path, request: asked, response: answered, streamsRequests, streamsResponses })
      }
    }
  }
  return {
    files: new Map(files.map((file) => [file.name, file])),
    findMessage: (name) => messages.get(name)?.type,
    message(name) {
      const found = messages.get(name)?.type
      if (found === undefined) throw new Error(`there is no message ${name}`)
      return found
    },
    rpc: (path) => rpcs.get(path),
  }
}

function fieldOf(declared: ProtoField, message: MessageType | undefined, found: EnumType | undefined): Field {
  const { name, jsonName, number, type, label, oneof } = declared
  const kind = SCALARS.has(type) ? (type as FieldKind) : found === undefined ? 'message' : 'enum'
  if (kind === 'message' && message === undefined) throw new Error(`the field ${name} has the unknown type ${type}`)
  const isRepeated = label === 'repeated'
  const isMap = label === 'map'
  const hasPresence = label === 'optional' || oneof !== undefined || (kind === 'message' && !isRepeated && !isMap)
  return { name, jsonName, number, kind, isRepeated, isMap, hasPresence, oneof, message, enum: found }
}
