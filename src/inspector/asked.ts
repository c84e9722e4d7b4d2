// What the page asked for, read from the JSON of a request. The page is ours, but whoever holds its token may send anything.

import { BINDING_IDS, type BindingId, type DialectId } from '../dialects/dialect.ts'
import { DIALECT_IDS } from '../dialects/index.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import type { Part } from '../model/task.ts'
import type { AuthForm, MessageForm, TurnOptions } from './views.ts'

export function badRequest(message: string): ParleyError {
  return new ParleyError('bad-request', message, { exitCode: EXIT.usage })
}

export function text(body: JsonObject, name: string): string {
  const value = optionalText(body, name)
  if (value === undefined) throw badRequest(`The request lacks '${name}'.`)
  return value
}

export function optionalText(body: JsonObject, name: string): string | undefined {
  const value = body[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  throw badRequest(`'${name}' must be a text.`)
}

export function texts(body: JsonObject, name: string): string[] {
  const value = body[name] ?? []
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value
  throw badRequest(`'${name}' must be a list of texts.`)
}

export function optionalNumber(body: JsonObject, name: string): number | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw badRequest(`'${name}' must be a whole number.`)
}

function object(body: JsonObject, name: string): JsonObject {
  const value = body[name] ?? {}
  if (isJsonObject(value)) return value
  throw badRequest(`'${name}' must be an object.`)
}

const AUTH_KINDS: readonly AuthForm['kind'][] = ['none', 'bearer', 'apiKey', 'basic', 'header', 'oauth', 'certificate']
const FLOWS = ['client-credentials', 'authorization-code', 'device-code'] as const
const AUTH_TEXTS = ['secret', 'name', 'clientId', 'clientSecret', 'scope', 'issuer', 'cert', 'key', 'ca'] as const

export function authForm(body: JsonObject): AuthForm {
  const given = object(body, 'auth')
  const form: AuthForm = { kind: choice(given.kind ?? 'none', AUTH_KINDS, 'kind') }
  for (const name of AUTH_TEXTS) {
    const value = optionalText(given, name)
    if (value !== undefined) form[name] = value
  }
  if (given.flow !== undefined && given.flow !== '') form.flow = choice(given.flow, FLOWS, 'flow')
  return form
}

export function messageForm(body: JsonObject): MessageForm {
  const parts = body.parts
  if (!Array.isArray(parts) || parts.length === 0) throw badRequest('A message needs at least one part.')
  const taskId = optionalText(body, 'taskId')
  const contextId = optionalText(body, 'contextId')
  return {
    parts: parts.map(part),
    ...(taskId === undefined ? {} : { taskId }),
    ...(contextId === undefined ? {} : { contextId }),
    options: turnOptions(object(body, 'options')),
  }
}

function part(value: JsonValue): Part {
  const kinds = isJsonObject(value) ? ['text', 'raw', 'url', 'data'].filter((kind) => value[kind] !== undefined) : []
  if (kinds.length === 1) return value as unknown as Part
  throw badRequest('A part has exactly one of text, raw, url and data.')
}

function turnOptions(given: JsonObject): TurnOptions {
  const historyLength = optionalNumber(given, 'historyLength')
  const options: TurnOptions = { stream: given.stream === true }
  if (given.binding !== undefined) options.binding = choice<BindingId>(given.binding, BINDING_IDS, 'binding')
  if (given.version !== undefined) options.version = choice<DialectId>(given.version, DIALECT_IDS, 'version')
  if (given.returnImmediately === true) options.returnImmediately = true
  if (historyLength !== undefined) options.historyLength = historyLength
  if (texts(given, 'extensions').length > 0) options.extensions = texts(given, 'extensions')
  if (texts(given, 'acceptedOutputModes').length > 0) options.acceptedOutputModes = texts(given, 'acceptedOutputModes')
  if (given.metadata !== undefined) options.metadata = object(given, 'metadata')
  return options
}

export function choice<T extends string>(value: JsonValue | undefined, known: readonly T[], name: string): T {
  const found = known.find((each) => each === value)
  if (found === undefined) throw badRequest(`'${name}' must be one of ${known.join(', ')}.`)
  return found
}
