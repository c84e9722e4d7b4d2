// The JSON Schema of the project file, from the flags the commands have: a section per command, and profiles.

import type { Command, Option } from 'commander'
import type { JsonObject } from '../model/json.ts'
import { publishedSchema } from '../yaml/published-schema.ts'
import { PROFILES_KEY } from './profiles.ts'
import { configurableOptions, takesValue } from './standing-values.ts'

export function projectSchema(commands: readonly Command[]): JsonObject {
  const sections = commands
    .filter((command) => configurableOptions(command).length > 0)
    .map((command) => [command.name(), sectionOf(command)] as const)
  return publishedSchema(
    {
      name: 'project-file',
      title: 'Parley project file',
      description: 'parley.config.yaml: default values for flags, one section per command, and profiles of agents.',
    },
    {
      type: 'object',
      additionalProperties: false,
      properties: { ...Object.fromEntries(sections), [PROFILES_KEY]: profilesOf(commands) },
    },
  )
}

function sectionOf(command: Command): JsonObject {
  return {
    type: 'object',
    description: `Default values for the flags of parley ${command.name()}.`,
    additionalProperties: false,
    properties: propertiesOf([command]),
  }
}

function profilesOf(commands: readonly Command[]): JsonObject {
  return {
    type: 'object',
    description: 'Agents with the flags that go with them: @staging, or --profile staging.',
    additionalProperties: {
      type: 'object',
      properties: {
        agent: { type: 'string', description: 'Host, URL or card of the agent.' },
        ...propertiesOf(commands.filter(callsAgents)),
      },
    },
  }
}

function callsAgents(command: Command): boolean {
  return command.options.some(({ long }) => long === '--bearer')
}

/** Of a flag that several commands have, the first tells what it means. */
function propertiesOf(commands: readonly Command[]): JsonObject {
  const properties: JsonObject = {}
  for (const option of commands.flatMap(configurableOptions)) {
    const name = option.long?.slice(2) ?? ''
    properties[name] ??= { ...typeOf(option), description: option.description }
  }
  return properties
}

/** A value is read as its text would be on the command line; a flag that is repeated is a list. */
function typeOf(option: Option): JsonObject {
  if (!takesValue(option)) return { type: 'boolean' }
  const one: JsonObject =
    option.argChoices === undefined ? { type: ['string', 'number', 'boolean'] } : { enum: [...option.argChoices] }
  return { anyOf: [one, { type: 'array', items: one }] }
}
