// Where am I (the rail, with counts), what is said, and the wire beside it.

import type { AgentView, ErrorView } from '../../src/inspector/views.ts'
import { CardPage } from './card.tsx'
import { Connect } from './connect.tsx'
import { Empty } from './empty.tsx'
import { ErrorNote } from './error-note.tsx'
import { FleetPage } from './fleet.tsx'
import { Judge } from './judge.tsx'
import { MockPage } from './mock.tsx'
import { Push } from './push.tsx'
import {
  agent,
  agentId,
  agents,
  deliveries,
  goTo,
  hasFleet,
  hasState,
  isGone,
  lastError,
  mocks,
  ownTurns,
  ownWire,
  runs,
  VIEWS,
  type ViewName,
  version,
  view,
} from './state.ts'
import { Talk } from './talk.tsx'
import { Tasks } from './tasks.tsx'
import { WireColumn, WirePage } from './wire-view.tsx'

const TITLES: Readonly<Record<ViewName, string>> = {
  connect: 'Connect',
  card: 'Card',
  talk: 'Talk',
  tasks: 'Tasks',
  wire: 'Wire',
  judge: 'Judge',
  push: 'Push',
  mock: 'Mock',
  fleet: 'Fleet',
}

export function App() {
  if (!hasState.value)
    return (
      <p class="empty">{isGone.value ? 'The inspector does not answer; is parley ui still running?' : 'Loading…'}</p>
    )
  const name = view.value
  const hasWire = name === 'talk' || name === 'tasks'
  return (
    <div class="inspector">
      <Head />
      <Rail />
      <main class={hasWire ? 'with-wire' : ''}>
        <h1 class="hidden">{TITLES[name]}</h1>
        {isGone.value && (
          <ErrorNote
            error={{ code: 'gone', message: 'The inspector no longer answers; is parley ui still running?' }}
          />
        )}
        {lastError.value !== undefined && (
          <ErrorNote error={lastError.value} onClose={() => (lastError.value = undefined)} />
        )}
        <View name={name} />
      </main>
      {hasWire && <WireColumn />}
    </div>
  )
}

function View({ name }: { name: ViewName }) {
  const current = agent.value
  if (name === 'connect') return <Connect />
  if (name === 'wire') return <WirePage />
  if (name === 'judge') return <Judge agent={current} />
  if (name === 'fleet') return <FleetPage />
  if (name === 'mock') return <MockPage agent={current} />
  if (current === undefined)
    return (
      <Empty>
        No agent is open.{' '}
        <button type="button" onClick={() => goTo('connect')}>
          Connect to one
        </button>
      </Empty>
    )
  if (current.status === 'failed' && current.card === undefined)
    return (
      <Empty>
        {current.name} is not connected.{' '}
        <button type="button" onClick={() => goTo('connect')}>
          See what was tried
        </button>
      </Empty>
    )
  if (name === 'card') return <CardPage agent={current} />
  if (name === 'talk') return <Talk key={current.id} agent={current} />
  if (name === 'tasks') return <Tasks key={current.id} agent={current} />
  return <Push key={current.id} agent={current} />
}

function Head() {
  const current = agent.value
  return (
    <header class="top">
      <strong class="brand">Parley</strong>
      {agents.value.length > 1 ? (
        <select
          aria-label="Agent"
          value={agentId.value ?? ''}
          onChange={(event) => (agentId.value = event.currentTarget.value)}
        >
          {agents.value.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      ) : (
        current !== undefined && <span class="agent-name">{current.name}</span>
      )}
      {current !== undefined && <AgentLine agent={current} />}
      <button type="button" class="end" onClick={() => goTo('connect')}>
        Open agent…
      </button>
    </header>
  )
}

const STATUS: Readonly<Record<AgentView['status'], readonly [string, string, string]>> = {
  connecting: ['◌', 'connecting', 'muted'],
  login: ['◐', 'waiting for the login', 'warn'],
  open: ['●', 'connected', 'good'],
  failed: ['✗', 'not connected', 'bad'],
}

function AgentLine({ agent: { status, endpoint, card, auth } }: { agent: AgentView }) {
  const [sign, word, colour] = STATUS[status]
  const seen = [...new Set(card?.interfaces.flatMap(({ speaks = [] }) => speaks) ?? [])].sort()
  const facts = [
    endpoint !== undefined && `A2A ${endpoint.version} over ${endpoint.binding}`,
    seen.length > 0 && `observed ${seen.join(', ')}`,
    auth,
  ]
  return (
    <>
      <span class={colour}>
        {sign} {word}
      </span>
      <span class="muted line">{facts.filter((fact) => typeof fact === 'string' && fact !== '').join(' · ')}</span>
    </>
  )
}

function Rail() {
  return (
    <nav class="rail" aria-label="Views">
      {VIEWS.filter((name) => name !== 'fleet' || hasFleet.value).map((name) => (
        <button
          key={name}
          type="button"
          data-view={name}
          aria-current={view.value === name ? 'page' : undefined}
          onClick={() => goTo(name)}
        >
          <span>{TITLES[name]}</span>
          <span class="count">{countOf(name)}</span>
        </button>
      ))}
      <span class="version muted small">Parley {version.value}</span>
    </nav>
  )
}

function countOf(name: ViewName): string {
  const current = agent.value
  const wrong = current?.card?.findings.filter(({ severity }) => severity === 'error').length ?? 0
  if (name === 'card' && wrong > 0) return `✗ ${wrong}`
  if (name === 'talk' && ownTurns.value.length > 0) return String(ownTurns.value.length)
  if (name === 'wire' && ownWire.value.length > 0) return String(ownWire.value.length)
  if (name === 'push' && deliveries.value.length > 0) return String(deliveries.value.length)
  if (name === 'mock' && mocks.value.length > 0) return String(mocks.value.length)
  const last = runs.value.at(-1)
  if (name === 'judge' && last !== undefined) return last.failed > 0 ? `✗ ${last.failed}` : last.isRunning ? '…' : '✓'
  return ''
}

export function NoSession({ error: why }: { error: ErrorView | undefined }) {
  return (
    <main class="notice">
      <h1>This page has no session</h1>
      <p>{why?.message ?? 'Open the link that parley ui printed. It works once and belongs to one browser tab.'}</p>
      <p class="muted">Press Enter in the terminal where parley ui runs, and it prints a new link.</p>
    </main>
  )
}
