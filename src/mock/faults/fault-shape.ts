// How a fault is written in a script, and what it becomes: where it applies, what it does, when it fires.

import { defined } from '../../base/defined.ts'
import type { JsonObject } from '../../model/json.ts'
import { OPERATIONS, type Operation } from '../../model/operation.ts'
import { didYouMean } from '../../yaml/did-you-mean.ts'
import { choice, integer, jsonObject, nonEmptyText, optional, record, type Shape, titled } from '../../yaml/shape.ts'
import { FAULT_NAMES, FAULTS, type FaultAction, type FaultName } from './catalogue.ts'
import { SCHEDULE_ABOUT, type Schedule, scheduleFields } from './schedule.ts'

export interface FaultPlace {
  readonly rule?: string
  readonly turn?: number
  readonly operation?: Operation
  /** For faults in a stream: how many events pass before it. */
  readonly afterEvent?: number
}

export interface Fault {
  readonly id?: string
  readonly at: FaultPlace
  readonly action: FaultAction
  readonly schedule: Schedule
}

/** `reset` alone means before the headers, or after an event when `at` names one. */
const RESET = 'reset'
const NAMES = [RESET, ...FAULT_NAMES]

const place = titled(
  record(
    {
      rule: optional(nonEmptyText),
      turn: optional(integer(0)),
      operation: optional(choice(OPERATIONS)),
      afterEvent: optional(integer(0)),
    },
    {
      rule: 'Only while this rule is active.',
      turn: 'Only in this turn of it, counted from 0.',
      operation: 'Only for this operation.',
      afterEvent: 'Let so many events of a stream pass.',
    },
  ),
  'FaultPlace',
)

const RESET_SUMMARY = 'Cuts the connection before the headers, or after an event when `at` names one.'
const ABOUT = {
  id: 'Its name in the journal.',
  at: 'Where: an operation, or a rule and a turn; everywhere unless given.',
  do: 'What goes wrong.',
  with: 'The parameters of the fault.',
  ...SCHEDULE_ABOUT,
}

const fields = { id: optional(nonEmptyText), at: optional(place), ...scheduleFields }

/** Which parameters a fault takes. */
function paramsOf(name: string): Shape<object> {
  return Object.hasOwn(FAULTS, name) ? FAULTS[name as FaultName].params : record({})
}

function needsParams(name: string): boolean {
  return 'required' in paramsOf(name).schema
}

const shapes = new Map<string, Shape<object>>(
  NAMES.map((name) => {
    const params = paramsOf(name)
    return [name, record({ ...fields, do: choice([name]), with: needsParams(name) ? params : optional(params) })]
  }),
)

/** One description of what all faults share, and for each what its parameters are. */
const schema: JsonObject = {
  title: 'Fault',
  ...record({ ...fields, do: choice(NAMES), with: optional(jsonObject) }, ABOUT).schema,
  allOf: NAMES.map((name) => ({
    if: { properties: { do: { const: name } }, required: ['do'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      properties: {
        do: { description: summaryOf(name) },
        with: { ...paramsOf(name).schema, description: ABOUT.with },
      },
      ...(needsParams(name) ? { required: ['with'] } : {}),
    },
  })),
}

function summaryOf(name: string): string {
  return Object.hasOwn(FAULTS, name) ? FAULTS[name as FaultName].summary : RESET_SUMMARY
}

export const faultShape: Shape<Fault> = {
  kinds: ['map'],
  schema,
  read(node, source, at) {
    const named = source.members(node).find(({ key }) => key === 'do')
    if (named === undefined) return source.report(node, `${at} needs the key 'do' with the name of a fault`)
    const name = source.scalar(named.value)
    const shape = shapes.get(String(name))
    if (shape === undefined)
      return source.report(
        named.value,
        `${at}.do: there is no fault '${name}'${didYouMean(String(name), NAMES) || `; known are ${NAMES.join(', ')}`}`,
      )
    const value = shape.read(node, source, at)
    if (value === undefined) return undefined
    const {
      id,
      at: where = {},
      do: _,
      with: params = {},
      ...schedule
    } = value as Schedule & {
      id?: string
      at?: FaultPlace
      do: string
      with?: object
    }
    if (schedule.probability !== undefined && schedule.seed === undefined)
      return source.report(node, `${at} has a probability without a seed; a fault must be repeatable`)
    const resolved = name === RESET ? resetFor(where) : name
    const action = { name: resolved, with: params } as FaultAction
    return { ...defined({ id }), at: where, action, schedule }
  },
}

function resetFor(where: FaultPlace): FaultName {
  return where.afterEvent === undefined ? 'reset-before-headers' : 'reset-after-event'
}
