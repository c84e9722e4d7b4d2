// From a rule as written to a rule that can be played: conditions, templates and files are checked here, so that
// what can be known when the script is loaded does not fail in the middle of a test.

import { defined } from '../../base/defined.ts'
import type { JsonObject, JsonValue } from '../../model/json.ts'
import type { Part, TaskState } from '../../model/task.ts'
import type { Position } from '../../yaml/source.ts'
import {
  type Condition,
  contextCondition,
  dataCondition,
  headerCondition,
  skillCondition,
  textCondition,
} from './condition.ts'
import { AFTER_THE_END, type Rule, type Step, type Turn, unsendableStep } from './script.ts'
import type { WrittenArtifact, WrittenContent, WrittenMatch, WrittenRule, WrittenStep } from './script-shape.ts'
import {
  decodeParts,
  decodeScriptedEvent,
  endsTask,
  type ScriptedEvent,
  type ScriptedMessage,
} from './scripted-event.ts'
import { compileTemplate } from './template.ts'

export interface CompileContext {
  report(position: Position, message: string): void
  /** The bytes of a file named in the script, as base64, or undefined once it has reported why not. */
  readFile(path: string, position: Position): string | undefined
}

const OUTCOMES = {
  complete: 'TASK_STATE_COMPLETED',
  fail: 'TASK_STATE_FAILED',
  reject: 'TASK_STATE_REJECTED',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
} as const satisfies { [name: string]: TaskState }

export function compileRule(written: WrittenRule, fallbackId: string, context: CompileContext): Rule {
  const conditions =
    written.match === undefined ? [] : compileMatch(written.match.value, written.match.position, context)
  const captures = conditions.flatMap((condition) => condition.captures)
  return {
    id: written.id?.value ?? fallbackId,
    conditions,
    turn: written.match?.value.turn,
    turns: written.turns.map((turn) => compileTurn(turn, captures, context)),
    times: written.times ?? { min: 0, max: Number.POSITIVE_INFINITY },
  }
}

function compileTurn(
  written: WrittenRule['turns'][number],
  captures: readonly string[],
  context: CompileContext,
): Turn {
  const steps = written.map(({ value, position }) => compileStep(value, captures, position, context))
  const turn = steps.filter((step) => step !== undefined)
  const lost = turn.length < steps.length ? undefined : written[unsendableStep(turn)]
  if (lost !== undefined) context.report(lost.position, `this step ${AFTER_THE_END}`)
  return turn
}

function compileMatch(match: WrittenMatch, position: Position, context: CompileContext): Condition[] {
  const conditions: Condition[] = []
  const add = (where: string, built: Condition | { problem: string }): void => {
    if ('problem' in built) context.report(position, `match.${where} ${built.problem}`)
    else conditions.push(built)
  }
  if (match.text !== undefined) add('text', textCondition(match.text))
  for (const [path, expected] of match.jsonpath ?? []) {
    const isMatcher = typeof expected === 'object' && expected !== null && !Array.isArray(expected)
    add(
      'jsonpath',
      dataCondition(path, isMatcher ? matcherOf(expected as JsonObject) : { value: expected as JsonValue }),
    )
  }
  for (const [name, expected] of match.headers ?? []) add(`headers.${name}`, headerCondition(name, expected))
  if (match.skill !== undefined) add('skill', skillCondition(match.skill))
  if (match.context !== undefined) add('context', contextCondition(match.context))
  return conditions
}

function matcherOf(written: JsonObject): Parameters<typeof dataCondition>[1] {
  return 'equals' in written
    ? { value: written.equals ?? null }
    : (written as { regex?: string; contains?: string; exists?: boolean })
}

