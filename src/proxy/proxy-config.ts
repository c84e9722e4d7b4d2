// proxy.yaml: which agents stand behind the proxy and how. Strict: every key means something or is an error with its
// line. Secrets may be written `${NAME}` and then come from the environment.

import { readFileSync } from 'node:fs'
import type { DialectId } from '../dialects/dialect.ts'
import { DIALECT_IDS } from '../dialects/index.ts'
import { type Fault, faultShape } from '../mock/faults/fault-shape.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import {
  boolean,
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
import { invalidFile, YamlSource } from '../yaml/source.ts'
import type { DownstreamAuth } from './downstream-credentials.ts'
import type { AgentOptions } from './proxied-agent.ts'

export interface ProxyConfig {
  readonly agents: readonly AgentOptions[]
  readonly port?: number
  readonly host?: string
  readonly publicUrl?: string
  /** memory, or sqlite:<file>. */
  readonly store?: string
  readonly translate?: readonly DialectId[]
  readonly record?: string
  /** A folder, 'memory', or 'off'. */
  readonly artifacts?: string
  readonly firstVersion?: number
  readonly app?: string
  readonly identityHeader?: string
  /** Web pages that may call without credentials. */
  readonly webOrigins?: readonly string[]
  /** Addresses and networks of reverse proxies in front. */
  readonly trustProxy?: readonly string[]
  readonly allowPrivateWebhooks?: boolean
  /** Another name of `allowPrivateWebhooks`. */
  readonly allowPrivateNetworks?: boolean
  readonly allowPrivateUpstreams?: boolean
  /** As `--auth` takes them. */
  readonly callers?: readonly string[]
  readonly faults: readonly Fault[]
}

const url = refine(nonEmptyText, (value, report) =>
  /^https?:$/.test(URL.parse(value)?.protocol ?? '') ? value : report(`must be an http or https URL, not '${value}'`),
)

const secret = refine(nonEmptyText, (value, report) => {
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

export const downstreamAuthShape: Shape<DownstreamAuth> = refine(
  keyed('way to authenticate', {
    bearer: record({ bearer: secret }),
    apiKey: record({ apiKey: secret, header: optional(header) }),
    oauth2: record({
      oauth2: record({
        tokenUrl: url,
        clientId: nonEmptyText,
        clientSecret: secret,
        scope: optional(nonEmptyText),
        audience: optional(nonEmptyText),
      }),
    }),
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

const agent = record({
  name: optional(nonEmptyText),
  url: nonEmptyText,
  endpoint: optional(url),
  speaks: optional(list(generation, 1)),
  aliases: optional(list(nonEmptyText)),
  card: optional(record({ name: optional(nonEmptyText), description: optional(nonEmptyText) })),
  auth: optional(downstreamAuthShape),
  allowOrigins: optional(list(url)),
  timeouts: optional(record({ idle: optional(durationMs), total: optional(durationMs) })),
  cancelOnDisconnect: optional(boolean),
  askAfterCut: optional(boolean),
})

const configShape = record({
  agents: list(agent, 1),
  listen: optional(record({ port: optional(integer(0, 65_535)), host: optional(nonEmptyText) })),
  publicUrl: optional(url),
  callers: optional(list(secret, 1)),
  identityHeader: optional(header),
  webOrigins: optional(list(url)),
  trustProxy: optional(list(nonEmptyText)),
  allowPrivateWebhooks: optional(boolean),
  allowPrivateNetworks: optional(boolean),
  allowPrivateUpstreams: optional(boolean),
  store: optional(nonEmptyText),
  artifacts: optional(
    record({ store: optional(nonEmptyText), app: optional(nonEmptyText), firstVersion: optional(integer(0, 1)) }),
  ),
  translate: optional(either(boolean, list(generation, 1))),
  record: optional(nonEmptyText),
  faults: optional(list(faultShape)),
})

export function loadProxyConfig(path: string): ProxyConfig {
  let written: string
  try {
    written = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new ParleyError('config-unreadable', `The configuration ${path} cannot be read; check the path.`, {
      exitCode: EXIT.usage,
      cause,
    })
  }
  return parseProxyConfig(written, path)
}

export function parseProxyConfig(written: string, file = 'proxy.yaml'): ProxyConfig {
  const source = new YamlSource(file, written)
  const config = source.problems.length > 0 ? undefined : configShape.read(source.root, source, '')
  if (config?.callers !== undefined && config.identityHeader !== undefined)
    source.report(source.root, "'callers' and 'identityHeader' both say who is calling; keep one")
  if (config === undefined || source.problems.length > 0) throw invalidFile('config-invalid', source.problems)
  return configOf(config)
}

function configOf(config: Infer<typeof configShape>): ProxyConfig {
  const { listen = {}, artifacts = {}, translate, agents, faults = [], callers, ...rest } = config
  const generations = translate === true ? DIALECT_IDS : translate === false ? undefined : translate
  const { store: files, ...settings } = artifacts
  return {
    ...rest,
    ...listen,
    ...settings,
    ...(files === undefined ? {} : { artifacts: files }),
    ...(generations === undefined ? {} : { translate: generations }),
    ...(callers === undefined ? {} : { callers }),
    agents: agents.map(({ timeouts = {}, name, ...given }, index) => ({
      ...given,
      name: name ?? (agents.length === 1 ? 'agent' : `agent-${index + 1}`),
      ...(timeouts.idle === undefined ? {} : { idleTimeoutMs: timeouts.idle }),
      ...(timeouts.total === undefined ? {} : { totalTimeoutMs: timeouts.total }),
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
