// Puts one agent together from its options: engine, service, bindings, card. Refuses cards that break the schema or
// promise what is not there, because a lying card costs every client an evening.

import { defined } from '../base/defined.ts'
import { timedId } from '../base/random-id.ts'
import type { BindingMount } from '../bindings/mount.ts'
import type { Service } from '../bindings/service.ts'
import { SERVED_BINDINGS } from '../bindings/serving.ts'
import type { Dialect, SpecRevision } from '../dialects/dialect.ts'
import { DIALECTS, dialectById, MODEL_GENERATION } from '../dialects/index.ts'
import { selectDialect } from '../dialects/select.ts'
import type { AgentCard, AgentInterface } from '../model/card.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { Limits } from '../net/limits.ts'
import { traceIdOf } from '../telemetry/trace-context.ts'
import { tracing } from '../telemetry/tracing.ts'
import { AgentService } from './agent-service.ts'
import type { AuthConfig } from './auth/auth-config.ts'
import { Authenticator, type AuthenticatorOptions } from './auth/authenticator.ts'
import { checkCardAgainstAuth, securitySchemesFor } from './auth/card-security.ts'
import type { WakeBus } from './bus/wake-bus.ts'
import { CardSigner } from './card-signing.ts'
import type { Clock } from './engine/clock.ts'
import type { LifecycleRules } from './engine/engine-deps.ts'
import { TaskEngine } from './engine/task-engine.ts'
import type { TurnRoom } from './engine/turn-room.ts'
import { errorFields, type Log } from './log.ts'
import { withMetrics } from './measured-service.ts'
import type { Metrics } from './metrics.ts'
import type { CardInput, MountOptions, ServiceMountOptions } from './mount-options.ts'
import { MountedAgent } from './mounted-agent.ts'
import type { Push } from './push/push.ts'
import type { TaskStore } from './store/task-store.ts'
import { type StreamQuota, withStreamQuota } from './stream-quota.ts'
import { withSpans } from './traced-service.ts'

export interface SharedDeps {
  store: TaskStore
  bus: WakeBus
  clock: Clock
  limits: Limits
  log: Log
  metrics: Metrics
  /** Absent when the server sends no push notifications. */
  push: Push | undefined
  revision: SpecRevision
  maxConcurrentTasks: number
  streams: StreamQuota
  room: TurnRoom
  /** Whether the process is too busy to take on more. */
  isOverloaded(): boolean
  /** Where clients reach the server, once that is known. */
  baseUrl(): string
  /** `host:port` of an agent's gRPC listener, as clients of that base URL reach it; undefined where there is none. */
  grpcAddress?(path: string, baseUrl: string): string | undefined
  authOptions(): AuthenticatorOptions
}

const PROMOTE_AFTER_MS = 50

export interface BuiltMount {
  mounted: MountedAgent
  /** Absent where a service of its own answers. */
  engine?: TaskEngine
  /** Fetches what authentication needs; rejects when it cannot be had. */
  ready(): Promise<void>
}