function compileStep(
  step: WrittenStep,
  captures: readonly string[],
  position: Position,
  context: CompileContext,
): Step | undefined {
  const report = (message: string): void => context.report(position, message)
  const event = (value: ScriptedEvent | undefined, chunks = 1): Step | undefined =>
    value && {
      is: 'event',
      kind: value.kind,
      endsTask: endsTask(value),
      event: compileTemplate(value as ScriptedEvent & JsonObject, captures, report),
      chunks,
    }
  const said = (content: WrittenContent): ScriptedMessage | undefined => messageOf(content, report)

  switch (step.is) {
    case 'delay':
      return { is: 'delay', ms: step.value.delay }
    case 'error': {
      const { kind, message = 'The script answers with this error.' } = step.value.error
      return { is: 'error', name: kind, message: compileTemplate(message, captures, report) }
    }
    case 'status': {
      const { status: state, metadata, ...content } = step.value
      return event(statusUpdate(state, messageOf(content, report), metadata))
    }
    case 'message': {
      const message = said(step.value.message)
      if (message === undefined) report('a message needs text, data or parts')
      return event(message && { kind: 'message', message })
    }
    case 'artifact':
      return event(artifactUpdate(step.value.artifact, report, context), step.value.artifact.chunks)
    case 'event': {
      const decoded = decodeScriptedEvent(step.value.event)
      if (!decoded.ok)
        report(`event${decoded.problem.field === '' ? '' : `.${decoded.problem.field}`} ${decoded.problem.message}`)
      return decoded.ok ? event(decoded.event) : undefined
    }
    case 'complete':
      return event(statusUpdate(OUTCOMES.complete, said(step.value.complete)))
    case 'fail':
      return event(statusUpdate(OUTCOMES.fail, said(step.value.fail)))
    case 'reject':
      return event(statusUpdate(OUTCOMES.reject, said(step.value.reject)))
    case 'input-required':
      return event(statusUpdate(OUTCOMES['input-required'], said(step.value['input-required'])))
    case 'auth-required':
      return event(statusUpdate(OUTCOMES['auth-required'], said(step.value['auth-required'])))
  }
}

function statusUpdate(state: TaskState, message: ScriptedMessage | undefined, metadata?: JsonObject): ScriptedEvent {
  return {
    kind: 'status-update',
    status: message === undefined ? { state } : { state, message },
    ...defined({ metadata }),
  }
}

function messageOf(content: WrittenContent, report: (message: string) => void): ScriptedMessage | undefined {
  if (content === null) return undefined
  if (typeof content === 'string') return { role: 'ROLE_AGENT', parts: [{ text: content }] }
  const parts: Part[] = []
  if (content.text !== undefined) parts.push({ text: content.text })
  if (content.data !== undefined) parts.push({ data: content.data })
  if (content.parts !== undefined) {
    const decoded = decodeParts(content.parts, 'parts')
    if (decoded.ok) parts.push(...decoded.parts)
    else report(`${decoded.problem.field} ${decoded.problem.message}`)
  }
  if (parts.length === 0) return undefined
  return { role: 'ROLE_AGENT', parts, ...defined({ metadata: content.metadata }) }
}

function artifactUpdate(
  artifact: WrittenArtifact,
  report: (message: string) => void,
  context: CompileContext,
): ScriptedEvent | undefined {
  const { id, name, description, mediaType, metadata, chunks, append, lastChunk, ...contents } = artifact
  const given = Object.keys(contents)
  if (given.length !== 1) {
    report('an artifact needs exactly one of text, data, base64, file')
    return undefined
  }
  if (chunks !== undefined && contents.data !== undefined) {
    report('an artifact of data cannot be sent in chunks; use text, base64 or file')
    return undefined
  }
  if (chunks !== undefined && (append !== undefined || lastChunk !== undefined)) {
    report("'chunks' sets append and lastChunk itself; leave them out")
    return undefined
  }
  const body = bodyOf(contents, context)
  if (body === undefined) return undefined
  const isFile = 'raw' in body
  const part: Part = {
    ...body,
    ...(isFile && name !== undefined ? { filename: name } : {}),
    ...defined({ mediaType }),
  }
  if (isFile && !/^[A-Za-z0-9+/]*={0,2}$/.test(body.raw)) {
    report("'base64' is not base64")
    return undefined
  }
  return {
    kind: 'artifact-update',
    artifact: {
      parts: [part],
      ...defined({ artifactId: id, name, description, metadata }),
    },
    ...defined({ append, lastChunk }),
  }
}

function bodyOf(
  contents: Pick<WrittenArtifact, 'text' | 'data' | 'base64' | 'file'>,
  context: CompileContext,
): { text: string } | { data: JsonValue } | { raw: string } | undefined {
  if (contents.text !== undefined) return { text: contents.text }
  if (contents.data !== undefined) return { data: contents.data }
  if (contents.base64 !== undefined) return { raw: contents.base64 }
  if (contents.file === undefined) return undefined
  const raw = context.readFile(contents.file.value, contents.file.position)
  return raw === undefined ? undefined : { raw }
}
