// The facts of an error as google.rpc details: ErrorInfo, BadRequest and RetryInfo (1.0 §9.5, §10.6, §11.6).

import type { A2AError, A2AErrorOptions } from '../../model/errors.ts'
import type { Issue } from '../../model/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { pointerNames, pointerStep } from '../../model/json-pointer.ts'

const DOMAIN = 'a2a-protocol.org'
const TYPE = 'type.googleapis.com/google.rpc.'

export function googleDetails(error: A2AError, reason: string): JsonObject[] {
  const { metadata, issues, retryAfterSeconds, details: received = [] } = error.options
  const own: JsonObject[] = []
  // A peer's own details pass through unchanged; ours only fill what is missing.
  const lacks = (type: string) => !received.some((detail) => detail['@type'] === TYPE + type)
  if (lacks('ErrorInfo')) {
    const info: JsonObject = { '@type': `${TYPE}ErrorInfo`, reason, domain: DOMAIN }
    own.push(metadata === undefined ? info : { ...info, metadata })
  }
  if (issues !== undefined && issues.length > 0 && lacks('BadRequest')) {
    own.push({ '@type': `${TYPE}BadRequest`, fieldViolations: issues.map(violation) })
  }
  if (retryAfterSeconds !== undefined && lacks('RetryInfo')) {
    own.push({ '@type': `${TYPE}RetryInfo`, retryDelay: `${retryAfterSeconds}s` })
  }
  return [...own, ...received]
}

export function googleOptions(details: readonly JsonObject[]): A2AErrorOptions {
  const options: A2AErrorOptions = {}
  if (details.length > 0) options.details = details
  for (const detail of details) {
    const type = textOf(detail['@type'])
    if (type.endsWith('ErrorInfo') && isJsonObject(detail.metadata)) options.metadata = strings(detail.metadata)
    if (type.endsWith('BadRequest') && Array.isArray(detail.fieldViolations)) {
      options.issues = detail.fieldViolations.map(issueFrom).filter((issue) => issue !== undefined)
    }
    if (type.endsWith('RetryInfo')) {
      const seconds = Number.parseFloat(textOf(detail.retryDelay))
      if (Number.isFinite(seconds)) options.retryAfterSeconds = seconds
    }
  }
  return options
}

/** `/message/parts/0/text` reads `message.parts[0].text` in a field violation. */
function violation(issue: Issue): JsonObject {
  const field = pointerNames(issue.pointer).reduce(
    (path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`),
    '',
  )
  return { field, description: issue.message }
}

function issueFrom(violation: JsonValue): Issue | undefined {
  if (!isJsonObject(violation) || typeof violation.field !== 'string') return undefined
  const steps = violation.field.replaceAll(/\[(\d+)\]/g, '.$1').split('.')
  const pointer = steps.map(pointerStep).join('')
  const message = typeof violation.description === 'string' ? violation.description : 'is invalid'
  return { pointer: pointer === '/' ? '' : pointer, message }
}

function strings(metadata: JsonObject): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
