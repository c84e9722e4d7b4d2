// Compares what was expected with what was seen. Expected events must appear in their order; others may stand between
// them; after the end of a turn nothing may come.

import { isArtifactUri } from '../../artifacts/artifact-uri.ts'
import type { Part } from '../../model/task.ts'
import { matches } from '../../yaml/pattern.ts'
import type { Position } from '../../yaml/source.ts'
import type { ExpectedContent, ExpectedOutput } from './case-shape.ts'
import { describeEvent, describePart, type GatewayEvent, isEnd } from './gateway-event.ts'

export interface Expected<T> {
  readonly value: T
  readonly position: Position
}

/** One line of the comparison: what was expected, what was seen, or both. */
export interface DiffLine {
  readonly mark: '=' | '-' | '+'
  readonly expected?: string
  readonly actual?: string
}

export interface Comparison {
  readonly problems: readonly { position: Position; message: string }[]
  readonly diff: readonly DiffLine[]
}

export function compareEvents(
  expected: readonly Expected<ExpectedOutput>[],
  actual: readonly GatewayEvent[],
): Comparison {
  const problems: { position: Position; message: string }[] = []
  const diff: DiffLine[] = []
  let at = 0
  for (const { value, position } of expected) {
    const found = actual.findIndex((event, index) => index >= at && mismatch(value, event) === undefined)
    if (found < 0) {
      problems.push({ position, message: `${describeExpected(value)}: ${whyNot(value, actual.slice(at))}` })
      diff.push({ mark: '-', expected: describeExpected(value) })
      continue
    }
    for (const event of actual.slice(at, found)) diff.push({ mark: '+', actual: describeEvent(event) })
    const event = actual[found]
    diff.push({ mark: '=', expected: describeExpected(value), actual: event === undefined ? '' : describeEvent(event) })
    at = found + 1
  }
  for (const event of actual.slice(at)) diff.push({ mark: '+', actual: describeEvent(event) })
  const end = actual.findIndex(isEnd)
  const late = end < 0 ? undefined : actual[end + 1]
  const [first] = expected
  if (late !== undefined && first !== undefined)
    problems.push({ position: first.position, message: `after the end came ${describeEvent(late)}` })
  return { problems, diff }
}

/** Undefined when the event is what was expected. */
function mismatch(expected: ExpectedOutput, event: GatewayEvent): string | undefined {
  if (expected.type !== event.type) return `it is ${event.type}`
  if (expected.task_state !== undefined && expected.task_state !== event.state)
    return `its state is ${event.state ?? 'unknown'}`
  if (expected.error_kind !== undefined && expected.error_kind !== event.error?.kind)
    return `its kind is ${event.error?.kind ?? 'unknown'}`
  const name = expected.expected_artifact_name_contains
  if (name !== undefined && !namesOf(event).some((each) => each.includes(name)))
    return `its name is ${namesOf(event).join(', ') || 'missing'}`
  if (expected.event_purpose !== undefined && !event.parts.some((part) => 'text' in part)) return 'it has no text'
  const isReference = event.parts.some((part) => 'url' in part && isArtifactUri(part.url))
  if (expected.assert_part_is_uri_reference !== undefined && expected.assert_part_is_uri_reference !== isReference)
    return isReference ? 'it refers to the artifact service' : 'no part of it refers to the artifact service'
  return contentMismatch(expected.content_parts ?? [], event.parts)
}

function contentMismatch(expected: readonly ExpectedContent[], parts: readonly Part[]): string | undefined {
  let at = 0
  for (const content of expected) {
    const found = parts.findIndex((part, index) => index >= at && isContent(content, part))
    if (found < 0) return `its parts are ${parts.map(describePart).join(' ') || 'none'}`
    at = found + 1
  }
  return undefined
}

export function isContent(expected: ExpectedContent, part: Part): boolean {
  if (typeOf(part) !== expected.type) return false
  const text = 'text' in part ? part.text : 'data' in part ? JSON.stringify(part.data) : 'url' in part ? part.url : ''
  return (
    (expected.text_exact === undefined || text === expected.text_exact) &&
    (expected.text_contains === undefined || text.includes(expected.text_contains)) &&
    (expected.text_matches === undefined || matches(expected.text_matches, text))
  )
}

export function typeOf(part: Part): 'text' | 'file' | 'data' {
  if ('text' in part) return 'text'
  return 'data' in part ? 'data' : 'file'
}

function namesOf({ artifact, parts }: GatewayEvent): string[] {
  const files = parts.flatMap(({ filename }) => filename ?? [])
  return [...new Set(artifact?.name === undefined ? files : [artifact.name, ...files])]
}

function whyNot(expected: ExpectedOutput, rest: readonly GatewayEvent[]): string {
  const near = rest.filter(({ type }) => type === expected.type)
  if (near.length === 0) return `no ${expected.type} came${rest.length === 0 ? ' any more' : ''}`
  return near.map((event) => `${describeEvent(event)}: ${mismatch(expected, event) ?? ''}`).join('; ')
}

export function describeExpected(expected: ExpectedOutput): string {
  const { type, task_state: state, error_kind: kind, expected_artifact_name_contains: name } = expected
  const words: string[] = [type]
  if (state !== undefined) words.push(state)
  if (kind !== undefined) words.push(kind)
  if (name !== undefined) words.push(`name contains ${JSON.stringify(name)}`)
  if (expected.event_purpose !== undefined) words.push('with text')
  if (expected.assert_part_is_uri_reference !== undefined)
    words.push(expected.assert_part_is_uri_reference ? 'as a reference' : 'not as a reference')
  for (const part of expected.content_parts ?? []) words.push(describeContent(part))
  return words.join(' ')
}

export function describeContent(content: ExpectedContent): string {
  const { type, text_contains: contains, text_exact: exact, text_matches: pattern } = content
  const conditions = [
    ...(exact === undefined ? [] : [`= ${JSON.stringify(exact)}`]),
    ...(contains === undefined ? [] : [`contains ${JSON.stringify(contains)}`]),
    ...(pattern === undefined ? [] : [`matches /${pattern.source}/`]),
  ]
  return `${type}${conditions.length === 0 ? '' : ` ${conditions.join(' and ')}`}`
}
