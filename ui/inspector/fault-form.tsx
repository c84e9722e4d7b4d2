// One fault to switch on: which, where, how often, and with what.

import { useEffect, useState } from 'preact/hooks'
import { get } from './api.ts'
import { lastError } from './state.ts'

interface FaultName {
  name: string
  summary: string
}

interface FaultNames {
  faults: FaultName[]
  operations: string[]
}

interface FaultText {
  name: string
  /** Empty for any request. */
  operation: string
  /** Empty for always. */
  count: string
  /** JSON, or nothing. */
  parameters: string
}

/**
 * Where a message is streamed, which is how the page sends it unless told otherwise. Connecting asks the agent something,
 * too, and would use up a fault of any request.
 */
function textOf(name: string): FaultText {
  return {
    ...{ name, count: '1', parameters: name === 'http-status' ? '{ "status": 503 }' : '' },
    operation: name === 'lying-card' ? 'getCard' : 'streamMessage',
  }
}

/** Throws where the parameters are no JSON. */
function faultOf({ name, operation, count, parameters }: FaultText): object {
  return {
    do: name,
    ...(operation === '' ? {} : { at: { operation } }),
    ...(count === '' ? {} : { count: Number(count) }),
    ...(parameters.trim() === '' ? {} : { with: JSON.parse(parameters) as object }),
  }
}

export function FaultForm({ onArm }: { onArm(fault: object): void }) {
  const [{ faults: names, operations }, setNames] = useState<FaultNames>({ faults: [], operations: [] })
  const [text, setText] = useState(textOf('http-status'))
  const { name, operation, count, parameters } = text
  useEffect(() => void get<FaultNames>('fault-names').then(setNames), [])
  const set =
    (member: keyof FaultText) =>
    ({ currentTarget }: { currentTarget: { value: string } }) =>
      setText({ ...text, [member]: currentTarget.value })
  const arm = () => {
    try {
      onArm(faultOf(text))
    } catch {
      lastError.value = { code: 'bad-parameters', message: 'The parameters of the fault are not JSON.' }
    }
  }
  return (
    <>
      <div class="toolbar">
        <label>
          <span class="label">What goes wrong</span>
          <select value={name} onChange={({ currentTarget }) => setText({ ...textOf(currentTarget.value), count })}>
            <Options values={names.map((fault) => fault.name)} />
          </select>
        </label>
        <label>
          <span class="label">Where</span>
          <select value={operation} onChange={set('operation')}>
            <option value="">any request</option>
            <Options values={operations} />
          </select>
        </label>
        <label>
          <span class="label">How often</span>
          <input type="number" min="1" value={count} placeholder="always" onInput={set('count')} />
        </label>
        <label>
          <span class="label">Parameters</span>
          <input type="text" value={parameters} onInput={set('parameters')} />
        </label>
        <button type="button" onClick={arm}>
          Switch it on
        </button>
      </div>
      <p class="muted small">
        {names.find((fault) => fault.name === name)?.summary}
        {operation === '' && count !== '' && ' Connecting to the mock asks it something, too, and counts.'}
      </p>
    </>
  )
}

function Options({ values }: { values: readonly string[] }) {
  return (
    <>
      {values.map((value) => (
        <option key={value} value={value}>
          {value}
        </option>
      ))}
    </>
  )
}
