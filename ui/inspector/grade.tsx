// Judging a client: agents of our own, each with one habit, wait for it; whoever drives the client points it at them and
// then asks for the verdict.

import { useEffect, useState } from 'preact/hooks'
import type { GradeChoices, RunView, ScenarioView } from '../../src/inspector/views.ts'
import { Copy } from '../shared/copy.tsx'
import { get } from './api.ts'
import { POLL_MS, usePoll } from './use-poll.ts'

export function GradeForm({ onStart }: { onStart(selection: object): void }) {
  const [choices, setChoices] = useState<GradeChoices>({ areas: [], ways: [] })
  const [area, setArea] = useState('')
  const [way, setWay] = useState('1.0 jsonrpc')
  useEffect(() => void get<GradeChoices>('grade-choices').then(setChoices), [])
  const start = () => {
    const [version, binding] = way.split(' ')
    onStart({ only: area === '' ? [] : [area], versions: [version], bindings: [binding] })
  }
  return (
    <section class="panel judge-client" aria-label="Judge a client">
      <h2>Judge a client</h2>
      <p class="muted">
        Agents of Parley wait on this machine, one for each scenario. Point your client at them, then ask for the
        verdict.
      </p>
      <div class="toolbar">
        <label>
          <span class="label">Scenarios</span>
          <select value={area} onChange={(event) => setArea(event.currentTarget.value)}>
            <option value="">all</option>
            {choices.areas.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="label">What the client speaks</span>
          <select value={way} onChange={(event) => setWay(event.currentTarget.value)}>
            {choices.ways.map(({ version, binding }) => (
              <option key={`${version} ${binding}`} value={`${version} ${binding}`}>
                A2A {version} over {binding}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="primary" onClick={start}>
          Wait for the client
        </button>
      </div>
    </section>
  )
}

/** The scenarios of a run that waits, with how many requests each has seen. */
export function Scenarios({ run: { id } }: { run: RunView }) {
  const [scenarios, setScenarios] = useState<ScenarioView[] | undefined>(undefined)
  usePoll(id, async (isCurrent) => {
    const found = await get<{ scenarios: ScenarioView[] }>(`scenarios/${id}`)
    if (isCurrent()) setScenarios(found.scenarios)
    return POLL_MS
  })
  if (scenarios === undefined) return <p class="empty">Loading…</p>
  return (
    <div class="page-column">
      <section class="panel" aria-label="Scenarios">
        <h2>{scenarios.length === 1 ? '1 scenario waits' : `${scenarios.length} scenarios wait`}</h2>
        <ul class="scenarios">
          {scenarios.map((scenario) => (
            <Scenario key={scenario.url} scenario={scenario} />
          ))}
        </ul>
      </section>
    </div>
  )
}

function Scenario({ scenario: { id, about, url, intent, calls } }: { scenario: ScenarioView }) {
  return (
    <li>
      <p>
        <b>{id}</b>{' '}
        <span class={calls > 0 ? 'good' : 'muted'}>
          {calls > 0 ? `✓ ${calls} ${calls === 1 ? 'request' : 'requests'}` : 'no request yet'}
        </span>
      </p>
      <p class="muted">{about}</p>
      <p>
        <code>{url}</code> <Copy label="Copy address" text={() => url} />
      </p>
      <p class="small">
        What its user wants: <code>{JSON.stringify(intent)}</code>
      </p>
    </li>
  )
}
