// What the page knows, as the server tells it, and where the person is. A batch of changes is applied at once and drawn once.

import { batch, computed, signal } from '@preact/signals'
import type {
  AgentView,
  Change,
  DeliveryView,
  ErrorView,
  MockView,
  RecordingView,
  RunView,
  SavedAgent,
  StateView,
  WireRow,
} from '../../src/inspector/views.ts'
import { ApiError } from './api.ts'
import { addEvents, newTurn, type Turn } from './turns.ts'

export const VIEWS = ['connect', 'card', 'talk', 'tasks', 'wire', 'judge', 'push', 'mock', 'fleet'] as const
export type ViewName = (typeof VIEWS)[number]

export const version = signal('')
export const agents = signal<AgentView[]>([])
export const turns = signal<Turn[]>([])
export const wire = signal<WireRow[]>([])
export const deliveries = signal<DeliveryView[]>([])
export const runs = signal<RunView[]>([])
export const mocks = signal<MockView[]>([])
export const recordings = signal<RecordingView[]>([])
export const saved = signal<SavedAgent[]>([])
export const isGone = signal(false)
export const hasState = signal(false)
export const hasFleet = signal(false)

export const view = signal<ViewName>('connect')
export const agentId = signal<string | undefined>(undefined)
/** The exchange that is open in the wire. */
export const exchange = signal<string | undefined>(undefined)
/** What went wrong with what was last asked for. */
export const lastError = signal<ErrorView | undefined>(undefined)

export const agent = computed(() => agents.value.find(({ id }) => id === agentId.value))
export const ownTurns = computed(() => turns.value.filter((turn) => turn.view.value.agent === agentId.value))
/** The open exchange, if it is one with this agent. */
export const ownExchange = computed(() =>
  ownWire.value.some(({ id }) => id === exchange.value) ? exchange.value : undefined,
)
export const ownWire = computed(() => wire.value.filter((row) => row.agent === agentId.value))

/** Listeners for the lines of run records. */
export const onLines = new Set<(change: Extract<Change, { kind: 'run-lines' }>) => void>()

/** Runs what a button asks for; what goes wrong is said at the top. */
export async function attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
  lastError.value = undefined
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    lastError.value = error.view
    return undefined
  }
}

export function apply(changes: readonly Change[]): void {
  batch(() => {
    let rows: Map<string, WireRow> | undefined
    for (const change of changes) {
      if (change.kind !== 'wire') {
        applyOne(change)
        continue
      }
      rows ??= new Map(wire.value.map((row) => [row.id, row]))
      rows.set(change.row.id, change.row)
    }
    if (rows !== undefined) wire.value = [...rows.values()]
  })
}

function applyOne(change: Exclude<Change, { kind: 'wire' }>): void {
  switch (change.kind) {
    case 'state':
      applyState(change.state)
      return
    case 'agent':
      agents.value = put(agents.value, change.agent)
      return
    case 'agent-closed':
      agents.value = agents.value.filter(({ id }) => id !== change.id)
      turns.value = turns.value.filter((turn) => turn.view.value.agent !== change.id)
      return
    case 'turn': {
      const known = turns.value.find((turn) => turn.view.value.id === change.turn.id)
      if (known === undefined) turns.value = [...turns.value, newTurn(change.turn)]
      else known.view.value = change.turn
      return
    }
    case 'events': {
      const known = turns.value.find((turn) => turn.view.value.id === change.turn)
      if (known !== undefined) addEvents(known, change.events, change.count)
      return
    }
    case 'delivery':
      deliveries.value = [...deliveries.value, change.delivery]
      return
    case 'run':
      runs.value = put(runs.value, change.run)
      return
    case 'run-lines':
      for (const listener of onLines) listener(change)
      return
    case 'mock':
      mocks.value = put(mocks.value, change.mock)
      return
    case 'mock-closed':
      mocks.value = mocks.value.filter(({ id }) => id !== change.id)
      return
    case 'recordings':
      recordings.value = change.recordings
      return
    case 'saved':
      saved.value = change.saved
  }
}

function applyState(state: StateView): void {
  version.value = state.version
  agents.value = state.agents
  wire.value = state.wire
  turns.value = state.turns.map(newTurn)
  deliveries.value = state.deliveries
  runs.value = state.runs
  mocks.value = state.mocks
  recordings.value = state.recordings
  hasFleet.value = state.hasFleet
  saved.value = state.saved
  if (agent.value === undefined) agentId.value = state.agents.at(-1)?.id
  if (!hasState.value && agent.value !== undefined && location.hash === '') view.value = 'talk'
  hasState.value = true
}

function put<T extends { id: string }>(list: readonly T[], one: T): T[] {
  const at = list.findIndex(({ id }) => id === one.id)
  return at < 0 ? [...list, one] : list.with(at, one)
}

export function goTo(name: ViewName): void {
  view.value = name
  location.hash = name
}

export function followHash(): void {
  const read = () => {
    const name = VIEWS.find((each) => each === location.hash.slice(1))
    if (name !== undefined) view.value = name
  }
  read()
  addEventListener('hashchange', read)
}
