// A script in TypeScript and the same script in YAML are the same script.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { A2AClient } from '../../client/a2a-client.ts'
import type { JsonObject } from '../../model/json.ts'
import { createMockAgent } from '../index.ts'
import { type MockScriptBuilder, mockScript, steps } from './builder.ts'
import { parseScript } from './load-script.ts'
import type { MockScript } from './script-input.ts'
import { SCRIPT_JSON_SCHEMA } from './script-shape.ts'

const GUIDE = readFileSync(join(import.meta.dirname, '../../../docs/mock-an-agent.md'), 'utf8')
const YAML = /```yaml\n(# agent\.yaml\n.*?)```/s.exec(GUIDE)?.[1] ?? ''

function built(): MockScriptBuilder {
  return mockScript({ name: 'reports', ids: 'counted' })
    .rule({
      id: 'csv-report',
      match: { text: /report (?<name>\w+)/ },
      turns: [
        [
          steps.status('working', 'Working on {{captures.name}}'),
          steps.delay(150),
          steps.artifact({ name: '{{captures.name}}.csv', mediaType: 'text/csv', text: 'a,b\n1,2', chunks: 3 }),
          steps.inputRequired('Include totals?'),
        ],
        [steps.complete('Done.')],
      ],
      times: { min: 1 },
    })
    .rule({ id: 'small-talk', match: { text: 'hello' }, turns: [[steps.message('Hi.')]] })
    .fault({ at: { rule: 'csv-report', turn: 0, afterEvent: 2 }, do: 'reset', count: 1 })
}

/** Compiled patterns and templates are functions; two of the same source do the same. */
function comparable(script: object): unknown {
  return JSON.parse(
    JSON.stringify(script, (_, value: unknown) => (typeof value === 'function' ? value.toString() : value)),
  )
}

describe('a script in TypeScript', () => {
  test('is the script of the guide', () => {
    expect(JSON.parse(JSON.stringify(built()))).toEqual(parse(YAML))
    expect(comparable(built().build())).toEqual(comparable(parseScript(YAML)))
  })

  test('is played as the file is', async () => {
    const seen = []
    for (const options of [{ script: built() }, { scriptText: YAML }]) {
      await using mock = await createMockAgent(options).start()
      using client = await A2AClient.connect(mock.url)
      const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hello' }] }
      const answer = await client.sendMessage({ message })
      seen.push({
        parts: 'message' in answer ? answer.message.parts : answer,
        rules: mock.requests().map(({ rule }) => rule),
      })
    }
    expect(seen[0]).toEqual(seen[1])
    expect(seen[0]?.parts).toEqual([{ text: 'Hi.' }])
  })

  test('is refused with everything that is wrong with it, as the file is', () => {
    const wrong = mockScript()
      .on('x', [{ complete: 'a' }, { complete: 'b' }])
      .fault({ do: 'hang', at: { rule: 'nowhere' } })
    expect(() => wrong.check()).toThrow(/after the end of the task[\s\S]*there is no rule 'nowhere'/)
    expect(() => mockScript().on(/x/i, [steps.complete()]).toJSON()).toThrow(/no flags but u/)
  })

  test('can be continued in two ways', () => {
    const common = mockScript().on('a', [steps.complete()])
    expect(common.on('b', [steps.complete()]).toJSON()).not.toEqual(common.toJSON())
  })
})

/** One of each, so that a key of the file that has no type here, or the other way round, is noticed. */
const EVERY: Required<MockScript> & { include?: never } = {
  agent: {
    ...{ name: 'n', description: 'd', version: '1', streaming: true, generation: '1.0', ids: 'random' },
    ...{ security: ['bearer'], skills: [{ id: 's' }] },
  },
  rules: [{ id: 'r', match: {}, turns: [[]], times: 1 }],
  faults: [],
}

test('the types have the keys of the file', () => {
  const keys = (schema: unknown) => Object.keys((schema as { properties: JsonObject }).properties).sort()
  const root = SCRIPT_JSON_SCHEMA as { properties: Record<string, { items?: unknown }> }
  expect(keys(root)).toEqual(
    [...Object.keys(EVERY), 'include', ...('$schema' in root.properties ? ['$schema'] : [])].sort(),
  )
  expect(keys(root.properties.agent)).toEqual(Object.keys(EVERY.agent).sort())
  expect(keys(root.properties.rules?.items)).toEqual(Object.keys(EVERY.rules[0] ?? {}).sort())
})
