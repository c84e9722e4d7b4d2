// The JSON Schema of run records: what one line may be. Members may be added without a new version, so unknown ones are
// allowed in what is published; whoever wants to be strict asks for it.

import type { JsonObject } from '../model/json.ts'
import { publishedSchema } from '../yaml/published-schema.ts'
import { described, integer, list, optional, record, type Shape } from '../yaml/shape.ts'
import { agentShape, footerShape, headerShape, planShape, resultShape } from './record-shape.ts'

export type LineType = 'header' | 'agent' | 'plan' | 'result' | 'footer'

const resultNumber = described(
  integer(0),
  'The number of the result in this run. A later line with the same number replaces the earlier one.',
)
const order = described(
  list(integer(0)),
  'The numbers of the results in the order reports show them; as they came when absent.',
)

const LINES: Readonly<Record<LineType, { shape: Shape<object>; description: string }>> = {
  header: { shape: headerShape, description: 'The first line: what was run, by what, how.' },
  agent: { shape: agentShape, description: 'An agent that was found, as soon as its card was read.' },
  plan: { shape: planShape, description: 'How much there is to do.' },
  result: { shape: resultShape, description: 'One result, with what proves it.' },
  footer: { shape: footerShape, description: 'The last line: how the run ended. Missing while it goes on.' },
}

export const LINE_TYPES = Object.keys(LINES) as readonly LineType[]

/** More members of a line, which are its own and not the run's. */
const EXTRA: Readonly<Partial<Record<LineType, JsonObject>>> = {
  result: propertiesOf(record({ n: resultNumber })),
  footer: propertiesOf(record({ order: optional(order) })),
}

export function lineSchema(type: LineType): JsonObject {
  const { shape, description } = LINES[type]
  const {
    properties,
    required = [],
    title: _,
    ...rest
  } = shape.schema as {
    properties: JsonObject
    required?: string[]
    title?: string
  }
  return {
    ...rest,
    description,
    properties: { type: { const: type, description: 'What the line is.' }, ...EXTRA[type], ...properties },
    required: ['type', ...(EXTRA[type]?.n === undefined ? [] : ['n']), ...required],
  }
}

export const RUN_RECORD_SCHEMA: JsonObject = publishedSchema(
  {
    name: 'run-record',
    title: 'Parley run record, one line',
    description:
      'A run record is a file of JSON lines that grows with the run: a header, agents, results, a footer. Every line is one of these.',
  },
  { type: 'object', anyOf: LINE_TYPES.map((type) => open(lineSchema(type))) },
)

/** The same, without the promise that there are no other members. */
export function open(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === 'additionalProperties' && value === false ? undefined : value,
  ) as JsonObject
}

function propertiesOf({ schema }: Shape<unknown>): JsonObject {
  return schema.properties as JsonObject
}
