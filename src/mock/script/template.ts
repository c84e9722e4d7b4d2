// `{{captures.name}}` in a script: a path into the request, looked up, never evaluated. Paths that can be judged
// when the script is loaded are; the rest fails with the path's name when played.

import { ParleyError } from '../../model/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { type Message, textOf } from '../../model/task.ts'
import { didYouMean } from '../../yaml/did-you-mean.ts'

export interface TemplateScope {
  readonly message: Message
  readonly captures: { readonly [name: string]: string }
  readonly headers: { readonly [name: string]: string }
  readonly taskId: string
  readonly contextId: string
  readonly turn: number
  readonly ruleId: string
}

/** A JSON value whose texts may hold templates; without any it is the value itself, shared and never changed. */
export interface JsonTemplate<T> {
  readonly hasTemplates: boolean
  render(scope: TemplateScope): T
}

const PLACEHOLDER = /\\\{\{|\{\{([^{}]*)\}\}/g
const PATH = /^[\w$-]+(?:\.[\w$-]+)*$/

/** What may follow each first word: fixed names, or anything. */
const ROOTS: { readonly [root: string]: readonly string[] | 'any' } = {
  message: ['text', 'messageId', 'metadata', 'data'],
  captures: 'any',
  headers: 'any',
  task: ['id'],
  context: ['id'],
  rule: ['id'],
  turn: [],
}

export function compileTemplate<T extends JsonValue | JsonObject>(
  value: T,
  captures: readonly string[],
  report: (message: string) => void,
): JsonTemplate<T> {
  if (!checkTexts(value as JsonValue, captures, report)) return { hasTemplates: false, render: () => value }
  const fill = filler(value as JsonValue)
  return { hasTemplates: true, render: (scope) => fill(scope) as T }
}

/** True when some text in the value holds a placeholder; reports those that cannot work. */
function checkTexts(
  value: JsonValue | undefined,
  captures: readonly string[],
  report: (message: string) => void,
): boolean {
  if (typeof value === 'string') {
    const found = [...value.matchAll(PLACEHOLDER)]
    for (const [, path] of found) {
      const problem = path === undefined ? undefined : problemWith(path.trim(), captures)
      if (problem !== undefined) report(problem)
    }
    return found.length > 0
  }
  if (typeof value !== 'object' || value === null) return false
  const members = Array.isArray(value) ? value : Object.values(value)
  // No short circuit: every text is to be checked.
  return members.map((member) => checkTexts(member, captures, report)).includes(true)
}

function problemWith(path: string, captures: readonly string[]): string | undefined {
  if (!PATH.test(path)) return `'{{${path}}}' is not a path such as {{captures.name}} or {{message.text}}`
  const [root = '', second, ...rest] = path.split('.')
  const allowed = Object.hasOwn(ROOTS, root) ? ROOTS[root] : undefined
  if (allowed === undefined)
    return `'{{${path}}}' begins with '${root}', which templates do not know${didYouMean(root, Object.keys(ROOTS)) || `; known are ${Object.keys(ROOTS).join(', ')}`}`
  if (root === 'turn') return second === undefined ? undefined : `'{{${path}}}' goes on after turn, which is a number`
  if (second === undefined) return `'{{${path}}}' needs a name after '${root}.'`
  if (root === 'captures' && !captures.includes(second))
    return captures.length === 0
      ? `'{{${path}}}' names a capture, but the rule's regular expressions have no named groups`
      : `'{{${path}}}' names a capture the rule does not have${didYouMean(second, captures) || `; it has ${captures.join(', ')}`}`
  if (allowed !== 'any' && !allowed.includes(second))
    return `'{{${path}}}' is unknown${didYouMean(second, allowed) || `; '${root}' has ${allowed.join(', ')}`}`
  if (rest.length > 0 && second !== 'metadata' && second !== 'data')
    return `'{{${path}}}' goes deeper than '${root}.${second}'`
  return undefined
}

type Fill = (scope: TemplateScope) => JsonValue | undefined

/** Taken apart once, when the script is loaded; what holds no placeholder is shared by all that is played. */
function filler(value: JsonValue | undefined): Fill {
  return fillerOf(value) ?? (() => value)
}

/** Undefined for what holds no placeholder. */
function fillerOf(value: JsonValue | undefined): Fill | undefined {
  if (typeof value === 'string') return textFiller(value)
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    const items = value.map(filler)
    return value.some((item) => fillerOf(item)) ? (scope) => items.map((fill) => fill(scope) ?? null) : undefined
  }
  const members: { key: string; fill: Fill }[] = []
  for (const [key, member] of Object.entries(value)) {
    const fill = fillerOf(member)
    if (fill !== undefined) members.push({ key, fill })
  }
  if (members.length === 0) return undefined
  return (scope) => {
    const filled: JsonObject = { ...value }
    for (const { key, fill } of members) filled[key] = fill(scope)
    return filled
  }
}

function textFiller(text: string): Fill | undefined {
  const pieces: (string | ((scope: TemplateScope) => string))[] = []
  let at = 0
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [whole, path] = match
    pieces.push(text.slice(at, match.index), path === undefined ? whole.slice(1) : lookUp(path.trim()))
    at = match.index + whole.length
  }
  if (at === 0) return undefined
  pieces.push(text.slice(at))
  return (scope) => {
    let filled = ''
    for (const piece of pieces) filled += typeof piece === 'string' ? piece : piece(scope)
    return filled
  }
}

function lookUp(path: string): (scope: TemplateScope) => string {
  const [root = '', ...rest] = path.split('.')
  return (scope) => {
    const found = descend(rootOf(root, scope), rest)
    if (found === undefined || found === null)
      throw new ParleyError('template-empty', `The script uses {{${path}}}, but this request has no such value.`)
    return typeof found === 'string' ? found : JSON.stringify(found)
  }
}

function rootOf(root: string, scope: TemplateScope): JsonValue | undefined {
  switch (root) {
    case 'message': {
      const { message } = scope
      const data = message.parts.find((part) => 'data' in part)
      return {
        text: textOf(message),
        messageId: message.messageId,
        metadata: message.metadata,
        data: data !== undefined && 'data' in data ? data.data : undefined,
      }
    }
    case 'captures':
      return scope.captures
    case 'headers':
      return scope.headers
    case 'task':
      return { id: scope.taskId }
    case 'context':
      return { id: scope.contextId }
    case 'rule':
      return { id: scope.ruleId }
    case 'turn':
      return scope.turn
    default:
      return undefined
  }
}

function descend(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let current = value
  for (const name of path) {
    if (Array.isArray(current)) current = current[Number(name)]
    else if (isJsonObject(current) && Object.hasOwn(current, name)) current = current[name]
    else return undefined
  }
  return current
}
