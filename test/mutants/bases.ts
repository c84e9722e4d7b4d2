// The correct agents the mutants are made of, all on one server in this process, and how the judge drives each.

import { LEGACY_CARD, SPEC_CARD, SPEC03_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import type { BehaviourFile, CertifyOptions } from '../../src/judge/index.ts'
import { A2AError } from '../../src/model/errors.ts'
import { textOf } from '../../src/model/task.ts'
import type { Agent, AgentContext } from '../../src/server/engine/agent.ts'
import type { CardInput, MountOptions } from '../../src/server/mount-options.ts'
import { createServer } from '../../src/server/server.ts'
import { CARD_KEY } from './signature-mutants.ts'

const FIRST = 'mutants-first-user'
const SECOND = 'mutants-second-user'
const CHUNK_MS = 150

/** The spec agent, with a keyword for a stream that takes its time but not ours. */
const agent: Agent = (message, ctx) =>
  textOf(message).startsWith('progress') ? progress(ctx) : specAgent(message, ctx)

async function progress(ctx: AgentContext): Promise<void> {
  await ctx.status('TASK_STATE_WORKING')
  for (let chunk = 1; chunk <= 4; chunk++) {
    await ctx.sleep(CHUNK_MS)
    const options = { append: chunk > 1, lastChunk: chunk === 4 }
    await ctx.artifact({ artifactId: 'progress', parts: [{ text: `part ${chunk}\n` }] }, options)
  }
  await ctx.complete()
}

const BEHAVIOURS: BehaviourFile = {
  slow: { text: 'slow 600' },
  // Ends by itself within the time of a call, so that a cancel that does nothing shows.
  cancelable: { text: 'slow 2500' },
  progress: { text: 'progress' },
}

const LEGACY_CAPABILITIES = { ...LEGACY_CARD.capabilities, pushNotifications: false }

const EXTENSIONS = [
  { uri: 'https://parley.invalid/extensions/needed/v1', description: 'Needed.', required: true },
  { uri: 'https://parley.invalid/extensions/extra/v1', description: 'Not needed.', required: false },
]

const SECURITY: Pick<CardInput, 'securitySchemes' | 'securityRequirements'> = {
  securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
}

/** Everything a card can declare about security, so that there is something to get wrong. */
const ALL_SCHEMES: Pick<CardInput, 'securitySchemes' | 'securityRequirements'> = {
  securitySchemes: {
    bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
    key: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
    oidc: {
      openIdConnectSecurityScheme: { openIdConnectUrl: 'https://parley.invalid/.well-known/openid-configuration' },
    },
    oauth: {
      oauth2SecurityScheme: {
        oauth2MetadataUrl: 'https://parley.invalid/.well-known/oauth-authorization-server',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://parley.invalid/authorize',
            tokenUrl: 'https://parley.invalid/token',
            scopes: { read: 'Read.' },
          },
        },
      },
    },
  },
}

const authenticate: NonNullable<MountOptions['authenticate']> = async ({ headers: { authorization } }) => {
  if (authorization === `Bearer ${FIRST}`) return { subject: 'first' }
  if (authorization === `Bearer ${SECOND}`) return { subject: 'second' }
  return new A2AError('Unauthenticated', 'Who are you?', { challenge: 'Bearer realm="mutants"' })
}

const anybody: NonNullable<MountOptions['authenticate']> = async () => ({ subject: 'anybody' })

const extendedCard: NonNullable<MountOptions['extendedCard']> = {
  card: { ...SPEC_CARD, name: 'Parley Spec Agent (Extended)' },
  isVisibleTo: ({ authorization }) => authorization === `Bearer ${FIRST}`,
}

const MOUNTS = {
  spec: { card: { ...SPEC_CARD, ...ALL_SCHEMES }, agent, dialects: ['1.0'], extendedCard, authenticate: anybody },
  quiet: {
    card: { ...SPEC_CARD, capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false } },
    agent,
    dialects: ['1.0'],
  },
  secured: {
    card: { ...SPEC_CARD, capabilities: { ...SPEC_CARD.capabilities, pushNotifications: true }, ...SECURITY },
    agent,
    dialects: ['1.0'],
    extendedCard,
    authenticate,
  },
  extension: {
    card: { ...SPEC_CARD, ...ALL_SCHEMES, capabilities: { ...SPEC_CARD.capabilities, extensions: EXTENSIONS } },
    agent,
    dialects: ['1.0'],
    extendedCard,
    authenticate: anybody,
  },
  push: {
    card: { ...SPEC_CARD, capabilities: { streaming: true, pushNotifications: true } },
    agent,
    dialects: ['1.0'],
  },
  push03: {
    card: { ...SPEC03_CARD, capabilities: { streaming: true, pushNotifications: true } },
    agent,
    dialects: ['0.3'],
  },
  spec03: { card: SPEC03_CARD, agent, dialects: ['0.3'] },
  legacy: { card: { ...LEGACY_CARD, capabilities: LEGACY_CAPABILITIES }, agent, dialects: ['0.1'] },
} as const satisfies Record<string, MountOptions>

export type BaseName = keyof typeof MOUNTS

export const BASES = Object.keys(MOUNTS) as BaseName[]

/** What the judge is told about a base: who we are, and how to make the agent behave. */
export function judgeOptions(base: BaseName): CertifyOptions {
  const credentials =
    base === 'spec' || base === 'extension'
      ? { bearer: FIRST }
      : base === 'secured'
        ? { bearer: FIRST, bearerB: SECOND }
        : {}
  return { ...credentials, cardKeys: [CARD_KEY], behaviours: BEHAVIOURS, timeoutMs: 4_000, concurrency: 8 }
}

export async function startBases({ grpc = false }: { grpc?: boolean } = {}) {
  const agents = BASES.map((path): MountOptions => ({ path: `/${path}`, ...MOUNTS[path] }))
  // Judge, mutants and agents share a process, which is late when several are judged at a time.
  const server = createServer({ agents, allowPrivateNetworks: true, grpc, limits: { loopDelayMs: 60_000 } })
  const { url } = await server.listen()
  const grpcPortOf = (base: BaseName) => server.grpc.find(({ path }) => path === `/${base}`)?.port ?? 0
  return { url, grpcPortOf, close: () => server.close({ graceMs: 100 }) }
}
