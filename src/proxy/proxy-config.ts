// proxy.yaml: which agents stand behind the proxy and how. Strict: every key means something or is an error with its
// line. Secrets may be written `${NAME}` and then come from the environment.

import { defined } from '../base/defined.ts'
import { BINDING_IDS, type DialectId } from '../dialects/dialect.ts'
import { DIALECT_IDS } from '../dialects/index.ts'
import { type Fault, faultShape } from '../mock/faults/fault-shape.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { StoreSync } from '../server/backend/backend.ts'
import { readSource, textOfFile } from '../yaml/file.ts'
import {
  boolean,
  choice,
  durationMs,
  either,
  type Infer,
  integer,
  keyed,
  list,
  nonEmptyText,
  number,
  optional,
  record,
  refine,
  type Shape,
  text,
} from '../yaml/shape.ts'
import { YamlSource } from '../yaml/source.ts'
import type { DownstreamAuth } from './downstream-credentials.ts'
import type { AgentOptions } from './proxied-agent.ts'

/** What a proxy does, as its configuration file says it. */
export interface ProxyConfig {
  /** The agents behind the proxy; at least one. */
  readonly agents: readonly AgentOptions[]
  /** @default 8080 */
  readonly port?: number
  /** @default '127.0.0.1' */
  readonly host?: string
  /** Where the first agent takes calls of gRPC; the others have the ports above it, 0 takes free ones. */
  readonly grpcPort?: number | 'same'
  /**
   * The address callers know it by.
   * @default where it listens
   */
  readonly publicUrl?: string
  /**
   * memory, sqlite:<file>, postgres://… or redis://….
   * @default 'memory'
   */
  readonly store?: string
  /**
   * In a shared store, in milliseconds: how long after the death of a proxy the others have taken up what it followed.
   * @default 15_000
   */
  readonly leaseMs?: number
  /**
   * Accept a Redis that may forget.
   * @default false
   */
  readonly allowVolatile?: boolean
  /**
   * full: what was answered survives a power failure, too.
   * @default 'normal'
   */
  readonly storeSync?: StoreSync
  /**
   * Generations offered, the first on the card, whatever the agents speak.
   * @default what each agent speaks
   */
  readonly translate?: readonly DialectId[]
  /** Keep every exchange with the agents in this file; secrets are taken out. */
  readonly record?: string
  /**
   * A folder, 'memory', or 'off'.
   * @default 'memory'
   */
  readonly artifacts?: string
  /**
   * The number of an artifact's first version: 0 or 1.
   * @default 1
   */
  readonly firstVersion?: number
  /**
   * The app of the artifact URIs.
   * @default the name of the agent
   */
  readonly app?: string
  /** A header that names the caller, behind a gateway you trust; instead of `callers`. */
  readonly identityHeader?: string
  /** Web pages that may call without credentials. */
  readonly webOrigins?: readonly string[]
  /** Addresses and networks of reverse proxies in front. */
  readonly trustProxy?: readonly string[]
  /**
   * Deliver to webhooks on this machine and in private networks.
   * @default false
   */
  readonly allowPrivateWebhooks?: boolean
  /** Another name of `allowPrivateWebhooks`. */
  readonly allowPrivateNetworks?: boolean
  /**
   * Let the card of an agent name, besides its own origin, addresses on this machine and in private networks.
   * @default false
   */
  readonly allowPrivateUpstreams?: boolean
  /** As `--auth` takes them. */
  readonly callers?: readonly string[]
  /**
   * Faults towards callers, as a mock makes them; `faults` of a configuration file.
   *
   * @internal
   */
  readonly faults?: readonly Fault[]
}

const url = refine(nonEmptyText, (value, report) =>
  /^https?:$/.test(URL.parse(value)?.protocol ?? '') ? value : report(`must be an http or https URL, not '${value}'`),
)

/** Whatever differs between environments. */
const given = refine(nonEmptyText, (value, report) => {
  const name = /^\$\{(\w+)\}$/.exec(value)?.[1]
  if (name === undefined) return value
  return process.env[name] ?? report(`names the environment variable ${name}, which is not set`)
})