export function buildMount(options: MountOptions | ServiceMountOptions, shared: SharedDeps): BuiltMount {
  const path = normalPath(options.path ?? '/')
  const dialects = options.dialects?.map(dialectById) ?? DIALECTS.filter(({ isServedByDefault }) => isServedByDefault)
  const [cardDialect] = dialects
  if (cardDialect === undefined)
    throw new ParleyError('no-dialect', `The agent at ${path || '/'} serves no protocol version.`)
  const { auth = [] } = options
  const forExtendedCard = ('extendedCard' in options ? options.extendedCard?.securitySchemes : undefined) ?? {}
  const declared = withSecurity(options.card, auth, forExtendedCard)
  const cardDialects = cardDialectsOf(options, dialects)
  const cardAt = (baseUrl: string, written = declared) =>
    withInterfaces(written, cardDialects, baseUrl + path, shared.grpcAddress?.(path, baseUrl))
  const card = cardAt('http://localhost')
  if (options.skipCardValidation !== true && options.isCardProven !== true) checkCard(card, cardDialect, path)
  if (options.authenticate === undefined) checkCardAgainstAuth(card, auth, Object.keys(forExtendedCard))
  const authenticator = auth.length === 0 ? undefined : new Authenticator(auth, shared.authOptions())
  const mount = (service: Service) => {
    const binding = bindingOf(
      options,
      path,
      shared,
      measuredAndTraced(withStreamQuota(service, shared.streams), { path, agentName: card.name }, shared),
      card,
      dialects,
    )
    return new MountedAgent({
      path,
      dialects,
      cardDialects,
      binding,
      authenticate: options.authenticate ?? authenticateWith(authenticator),
      isOverloaded: () => shared.isOverloaded(),
      cardAt: (baseUrl) => cardAt(baseUrl),
      pages: options.pages,
      ...('signing' in options && options.signing !== undefined
        ? { signer: new CardSigner(options.signing, cardDialect) }
        : {}),
    })
  }
  const ready = () => authenticator?.ready() ?? Promise.resolve()
  if ('service' in options) return { mounted: mount(options.service), ready }
  checkPromises(card, options, shared, path)
  const engine = engineOf(options, shared, lifecycleRulesOf(cardDialect), path)
  const { extendedCard } = options
  const push = card.capabilities.pushNotifications ? shared.push : undefined
  const service = new AgentService({
    ...{ name: options.name ?? (path || '/'), card, engine },
    ...defined({
      push: push?.service(options.revision ?? shared.revision),
      extendedCard: extendedCard && {
        card: () => cardAt(shared.baseUrl(), withSecurity(extendedCard.card, auth, forExtendedCard)),
        isVisibleTo: extendedCard.isVisibleTo,
      },
    }),
  })
  return { mounted: mount(service), engine, ready }
}

function engineOf(options: MountOptions, shared: SharedDeps, rules: LifecycleRules, path: string): TaskEngine {
  const { clock, store, bus, log, limits, room } = shared
  return new TaskEngine({
    ...{ agent: options.agent, store, bus, clock, rules, room },
    newId: options.newId ?? (() => timedId()),
    autoComplete: options.autoComplete ?? true,
    isShared: store.orphaned !== undefined,
    promoteAfterMs: PROMOTE_AFTER_MS,
    maxConcurrentTasks: options.maxConcurrentTasks ?? shared.maxConcurrentTasks,
    taskLimits: limits,
    pageBytes: limits.pageBytes,
    continuesInNewTask: options.continuesInNewTask ?? options.hasSequel,
    onWrite: (events) => shared.metrics.writeQueue.observe(events),
    onAgentError: (error, taskId, trace) =>
      log('error', 'agent-error', { agent: path || '/', taskId, traceId: traceIdOf(trace), ...errorFields(error) }),
  })
}

/** Whether anybody collects spans is known by now. */
function measuredAndTraced(
  service: Service,
  { path, agentName }: { path: string; agentName: string },
  { metrics, baseUrl }: SharedDeps,
): Service {
  const measured = withMetrics(service, metrics.agent(path || '/'))
  const spans = tracing()
  return spans === undefined ? measured : withSpans(measured, spans, { agentName, baseUrl })
}

/** Interfaces the author wrote are left as they are: nothing is known about what else is spoken there. */
function cardDialectsOf(
  { card, cardDialects }: Pick<MountOptions, 'card' | 'cardDialects'>,
  served: readonly Dialect[],
): readonly Dialect[] {
  if (cardDialects !== undefined) return cardDialects.map(dialectById)
  return card.supportedInterfaces?.length ? served.slice(0, 1) : served
}

function authenticateWith(authenticator: Authenticator | undefined): MountOptions['authenticate'] {
  if (authenticator === undefined) return undefined
  return async (req) => {
    const outcome = await authenticator.authenticate(req)
    return outcome.ok ? outcome.caller : outcome.error
  }
}

function lifecycleRulesOf({ mayFollow, hasDirectReplies, streamsBeginWithTask }: Dialect): LifecycleRules {
  return { mayFollow, hasDirectReplies, logsSubmission: !streamsBeginWithTask }
}

