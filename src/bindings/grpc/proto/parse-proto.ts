// Reads a .proto file: the part of the language that our own files in proto/ use. They are the only source of the gRPC
// wire, so there is no generated code to keep fresh.

export interface ProtoFile {
  name: string
  package: string
  imports: string[]
  messages: ProtoMessage[]
  enums: ProtoEnum[]
  services: ProtoService[]
}

export interface ProtoMessage {
  name: string
  fields: ProtoField[]
  oneofs: string[]
  messages: ProtoMessage[]
  enums: ProtoEnum[]
}

export interface ProtoField {
  name: string
  number: number
  /** As written: `string`, `Task`, `google.protobuf.Struct`. For a map, the type of its values. */
  type: string
  label: 'single' | 'optional' | 'repeated' | 'map'
  jsonName: string
  oneof: string | undefined
}

export interface ProtoEnum {
  name: string
  values: [name: string, number: number][]
}

export interface ProtoService {
  name: string
  rpcs: ProtoRpc[]
}

export interface ProtoRpc {
  name: string
  request: string
  response: string
  streamsRequests: boolean
  streamsResponses: boolean
}

const TOKEN = /\/\/[^\n]*|"[^"]*"|[\w.]+|[^\s\w]/g

export function parseProto(name: string, text: string): ProtoFile {
  const tokens = (text.match(TOKEN) ?? []).filter((token) => !token.startsWith('//'))
  return new Parser(name, tokens).file()
}

class Parser {
  readonly #name: string
  readonly #tokens: readonly string[]
  #at = 0

  constructor(name: string, tokens: readonly string[]) {
    this.#name = name
    this.#tokens = tokens
  }

  file(): ProtoFile {
    const file: ProtoFile = { name: this.#name, package: '', imports: [], messages: [], enums: [], services: [] }
    while (this.#at < this.#tokens.length) {
      const word = this.#next()
      if (word === 'syntax') this.#skip('=', '"proto3"', ';')
      else if (word === 'package') file.package = this.#until(';')
      else if (word === 'import') file.imports.push(this.#until(';').slice(1, -1))
      else if (word === 'message') file.messages.push(this.#message())
      else if (word === 'enum') file.enums.push(this.#enum())
      else if (word === 'service') file.services.push(this.#service())
      else throw this.#unexpected(word)
    }
    return file
  }

  #message(): ProtoMessage {
    const message: ProtoMessage = { name: this.#next(), fields: [], oneofs: [], messages: [], enums: [] }
    this.#skip('{')
    for (let word = this.#next(); word !== '}'; word = this.#next()) {
      if (word === 'message') message.messages.push(this.#message())
      else if (word === 'enum') message.enums.push(this.#enum())
      else if (word === 'oneof') {
        const oneof = this.#next()
        message.oneofs.push(oneof)
        this.#skip('{')
        for (let type = this.#next(); type !== '}'; type = this.#next()) message.fields.push(this.#field(type, oneof))
      } else message.fields.push(this.#field(word, undefined))
    }
    return message
  }

  #field(first: string, oneof: string | undefined): ProtoField {
    const label = first === 'optional' || first === 'repeated' || first === 'map' ? first : 'single'
    let type = first
    if (label === 'map') {
      this.#skip('<', 'string', ',')
      type = this.#next()
      this.#skip('>')
    } else if (label !== 'single') type = this.#next()
    const name = this.#next()
    this.#skip('=')
    const number = Number(this.#next())
    let jsonName = camelCase(name)
    if (this.#next() === '[') {
      this.#skip('json_name', '=')
      jsonName = this.#next().slice(1, -1)
      this.#skip(']', ';')
    }
    return { name, number, type, label, jsonName, oneof }
  }

  #enum(): ProtoEnum {
    const found: ProtoEnum = { name: this.#next(), values: [] }
    this.#skip('{')
    for (let name = this.#next(); name !== '}'; name = this.#next()) {
      this.#skip('=')
      found.values.push([name, Number(this.#next())])
      this.#skip(';')
    }
    return found
  }

  #service(): ProtoService {
    const service: ProtoService = { name: this.#next(), rpcs: [] }
    this.#skip('{')
    for (let word = this.#next(); word !== '}'; word = this.#next()) {
      if (word !== 'rpc') throw this.#unexpected(word)
      const name = this.#next()
      const [request, streamsRequests] = this.#rpcType()
      this.#skip('returns')
      const [response, streamsResponses] = this.#rpcType()
      this.#skip(';')
      service.rpcs.push({ name, request, response, streamsRequests, streamsResponses })
    }
    return service
  }

  #rpcType(): [type: string, isStream: boolean] {
    this.#skip('(')
    const word = this.#next()
    const isStream = word === 'stream'
    const type = isStream ? this.#next() : word
    this.#skip(')')
    return [type, isStream]
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? ''
  }

  #until(end: string): string {
    const found = this.#next()
    this.#skip(end)
    return found
  }

  #skip(...expected: string[]): void {
    for (const token of expected) {
      const found = this.#next()
      if (found !== token) throw this.#unexpected(found)
    }
  }

  #unexpected(token: string): Error {
    const before = this.#tokens.slice(Math.max(0, this.#at - 4), this.#at - 1).join(' ')
    return new Error(`${this.#name}: unexpected ${token || 'end'} after ${before}`)
  }
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
