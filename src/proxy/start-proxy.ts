// From a configuration to a running proxy with everything it needs: artifact service, recorder, authentication. What it
// opened it also closes.

import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { openFileArtifactStore } from '../artifacts/file-store.ts'
import { createMemoryArtifactStore } from '../artifacts/memory-store.ts'
import { defined } from '../base/defined.ts'
import type { ServerTls } from '../net/serve/tls-server.ts'
import { parseAuthSpec } from '../server/auth/parse-auth-spec.ts'
import { isSharedStore } from '../server/backend/open.ts'
import type { Log } from '../server/log.ts'
import type { Exchange } from '../trace/exchange.ts'
import { type IfRecorded, RecordWriter } from '../trace/record.ts'
import { Redactor } from '../trace/redact.ts'
import { type A2AProxy, createProxy, type ProxyOptions } from './proxy.ts'
import type { ProxyConfig } from './proxy-config.ts'
import type { TranslationLoss } from './proxy-deps.ts'

/** A proxy that listens. */
export interface StartedProxy {
  /** The proxy itself. */
  readonly proxy: A2AProxy
  /** Base URL: scheme, host and port. */
  readonly url: string
  /** Where files go; undefined when they pass unchanged. */
  readonly artifacts: ArtifactStore | undefined
  /** Ends streams, closes the stores and completes the recording. */
  close(): Promise<void>
}

/** What a program hears of a proxy. */
export interface StartOptions {
  /**
   * What happens, for the operator.
   * @default nothing is logged
   */
  readonly log?: Log
  /** What to do about a recording that is already there; it is kept unless given. */
  readonly ifRecorded?: IfRecorded
  /** Told what a translation between generations could not say. */
  readonly onLoss?: (loss: TranslationLoss) => void
  /** Speaks TLS; with `ca`, callers are asked for a certificate. */
  readonly tls?: ServerTls
}

const DEFAULT_PORT = 8080

/**
 * Starts a proxy with all it needs: artifact service, recorder, authentication.
 *
 * @example
 * ```ts
 * import { startProxy } from 'a2a-parley/proxy'
 *
 * const started = await startProxy({ agents: [{ name: 'booker', url: 'http://localhost:3000' }], port: 0 })
 * console.log(`${started.url}/booker`)
 * await started.close()
 * ```
 */
export async function startProxy(config: ProxyConfig, options: StartOptions = {}): Promise<StartedProxy> {
  const redactor = new Redactor()
  const writer =
    config.record === undefined
      ? undefined
      : await RecordWriter.create(config.record, { redactor, ifRecorded: options.ifRecorded ?? 'refuse' })
  const artifacts = await openArtifacts(config)
  const { agents, faults, store, publicUrl, translate, app, identityHeader, grpcPort, callers = [] } = config
  const { leaseMs, allowVolatile, storeSync } = config
  const recorded: Partial<ProxyOptions> =
    writer === undefined
      ? {}
      : {
          onExchange: recordTo(writer, config.record ?? '', options.log),
          onSecret: (secret) => redactor.register(secret),
        }
  const proxy = createProxy({
    ...{ agents, ...recorded, ...options },
    ...defined({
      faults,
      store,
      leaseMs,
      allowVolatile,
      storeSync,
      artifacts,
      publicUrl,
      translate,
      app,
      identityHeader,
    }),
    ...(grpcPort === undefined ? {} : { grpc: { port: grpcPort } }),
    auth: callers.map(parseAuthSpec),
    webOrigins: config.webOrigins ?? [],
    trustProxy: config.trustProxy ?? [],
    allowPrivateWebhooks: config.allowPrivateWebhooks ?? config.allowPrivateNetworks ?? false,
    allowPrivateUpstreams: config.allowPrivateUpstreams ?? false,
  })
  const close = async () => {
    await proxy.close()
    await writer?.close().catch(() => {}) // It has been reported.
    await artifacts?.close()
  }
  const { port = DEFAULT_PORT, host = '127.0.0.1' } = config
  try {
    warnOfLoneFiles(config, options.log)
    const { url } = await proxy.listen({ port, host })
    return { proxy, url, artifacts, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A recording that cannot go on, for instance on a full disk, is reported once; the calls go on. */
function recordTo(writer: RecordWriter, path: string, log: Log | undefined): (exchange: Exchange) => void {
  let isBroken = false
  return (exchange) => {
    writer.append(exchange).catch((error: unknown) => {
      if (isBroken) return
      isBroken = true
      const why = error instanceof Error ? error.message : String(error)
      log?.('error', 'recording-broken', { file: path, why, consequence: 'calls continue without it' })
    })
  }
}

/** A reference that one proxy gave out is nothing to the others. */
function warnOfLoneFiles({ store = 'memory', artifacts = 'memory' }: ProxyConfig, log: Log | undefined): void {
  if (artifacts !== 'memory' || !isSharedStore(store)) return
  const message = 'Files are kept in the memory of this proxy, and another one on the same store does not find them.'
  log?.('warn', 'files-not-shared', { message, hint: 'Give --artifacts a folder that all proxies see, or off.' })
}

async function openArtifacts({ artifacts = 'memory', firstVersion }: ProxyConfig): Promise<ArtifactStore | undefined> {
  const settings = firstVersion === undefined ? {} : { firstVersion }
  if (artifacts === 'off') return undefined
  if (artifacts === 'memory') return createMemoryArtifactStore(settings)
  return openFileArtifactStore({ directory: artifacts, ...settings })
}