function bindingOf(
  options: Pick<MountOptions, 'lenient' | 'unversionedAs' | 'revision' | 'plainErrors' | 'rpcPaths'>,
  path: string,
  shared: SharedDeps,
  service: Service,
  card: AgentCard,
  dialects: readonly Dialect[],
): BindingMount {
  const ids = dialects.map((dialect) => dialect.id)
  const unversionedAs = options.unversionedAs ?? (options.lenient === true ? MODEL_GENERATION : undefined)
  const declared = new Set(card.capabilities.extensions?.map((extension) => extension.uri))
  return {
    service,
    dialects,
    revision: options.revision ?? shared.revision,
    plainErrors: options.plainErrors ?? false,
    limits: shared.limits,
    rpcPaths: options.rpcPaths ?? [],
    select: (facts) => selectDialect(facts, { dialects: ids, unversionedAs }),
    fallback: dialects[0] ?? DIALECTS[0],
    activated: (requested) => requested.filter((uri) => declared.has(uri)),
    onRefusal: (error) => shared.metrics.countError(path || '/', error.kind),
    onInternalError: (error) => shared.log('error', 'internal-error', errorFields(error)),
  }
}

/** A card that says nothing about security gets what the configuration asks for, and the extended card needs. */
function withSecurity(
  card: CardInput,
  auth: readonly AuthConfig[],
  forExtendedCard: NonNullable<AgentCard['securitySchemes']>,
): CardInput {
  const security = card.securitySchemes === undefined ? { ...card, ...securitySchemesFor(auth) } : card
  if (Object.keys(forExtendedCard).length === 0) return security
  return { ...security, securitySchemes: { ...forExtendedCard, ...security.securitySchemes } }
}

function withInterfaces(
  card: CardInput,
  dialects: readonly Dialect[],
  url: string,
  ownAddress: string | undefined,
): AgentCard {
  if (card.supportedInterfaces !== undefined && card.supportedInterfaces.length > 0) return card as AgentCard
  // Cards that list versions list all of them, whichever generation comes first; other forms have room for one.
  const named = dialects.filter(({ card: { form } }) => form.namesVersions)
  const shown = named.length > 0 ? named : dialects.slice(0, 1)
  // What has a port of its own comes after what shares the port of the card.
  const supportedInterfaces = [false, true].flatMap((hasOwnPort) =>
    shown.flatMap((dialect) =>
      SERVED_BINDINGS.flatMap((binding): AgentInterface[] => {
        const at = hasOwnPort ? ownAddress : url
        if (binding.hasOwnPort !== hasOwnPort || dialect.codecs[binding.id] === undefined || at === undefined) return []
        return [{ url: at, protocolBinding: binding.cardName, protocolVersion: dialect.cardVersion }]
      }),
    ),
  )
  // Name and description stay in front: people read cards.
  const { name, description, ...rest } = card
  return { name, description, supportedInterfaces, ...rest }
}

function checkCard(card: AgentCard, dialect: Dialect, path: string): void {
  const [issue] = dialect.card.issues(dialect.card.encode(card).wire)
  if (issue !== undefined)
    throw new ParleyError(
      'bad-card',
      `The card of ${path || '/'} is not valid: ${issue.pointer || 'it'} ${issue.message}.`,
      {
        exitCode: EXIT.usage,
      },
    )
}

function checkPromises(card: AgentCard, options: MountOptions, { push }: SharedDeps, path: string): void {
  const { pushNotifications, extendedAgentCard } = card.capabilities
  if (pushNotifications && push === undefined)
    throw lyingCard(path, 'pushNotifications is true, but push notifications are switched off')
  if (!extendedAgentCard && options.extendedCard !== undefined)
    throw lyingCard(path, 'there is an extended card, but extendedAgentCard is not true')
}

function lyingCard(path: string, what: string): ParleyError {
  return new ParleyError('card-disagrees', `The card of ${path || '/'} disagrees with the server: ${what}.`, {
    exitCode: EXIT.usage,
  })
}

function normalPath(path: string): string {
  const trimmed = path.replace(/\/+$/, '')
  return trimmed === '' || trimmed.startsWith('/') ? trimmed : `/${trimmed}`
}
