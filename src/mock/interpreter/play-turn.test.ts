import { describe, expect, test } from 'vitest'
import { readTurns } from '../directives.ts'
import { parseScript } from '../script/load-script.ts'
import type { Turn } from '../script/script.ts'
import type { TemplateScope } from '../script/template.ts'
import { playTurn } from './play-turn.ts'

const SCOPE: TemplateScope = {
  message: {
    messageId: 'm1',
    role: 'ROLE_USER',
    parts: [{ text: 'hello' }, { data: { n: [1, 2] } }],
    metadata: { who: 'ann' },
  },
  captures: { name: 'sales' },
  headers: { 'x-tenant': 'acme' },
  taskId: 'task-1',
  contextId: 'ctx-1',
  turn: 0,
  ruleId: 'r',
}

function turnOf(steps: string, match = '{}'): Turn {
  const turn = parseScript(`rules: [{ match: ${match}, turns: [[${steps}]] }]`).rules[0]?.turns[0]
  if (turn === undefined) throw new Error('no turn')
  return turn
}

test('ids are filled in the same way every time, on a copy', () => {
  const turns = readTurns([
    [
      {
        kind: 'status-update',
        status: { state: 'working', message: { role: 'agent', parts: [{ kind: 'text', text: 'a' }] } },
      },
    ],
  ])
  if (!turns.ok) throw new Error(turns.message)
  const turn = turns.turns[0] ?? []
  const before = turns.fingerprint
  const played = playTurn(turn, SCOPE)
  expect(played).toEqual([
    {
      is: 'status',
      state: 'TASK_STATE_WORKING',
      message: { role: 'ROLE_AGENT', parts: [{ text: 'a' }], messageId: 'task-1-0-0' },
    },
  ])
  expect(playTurn(turn, SCOPE)).toEqual(played)
  expect(turns.fingerprint).toBe(before)
})

test('templates reach text, names and data', () => {
  const turn = turnOf(
    `{ status: working, text: "{{ captures.name }} for {{message.metadata.who}} of {{headers.x-tenant}}" },
     { artifact: { name: "{{captures.name}}.json", data: { said: "{{message.text}}", second: "{{message.data.n.1}}", literal: "\\\\{{x}}" } } }`,
    '{ text: { regex: "(?<name>.)" } }',
  )
  expect(playTurn(turn, SCOPE)).toMatchObject([
    { message: { parts: [{ text: 'sales for ann of acme' }] } },
    { artifact: { name: 'sales.json', parts: [{ data: { said: 'hello', second: '2', literal: '{{x}}' } }] } },
  ])
})

test('a template without a value is a clear failure', () => {
  expect(() => playTurn(turnOf('{ complete: "{{message.metadata.none}}" }'), SCOPE)).toThrow(
    'The script uses {{message.metadata.none}}, but this request has no such value.',
  )
})

describe('chunks', () => {
  const artifacts = (steps: string) => playTurn(turnOf(steps), SCOPE).filter((emission) => emission.is === 'artifact')

  test('of a text make it whole again and split no character', () => {
    const played = artifacts('{ artifact: { name: a, text: "añ🎉b日本", chunks: 4 } }')
    expect(played.map(({ append, lastChunk }) => [append, lastChunk])).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ])
    const texts = played.map(({ artifact }) =>
      'text' in (artifact.parts[0] ?? {}) ? (artifact.parts[0] as { text: string }).text : '',
    )
    expect(texts.join('')).toBe('añ🎉b日本')
    expect(texts.every((text) => text.isWellFormed())).toBe(true)
    expect(new Set(played.map(({ artifact }) => artifact.artifactId)).size).toBe(1)
  })

  test('are never more than there is to send', () => {
    expect(artifacts('{ artifact: { text: "ab", chunks: 5 } }')).toHaveLength(2)
  })
})

test('a task event becomes its metadata, its artifacts and its status', () => {
  const turns = readTurns([
    [{ kind: 'task', metadata: { a: 1 }, artifacts: [{ parts: [{ text: 'x' }] }], status: { state: 'completed' } }],
  ])
  expect(turns.ok && playTurn(turns.turns[0] ?? [], SCOPE).map((emission) => emission.is)).toEqual([
    'metadata',
    'artifact',
    'status',
  ])
})

test('an event of another task is refused', () => {
  const turns = readTurns([[{ kind: 'status-update', taskId: 'other', status: { state: 'working' } }]])
  expect(() => turns.ok && playTurn(turns.turns[0] ?? [], SCOPE)).toThrow(/taskId 'other'.*wrong-task-id/)
})