/** YAML reads an unquoted 0.3 as a number and 1.0 as 1. */
const generation = refine(
  either(text, number(0, Number.MAX_SAFE_INTEGER)),
  (value, report) => {
    // YAML reads 1.0 as the number 1.
    const name = value === 1 ? '1.0' : String(value)
    return (
      DIALECT_IDS.find((known) => known === name) ?? report(`must be one of ${DIALECT_IDS.join(', ')}, not ${name}`)
    )
  },
  { enum: [...DIALECT_IDS, 1, 0.3, 0.1] },
)

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const header = refine(nonEmptyText, (value, report) => (HEADER.test(value) ? value : report('must be a header name')))

const downstreamAuthShape: Shape<DownstreamAuth> = refine(
  keyed('way to authenticate', {
    bearer: record({ bearer: given }, { bearer: `A bearer token; \${NAME} takes it from the environment.` }),
    apiKey: record(
      { apiKey: given, header: optional(header) },
      {
        apiKey: `An API key; \${NAME} takes it from the environment.`,
        header: 'The header it goes in; X-API-Key unless given.',
      },
    ),
    oauth2: record(
      {
        oauth2: record(
          {
            tokenUrl: url,
            clientId: nonEmptyText,
            clientSecret: given,
            scope: optional(nonEmptyText),
            audience: optional(nonEmptyText),
          },
          {
            tokenUrl: 'Where tokens are fetched.',
            clientId: 'The client id.',
            clientSecret: `The client secret; \${NAME} takes it from the environment.`,
            scope: 'The scope to ask for.',
            audience: 'The audience to ask for.',
          },
        ),
      },
      { oauth2: 'OAuth 2.0 client credentials.' },
    ),
  }),
  (written): DownstreamAuth => {
    switch (written.is) {
      case 'bearer':
        return { is: 'bearer', token: written.value.bearer }
      case 'apiKey':
        return { is: 'api-key', key: written.value.apiKey, header: written.value.header ?? 'X-API-Key' }
      case 'oauth2':
        return { is: 'oauth2', ...written.value.oauth2 }
    }
  },
)

const agent = record(
  {
    name: optional(nonEmptyText),
    url: given,
    endpoint: optional(url),
    speaks: optional(list(generation, 1)),
    transports: optional(list(choice(BINDING_IDS), 1)),
    aliases: optional(list(nonEmptyText)),
    card: optional(
      record(
        { name: optional(nonEmptyText), description: optional(nonEmptyText) },
        { name: 'Instead of the name of the agent.', description: 'Instead of its description.' },
      ),
    ),
    auth: optional(downstreamAuthShape),
    allowOrigins: optional(list(url)),
    timeouts: optional(
      record(
        { idle: optional(durationMs), total: optional(durationMs) },
        { idle: 'How long the agent may be silent.', total: 'How long a call may take.' },
      ),
    ),
    cancelOnDisconnect: optional(boolean),
    askAfterCut: optional(boolean),
  },
  {
    name: 'The path it is served at, and its name.',
    url: `Host, URL or card URL of the agent; \${NAME} takes it from the environment.`,
    endpoint: 'Call this address, whatever the card says.',
    speaks: 'Protocol versions, where the card is wrong.',
    transports: 'Bindings to speak to it; whichever its card prefers unless given.',
    aliases: 'Further paths it is served at.',
    card: 'What the card says instead of what the agent says.',
    auth: 'Credentials for the agent: bearer, apiKey or oauth2.',
    allowOrigins: 'Further origins its card may lead to.',
    timeouts: 'How long to wait for it.',
    cancelOnDisconnect: 'Cancel the task when the caller of a stream is gone.',
    askAfterCut: 'Ask once what became of a task whose stream was cut.',
  },
)

