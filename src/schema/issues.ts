// Says in plain words what a validator found.

import type { ErrorObject } from 'ajv'
import type { Issue } from '../model/issue.ts'

export function issuesOf(errors: readonly ErrorObject[]): readonly Issue[] {
  const issues: Issue[] = []
  const seen = new Set<string>()
  for (const error of errors) {
    const issue = issueOf(error)
    const key = `${issue.pointer}\n${issue.message}`
    if (issue.message === '' || seen.has(key)) continue
    seen.add(key)
    issues.push(issue)
  }
  return issues
}

function issueOf(error: ErrorObject): Issue {
  const pointer = error.instancePath
  const params: Readonly<Record<string, unknown>> = error.params
  switch (error.keyword) {
    case 'required':
      return { pointer: `${pointer}/${escaped(String(params.missingProperty))}`, message: 'is required' }
    case 'type':
      return { pointer, message: `must be ${withArticle(String(params.type))}` }
    case 'enum':
      return { pointer, message: `must be one of ${namesIn(params.allowedValues)}${found(error.data)}` }
    case 'const':
      return { pointer, message: `must be ${JSON.stringify(params.allowedValue)}` }
    case 'minItems':
      return { pointer, message: 'must have at least one element' }
    case 'minLength':
      return { pointer, message: 'must not be empty' }
    case 'minimum':
      return { pointer, message: `must be at least ${String(params.limit)}` }
    case 'maximum':
      return { pointer, message: `must be at most ${String(params.limit)}` }
    case 'format':
      return { pointer, message: FORMATS[String(params.format)] ?? `must be a ${String(params.format)}` }
    case 'exactlyOneOf':
      return { pointer, message: exactlyOne(namesOf(error.schema), error.data) }
    // The branches of these report what is wrong; the frame around them adds nothing.
    case 'if':
    case 'anyOf':
      return { pointer, message: '' }
    default:
      return { pointer, message: error.message ?? `breaks the rule ${error.keyword}` }
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  base64: 'must be standard base64 with padding',
  timestamp: 'must be an ISO 8601 date and time',
  'utc-timestamp': 'must be an ISO 8601 date and time in UTC, ending in Z',
}

function exactlyOne(names: readonly string[], data: unknown): string {
  const present = typeof data === 'object' && data !== null ? names.filter((name) => Object.hasOwn(data, name)) : []
  const rule = `exactly one of ${names.join(', ')} is required`
  return present.length === 0 ? rule : `${rule}, found ${present.join(' and ')}`
}

function withArticle(types: string): string {
  return types
    .split(',')
    .map((type) => (type === 'null' ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`))
    .join(' or ')
}

function found(data: unknown): string {
  return typeof data === 'string' && data.length <= 60 ? `, found ${JSON.stringify(data)}` : ''
}

function namesIn(values: unknown): string {
  return namesOf(values).join(', ')
}

function namesOf(values: unknown): readonly string[] {
  return Array.isArray(values) ? values.map(String) : []
}

/** RFC 6901: `~` and `/` inside a member name. */
function escaped(member: string): string {
  return member.replaceAll('~', '~0').replaceAll('/', '~1')
}
