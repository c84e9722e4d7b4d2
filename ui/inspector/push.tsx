// Push notifications: a webhook of this inspector for the tasks of an agent, and what arrives there.

import { useState } from 'preact/hooks'
import type { AgentView, DeliveryView } from '../../src/inspector/views.ts'
import { Body } from '../shared/json.tsx'
import { post } from './api.ts'
import { attempt, deliveries, ownTurns } from './state.ts'
import { short, stateWord } from './talk.tsx'

interface Config {
  id?: string
  url: string
}

export function Push({ agent }: { agent: AgentView }) {
  const [task, setTask] = useState('')
  const [configs, setConfigs] = useState<Config[] | undefined>(undefined)
  const tasks = [...new Set(ownTurns.value.flatMap((turn) => turn.folded.taskId ?? []))]
  const list = async () =>
    setConfigs((await post<{ configs: Config[] }>('list-push', { agent: agent.id, task })).configs)
  const act = (path: string, more: object = {}) =>
    void attempt(async () => {
      await post(path, { agent: agent.id, task, ...more })
      await list()
    })
  const own = deliveries.value.filter((delivery) => delivery.agent === agent.id)
  return (
    <div class="page-column">
      <section class="panel" aria-label="Push configurations">
        <h2>Push notifications</h2>
        <p class="muted">
          The agent is asked to send what happens to a task to this inspector, on {location.hostname}. It has to accept
          webhooks on this machine.
        </p>
        <div class="toolbar">
          <label>
            <span class="label">Task</span>
            <input
              type="text"
              class="wide"
              list="known-tasks"
              value={task}
              onInput={(event) => setTask(event.currentTarget.value)}
            />
            <datalist id="known-tasks">
              {tasks.map((id) => (
                <option key={id} value={id} />
              ))}
            </datalist>
          </label>
          <button type="button" class="primary" disabled={task === ''} onClick={() => act('create-push')}>
            Notify me here
          </button>
          <button type="button" disabled={task === ''} onClick={() => void attempt(list)}>
            List configurations
          </button>
        </div>
        {configs !== undefined && <Configs configs={configs} onDelete={(id) => act('delete-push', { id })} />}
      </section>
      <section class="panel" aria-label="Deliveries" aria-live="polite">
        <h3>{own.length === 1 ? '1 delivery' : `${own.length} deliveries`}</h3>
        {own.length === 0 && <p class="muted">Nothing has arrived.</p>}
        {own.toReversed().map((delivery) => (
          <Delivery key={delivery.number} delivery={delivery} />
        ))}
      </section>
    </div>
  )
}

function Configs({ configs, onDelete }: { configs: readonly Config[]; onDelete(id: string | undefined): void }) {
  if (configs.length === 0) return <p class="muted">The task has no push configuration.</p>
  return (
    <ul class="configs">
      {configs.map(({ id, url }) => (
        <li key={id ?? url}>
          <code>{id}</code> {url}{' '}
          <button type="button" onClick={() => onDelete(id)}>
            Delete
          </button>
        </li>
      ))}
    </ul>
  )
}

function Delivery({ delivery }: { delivery: DeliveryView }) {
  const { at, generation, kind, taskId, state, token, answered, issues, body } = delivery
  const facts = [
    generation && `A2A ${generation}`,
    kind,
    taskId && `task ${short(taskId)}`,
    state && stateWord(state),
    `token ${token}`,
    `answered ${answered}`,
  ]
  return (
    <details>
      <summary>
        <span class={issues.length > 0 || answered >= 400 ? 'bad' : 'good'}>
          {issues.length > 0 || answered >= 400 ? '✗' : '✓'}
        </span>{' '}
        {at.slice(11, 23)} · {facts.filter((fact) => fact !== undefined).join(' · ')}
      </summary>
      {issues.map(({ pointer, message }) => (
        <p key={pointer + message} class="bad">
          {pointer || 'the body'} {message}
        </p>
      ))}
      <Body text={body} />
    </details>
  )
}
