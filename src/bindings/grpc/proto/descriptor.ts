// Our .proto files as descriptors, which is how reflection hands them to grpcurl and its kind.

import type { JsonObject } from '../../../model/json.ts'
import { encodeMessage } from './encode.ts'
import type { ProtoEnum, ProtoField, ProtoFile, ProtoMessage } from './parse-proto.ts'
import { type Schema, schema } from './schema.ts'

/** FieldDescriptorProto.Type. */
const TYPES: Readonly<Record<string, number>> = {
  ...{ double: 1, int64: 3, int32: 5, bool: 8, string: 9, message: 11, bytes: 12, enum: 14 },
}
const SINGLE = 1
const REPEATED = 3

const encoded = new Map<string, Buffer>()

/** FileDescriptorProto of one of our files; undefined for others. */
export function fileDescriptor(name: string): Buffer | undefined {
  const known = encoded.get(name)
  if (known !== undefined) return known
  const found = schema()
  const file = found.files.get(name)
  if (file === undefined) return undefined
  const made = encodeMessage(found.message('google.protobuf.FileDescriptorProto'), describeFile(file, found))
  encoded.set(name, made)
  return made
}

/** The file a message, an enum, a service or an rpc stands in. */
export function fileContaining(symbol: string): string | undefined {
  for (const { name, package: scope, messages, enums, services } of schema().files.values()) {
    if (!symbol.startsWith(`${scope}.`)) continue
    const [first = '', ...rest] = symbol.slice(scope.length + 1).split('.')
    const service = services.find((each) => each.name === first)
    if (service !== undefined && (rest.length === 0 || service.rpcs.some((rpc) => rpc.name === rest[0]))) return name
    if ([...messages, ...enums].some((each) => each.name === first)) return name
  }
  return undefined
}

/** The file and everything it imports, itself first. */
export function withImports(name: string): string[] {
  const found = [name]
  for (const each of found)
    for (const next of schema().files.get(each)?.imports ?? []) if (!found.includes(next)) found.push(next)
  return found
}

function describeFile(file: ProtoFile, known: Schema): JsonObject {
  const scope = file.package
  return {
    name: file.name,
    package: scope,
    dependency: file.imports,
    messageType: file.messages.map((message) => describeMessage(message, scope, known)),
    enumType: file.enums.map(describeEnum),
    service: file.services.map(({ name, rpcs }) => ({
      name,
      method: rpcs.map((rpc) => {
        const linked = known.rpc(`/${scope}.${name}/${rpc.name}`)
        return {
          name: rpc.name,
          inputType: `.${linked?.request.name ?? ''}`,
          outputType: `.${linked?.response.name ?? ''}`,
          clientStreaming: rpc.streamsRequests,
          serverStreaming: rpc.streamsResponses,
        }
      }),
    })),
    syntax: 'proto3',
  }
}

function describeMessage(message: ProtoMessage, scope: string, known: Schema): JsonObject {
  const name = `${scope}.${message.name}`
  const optional = message.fields.filter(({ label }) => label === 'optional')
  // An optional field is, to descriptors, the only member of a oneof that was not declared.
  const oneofs = [...message.oneofs, ...optional.map((field) => `_${field.name}`)]
  const maps = message.fields.filter(({ label }) => label === 'map')
  return {
    name: message.name,
    field: message.fields.map((field) => describeField(field, name, oneofs, known)),
    nestedType: [
      ...message.messages.map((inner) => describeMessage(inner, name, known)),
      ...maps.map((field) => ({
        name: entryName(field),
        field: [
          { name: 'key', number: 1, label: SINGLE, type: TYPES.string ?? 0, jsonName: 'key' },
          { ...typeOf(field, name, known), name: 'value', number: 2, label: SINGLE, jsonName: 'value' },
        ],
        options: { mapEntry: true },
      })),
    ],
    enumType: message.enums.map(describeEnum),
    oneofDecl: oneofs.map((each) => ({ name: each })),
  }
}

function describeField(field: ProtoField, scope: string, oneofs: readonly string[], known: Schema): JsonObject {
  const { name, number, label, jsonName } = field
  const oneof = label === 'optional' ? `_${name}` : field.oneof
  const isMap = label === 'map'
  return {
    name,
    number,
    jsonName,
    label: isMap || label === 'repeated' ? REPEATED : SINGLE,
    ...(isMap ? { type: TYPES.message ?? 0, typeName: `.${scope}.${entryName(field)}` } : typeOf(field, scope, known)),
    ...(oneof === undefined ? {} : { oneofIndex: oneofs.indexOf(oneof) }),
    ...(label === 'optional' ? { proto3Optional: true } : {}),
  }
}

function typeOf({ name }: ProtoField, scope: string, known: Schema): JsonObject {
  const linked = known.message(scope).byName.get(name)
  const named = linked?.message ?? linked?.enum
  const type = TYPES[linked?.kind ?? ''] ?? 0
  return named === undefined ? { type } : { type, typeName: `.${named.name}` }
}

function describeEnum({ name, values }: ProtoEnum): JsonObject {
  return { name, value: values.map(([value, number]) => ({ name: value, number })) }
}

/** As protoc calls the message behind a map. */
function entryName({ name }: ProtoField): string {
  return `${name.replace(/(^|_)([a-z])/g, (_, _before, letter: string) => letter.toUpperCase())}Entry`
}