export const configShape = record(
  {
    agents: list(agent, 1),
    listen: optional(
      record(
        {
          port: optional(integer(0, 65_535)),
          host: optional(nonEmptyText),
          grpcPort: optional(either(integer(0, 65_535), choice(['same']))),
        },
        {
          port: 'The port; 0 takes a free one.',
          host: 'The address; 127.0.0.1 unless given.',
          grpcPort:
            'Serve gRPC too: the port of the first agent, the others above it; 0 takes free ones, same that of HTTP.',
        },
      ),
    ),
    publicUrl: optional(url),
    callers: optional(list(given, 1)),
    identityHeader: optional(header),
    webOrigins: optional(list(url)),
    trustProxy: optional(list(nonEmptyText)),
    allowPrivateWebhooks: optional(boolean),
    allowPrivateNetworks: optional(boolean),
    allowPrivateUpstreams: optional(boolean),
    store: optional(given),
    storeSync: optional(choice(['normal', 'full'])),
    lease: optional(durationMs),
    allowVolatile: optional(boolean),
    artifacts: optional(
      record(
        { store: optional(nonEmptyText), app: optional(nonEmptyText), firstVersion: optional(integer(0, 1)) },
        {
          store: 'A folder, memory, or off.',
          app: 'The app of the artifact URIs; the name of the agent unless given.',
          firstVersion: 'The number of the first version: 0 or 1.',
        },
      ),
    ),
    translate: optional(either(boolean, list(generation, 1))),
    record: optional(nonEmptyText),
    faults: optional(list(faultShape)),
  },
  {
    agents: 'The agents behind the proxy.',
    listen: 'Where it listens.',
    publicUrl: 'The address callers know it by.',
    callers: 'Who may call, as --auth takes them: bearer:token=name.',
    identityHeader: 'A header that names the caller, behind a gateway you trust.',
    webOrigins: 'Web pages that may call without credentials.',
    trustProxy: 'Addresses and networks of reverse proxies in front.',
    allowPrivateWebhooks: 'Deliver to webhooks in private networks.',
    allowPrivateNetworks: 'Another name of allowPrivateWebhooks.',
    allowPrivateUpstreams: 'Follow cards and redirects into private networks.',
    store: `Where tasks are stored: memory, sqlite:FILE, or postgres:// or redis://, which proxies may share; \${NAME} takes it from the environment.`,
    storeSync: 'full: what was answered survives a power failure, too.',
    lease:
      'In a shared store: how long after a proxy dies the others take over the tasks it followed; 15s unless given.',
    allowVolatile: 'Accept a Redis store without persistence.',
    artifacts: 'Where files are kept.',
    translate: 'Also serve other protocol versions: true for all, or a list.',
    record: 'Keep every exchange with the agents in this file.',
    faults: 'Faults to inject.',
  },
)

/**
 * Reads a configuration file (proxy.yaml); throws a ParleyError that lists everything wrong with it.
 *
 * @example
 * ```ts
 * import { loadProxyConfig, startProxy } from 'a2a-parley/proxy'
 *
 * const started = await startProxy(loadProxyConfig('proxy.yaml'))
 * console.log(started.url)
 * await started.close()
 * ```
 */
export function loadProxyConfig(path: string): ProxyConfig {
  return parseProxyConfig(textOfFile(path, 'configuration', 'config-unreadable'), path)
}

export function parseProxyConfig(written: string, file = 'proxy.yaml'): ProxyConfig {
  const source = new YamlSource(file, written)
  const config = readSource(source, configShape, 'config-invalid', ({ callers, identityHeader }) => {
    if (callers !== undefined && identityHeader !== undefined)
      source.report(source.root, "'callers' and 'identityHeader' both say who is calling; keep one")
  })
  return configOf(config)
}

function configOf(config: Infer<typeof configShape>): ProxyConfig {
  const { listen = {}, artifacts = {}, translate, agents, faults = [], callers, lease, ...rest } = config
  const generations = translate === true ? DIALECT_IDS : translate === false ? undefined : translate
  const { store: files, ...settings } = artifacts
  return {
    ...rest,
    ...listen,
    ...settings,
    ...defined({ artifacts: files, translate: generations, callers, leaseMs: lease }),
    agents: agents.map(({ timeouts = {}, name, ...given }, index) => ({
      ...given,
      name: name ?? (agents.length === 1 ? 'agent' : `agent-${index + 1}`),
      ...defined({ idleTimeoutMs: timeouts.idle, totalTimeoutMs: timeouts.total }),
    })),
    faults,
  }
}

/** Of `--translate`: nothing means all, else a list such as `0.3,1.0`. */
export function parseGenerations(written: string | true): readonly DialectId[] {
  if (written === true) return DIALECT_IDS
  return written.split(',').map((each) => {
    const found = DIALECT_IDS.find((known) => known === each.trim())
    if (found !== undefined) return found
    const known = DIALECT_IDS.join(', ')
    throw new ParleyError('usage', `--translate takes protocol versions among ${known}, not "${each}".`, {
      exitCode: EXIT.usage,
    })
  })
}
