// Two cards beside each other, line by line: the card of another agent that is open, or the extended card.

import { useState } from 'preact/hooks'
import type { AgentView, CardView } from '../../src/inspector/views.ts'
import { agents } from './state.ts'

interface Line {
  mark: ' ' | '-' | '+'
  text: string
}

/** More lines than this are compared as they stand, without looking for what moved. */
const MAX_LINES = 1500

export function CardDiff({ agent, card }: { agent: AgentView; card: CardView }) {
  const [chosen, setChosen] = useState('')
  const others = agents.value.filter((other) => other.id !== agent.id && other.card !== undefined)
  const choices = [
    ...(card.extended === undefined ? [] : [{ id: 'extended', name: 'the extended card', value: card.extended }]),
    ...others.map((other) => ({ id: other.id, name: other.name, value: other.card?.raw ?? {} })),
  ]
  if (choices.length === 0) return null
  const other = choices.find(({ id }) => id === chosen)
  return (
    <section class="panel" aria-label="Difference">
      <h3>Difference to</h3>
      <select
        aria-label="Card to compare with"
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        <option value="">choose a card</option>
        {choices.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      {other !== undefined && <Lines lines={diff(linesOf(card.raw), linesOf(other.value))} />}
    </section>
  )
}

function Lines({ lines }: { lines: readonly Line[] }) {
  if (lines.every(({ mark }) => mark === ' ')) return <p class="good">✓ They are the same.</p>
  return (
    <pre class="diff">
      {lines.map(({ mark, text }, at) => (
        <span key={at} class={mark === '-' ? 'bad' : mark === '+' ? 'good' : 'muted'}>
          {`${mark} ${text}\n`}
        </span>
      ))}
    </pre>
  )
}

function linesOf(value: unknown): string[] {
  return JSON.stringify(value, null, 2).split('\n')
}

/** The longest common lines stay, the others are taken out or put in. */
function diff(one: readonly string[], other: readonly string[]): Line[] {
  if (one.length > MAX_LINES || other.length > MAX_LINES)
    return [...one.map((text): Line => ({ mark: '-', text })), ...other.map((text): Line => ({ mark: '+', text }))]
  const width = other.length + 1
  const lengths = new Uint16Array((one.length + 1) * width)
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0
  for (let row = one.length - 1; row >= 0; row--)
    for (let column = other.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
  const lines: Line[] = []
  let [row, column] = [0, 0]
  while (row < one.length || column < other.length) {
    const [left = '', right = ''] = [one[row], other[column]]
    if (row < one.length && column < other.length && left === right) {
      lines.push({ mark: ' ', text: left })
      row++
      column++
    } else if (column >= other.length || (row < one.length && at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ mark: '-', text: left })
      row++
    } else {
      lines.push({ mark: '+', text: right })
      column++
    }
  }
  return lines
}
