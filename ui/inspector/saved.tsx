// Agents to open again.

import { useState } from 'preact/hooks'
import type { AgentView } from '../../src/inspector/views.ts'
import { post } from './api.ts'
import { agentId, attempt, saved } from './state.ts'

export function SavedAgents() {
  if (saved.value.length === 0) return null
  const open = (body: object) =>
    void attempt(async () => {
      agentId.value = (await post<{ agent: string }>('connect', body)).agent
    })
  return (
    <section class="panel" aria-label="Saved agents">
      <h3>Saved agents</h3>
      <ul class="saved">
        {saved.value.map(({ name, target, auth }) => (
          <li key={name}>
            <button type="button" onClick={() => open({ target, auth })}>
              {name}
            </button>
            <span class="muted">
              {target}
              {auth.kind !== 'none' && ` · ${auth.kind}`}
            </span>
            <button
              type="button"
              class="plain end"
              aria-label={`Forget ${name}`}
              onClick={() => void attempt(() => post('forget-agent', { name }))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function SaveAgent({ agent }: { agent: AgentView }) {
  const [name, setName] = useState<string | undefined>(undefined)
  if (name === undefined)
    return (
      <button type="button" onClick={() => setName(agent.name)}>
        Save…
      </button>
    )
  const save = () =>
    void attempt(async () => {
      await post('save-agent', { agent: agent.id, name })
      setName(undefined)
    })
  return (
    <>
      <input
        type="text"
        aria-label="Name to save it under"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="button" disabled={name === ''} onClick={save}>
        Save
      </button>
    </>
  )
}
