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

export function FaultForm({ onArm }: { onArm(fault: object): void }) {
  const [{ faults: names, operations }, setNames] = useState<FaultNames>({ faults: [], operations: [] })
  const [name, setName] = useState('http-status')
  // Where a message is streamed, which is how the page sends it unless told otherwise. Connecting asks the agent something,
  // too, and would use up a fault of any request.
  const [operation, setOperation] = useState('streamMessage')
  const [count, setCount] = useState('1')
  const [parameters, setParameters] = useState('{ "status": 503 }')
  useEffect(() => void get<FaultNames>('fault-names').then(setNames), [])
  const arm = () => {
    try {
      const given = parameters.trim() === '' ? undefined : (JSON.parse(parameters) as object)
      onArm({
        do: name,
        ...(operation === '' ? {} : { at: { operation } }),
        ...(count === '' ? {} : { count: Number(count) }),
        ...(given === undefined ? {} : { with: given }),
      })
    } catch {
      lastError.value = { code: 'bad-parameters', message: 'The parameters of the fault are not JSON.' }
    }
  }
  return (
    <>
      <div class="toolbar">
        <label>
          <span class="label">What goes wrong</span>
          <select
            value={name}
            onChange={({ currentTarget }) => {
              setName(currentTarget.value)
              setParameters(currentTarget.value === 'http-status' ? '{ "status": 503 }' : '')
              setOperation(currentTarget.value === 'lying-card' ? 'getCard' : 'streamMessage')
            }}
          >
            {names.map((fault) => (
              <option key={fault.name} value={fault.name}>
                {fault.name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="label">Where</span>
          <select value={operation} onChange={(event) => setOperation(event.currentTarget.value)}>
            <option value="">any request</option>
            {operations.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="label">How often</span>
          <input
            type="number"
            min="1"
            value={count}
            placeholder="always"
            onInput={(event) => setCount(event.currentTarget.value)}
          />
        </label>
        <label>
          <span class="label">Parameters</span>
          <input type="text" value={parameters} onInput={(event) => setParameters(event.currentTarget.value)} />
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
