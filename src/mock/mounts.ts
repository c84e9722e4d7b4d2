// Where a mock answers: at the root in every generation it can, and below a path of its own for each of them. Behind the
// paths stands the scripted agent, or the recording.

import type { Dialect, DialectId } from '../dialects/dialect.ts'
import { DIALECT_IDS, dialectById } from '../dialects/index.ts'
import type { AgentCard } from '../model/card.ts'
import type { A2AError } from '../model/errors.ts'
import { ANONYMOUS } from '../model/scope.ts'
import type { AuthRequest } from '../server/auth/credentials.ts'
import type { Caller, CardInput, MountOptions, ServerOptions } from '../server/index.ts'
import { cardSecurity } from './credentials.ts'
import type { Conversation } from './interpreter/conversation.ts'
import type { ProducedArtifacts } from './produced-artifacts.ts'
import type { RecordedConversation } from './recording/load-recording.ts'
import type { Replay } from './recording/replay.ts'
import { ReplayService } from './recording/replay-service.ts'
import type { MockAgentDescription, Script } from './script/script.ts'
import { scriptedAgent } from './scripted-agent.ts'

/**
 * What the root speaks, by whose card it serves. 0.1 and 0.3 share method names and name no version, so that the newer
 * has to stand back where the older is meant.
 */
function spokenBeside(generation: DialectId): DialectId[] {
  const own = dialectById(generation)
  const methods = new Set(Object.values(own.methods))
  const standsBack = (other: Dialect) =>
    other.versionHeader === undefined &&
    DIALECT_IDS.indexOf(other.id) < DIALECT_IDS.indexOf(generation) &&
    Object.values(other.methods).some((method) => methods.has(method))
  const others = DIALECT_IDS.filter((id) => id !== generation && !standsBack(dialectById(id)))
  return [generation, ...others]
}

/** What a session gives to its paths; asked for at every request, because a reset replaces it. */
export interface MountDeps {
  conversation(): Conversation
  artifacts(): ProducedArtifacts
  replay(): Replay
  authenticate(request: AuthRequest): Caller | A2AError
  readonly sessionName: string
}

export function mountsOf(script: Script, deps: MountDeps): ServerOptions['agents'] {
  return script.recording === undefined
    ? scriptedMounts(script.agent, deps)
    : recordedMounts(script.recording, script.agent, deps)
}

function scriptedMounts(agent: MockAgentDescription, deps: MountDeps): MountOptions[] {
  const { conversation, artifacts, authenticate, sessionName } = deps
  const shared = {
    name: 'mock',
    autoComplete: false,
    continuesInNewTask: ({ id }: { id: string }) => conversation().hasTurnsLeft(id),
    agent: scriptedAgent(conversation, artifacts),
    authenticate,
    card: cardOf(agent),
    ...(agent.ids === 'counted' ? { newId: countedIds(sessionName) } : {}),
  }
  return placesOf(agent.generation).map((place) => ({ ...shared, ...place }))
}

function recordedMounts(
  { card: recorded }: RecordedConversation,
  agent: MockAgentDescription,
  { replay }: MountDeps,
): ServerOptions['agents'] {
  const service = new ReplayService(replay)
  const card = recorded === undefined ? cardOf(agent) : withoutPlace(recorded.card)
  // A card may be unusable in a generation it was not made for; then the mock's own stands in.
  const usable = (id: DialectId): CardInput => (isUsable(card, id) ? card : cardOf(agent))
  return placesOf(recorded?.generation ?? agent.generation).map((place) => ({
    ...{ ...place, service, authenticate: anyCaller },
    card: usable(place.dialects[0] ?? agent.generation),
  }))
}

/** The recorded card may declare schemes; whether credentials were right is in the recorded answers. */
function anyCaller(): Caller {
  return { subject: ANONYMOUS }
}

interface MockPlace {
  dialects: readonly DialectId[]
  /** A mock looks like an agent of its generation, whatever it understands. */
  cardDialects: readonly DialectId[]
  path: string
}

function placesOf(generation: DialectId): MockPlace[] {
  return [
    { dialects: spokenBeside(generation), cardDialects: [generation], path: '/' },
    // Each generation has a path of its own, where nothing else is spoken.
    ...DIALECT_IDS.map((id) => ({ dialects: [id], cardDialects: [id], path: `/v${id}` })),
  ]
}

function cardOf(agent: MockAgentDescription): CardInput {
  return {
    name: agent.name,
    description: agent.description,
    version: agent.version,
    capabilities: { streaming: agent.streaming, pushNotifications: false },
    // A script may expect any file; what it does not expect is the script's business.
    defaultInputModes: ['text/plain', 'application/json', '*/*'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: agent.skills.map((skill) => ({ ...skill })),
    ...cardSecurity(agent.security),
  }
}

/** The mock lives elsewhere, and a signature would not cover that. */
function withoutPlace(card: AgentCard): CardInput {
  const { supportedInterfaces: _there, signatures: _signed, ...rest } = card
  return rest
}

function isUsable(card: CardInput, id: DialectId): boolean {
  const { card: codec, cardVersion } = dialectById(id)
  const placed = {
    ...card,
    supportedInterfaces: [{ url: 'http://localhost', protocolBinding: 'JSONRPC', protocolVersion: cardVersion }],
  }
  return codec.issues(codec.encode(placed).wire).length === 0
}

/** One row for all generations of a session: they share their tasks. */
function countedIds(session: string): (what: 'task' | 'context') => string {
  const counts = { task: 0, context: 0 }
  return (what) => `${session === '' ? '' : `${session}-`}${what}-${++counts[what]}`
}

const GENERATION_PATH = new RegExp(`^/v(?:${DIALECT_IDS.map((id) => id.replace('.', '\\.')).join('|')})(?=/|$)`)

/** The path within the agent, whichever generation's place it was reached by. */
export function belowGeneration(path: string): string {
  return path.startsWith('/v') ? path.replace(GENERATION_PATH, '') : path
}
