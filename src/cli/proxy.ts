// `parley proxy`: stands between callers and agents, until it is told to stop.

import { Command, Option } from 'commander'
import { defined } from '../base/defined.ts'
import { BINDING_IDS, type BindingId } from '../dialects/dialect.ts'
import { originOf } from '../discovery/credentials.ts'
import { loadProxyConfig, type ProxyConfig, parseGenerations } from '../proxy/proxy-config.ts'
import type { TranslationLoss } from '../proxy/proxy-deps.ts'
import { type StartedProxy, startProxy } from '../proxy/start-proxy.ts'
import { parseAuthSpec } from '../server/auth/parse-auth-spec.ts'
import { jsonLog } from '../server/log.ts'
import { jsonText } from '../trace/json-text.ts'
import type { IfRecorded } from '../trace/record.ts'
import { watchCertificates } from './certificate-watch.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { endWithSpans } from './end-with-spans.ts'
import { collect, duration, grpcPort, httpUrl, oneOf, port, usage } from './flag-values.ts'
import { grpcurlLine, grpcurlTrust } from './grpcurl-line.ts'
import { ownCommand } from './invocation.ts'
import { logRequests } from './request-log.ts'
import { addServeTlsOptions, type ServeTlsFlags, serveTls, trustFlag } from './serve-tls.ts'
import { addStoreOptions, type StoreFlags } from './store-flags.ts'
import { terminalLine } from './terminal-text.ts'
import { untilStopped } from './until-stopped.ts'

interface ProxyFlags extends ServeTlsFlags, StoreFlags {
  config?: string
  port?: number
  host?: string
  grpcPort?: number | 'same'
  transport?: BindingId[]
  publicUrl?: string
  bearer?: string
  apiKey?: string
  apiKeyHeader?: string
  store?: string
  artifacts?: string
  translate?: string | true
  record?: string
  append?: boolean
  overwrite?: boolean
  idleTimeout?: number
  totalTimeout?: number
  cancelOnDisconnect?: boolean
  webOrigin?: string[]
  trustProxy?: string[]
  allowPrivateWebhooks?: boolean
  allowPrivateNetworks?: boolean
  allowPrivateUpstreams?: boolean
  askAfterCut?: boolean
  output: 'text' | 'json'
  quiet?: boolean
}

const EXAMPLES = `Examples:
  parley proxy localhost:9999/spec --port 8080
  parley proxy https://agent.example.com --bearer "$TOKEN" --record traffic.jsonl
  parley proxy localhost:9999/spec --translate 0.3,1.0
  parley proxy localhost:9999/spec --grpc-port 50051
  parley proxy localhost:9999/spec --store postgres://parley@db/parley --artifacts /shared/files
  parley proxy --config proxy.yaml
`

export function proxyCommand(io: CliIo = processIo, stopped: () => Promise<unknown> = untilStopped): Command {
  const command = new Command('proxy')
    .description('Proxy A2A calls: rewrites ids, adds credentials, stores files, translates protocol versions.')
    .argument('[upstream]', 'the agent: host, URL or card URL')
    .option('--config <file>', 'proxy.yaml with one or more agents, instead of <upstream>')
    .option('-p, --port <number>', 'port to listen on; 0 takes any free one; 8080 unless given', port)
    .option('--host <address>', 'address to listen on; 127.0.0.1 unless given')
    .option(
      '--grpc-port <port>',
      'serve gRPC too: the port of the first agent, the others above it; 0 takes free ones, same that of HTTP (TLS and one agent)',
      grpcPort,
    )
    .option(
      '--transport <binding>',
      `how to speak to the agent: ${BINDING_IDS.join(', ')}; repeatable; as its card prefers unless given`,
      collect(oneOf('--transport', BINDING_IDS)),
    )
    .option(
      '--public-url <url>',
      'base of the URLs in cards, when callers use another address',
      httpUrl('--public-url'),
    )
    .addOption(new Option('--bearer <token>', 'show the agent this bearer token').env('PARLEY_BEARER'))
    .addOption(new Option('--api-key <key>', 'show the agent this API key').env('PARLEY_API_KEY'))
    .option('--api-key-header <name>', 'the header of --api-key; X-API-Key unless given')
    .option('--store <store>', 'where tasks are stored: memory (default), sqlite:<file>, postgres://…, redis://…')
    .option('--artifacts <place>', 'where files go: memory (default), a folder, or off to let bytes pass')
    .option('--translate [versions]', 'also serve protocol versions the agent does not speak: 0.3,1.0; all when bare')
    .option('--record <file>', 'write every exchange with the agent to a new file, without secrets')
    .option('--append', 'continue the recording that --record names')
    .option('--overwrite', 'replace the recording that --record names')
    .option('--idle-timeout <duration>', 'a stream silent for so long has failed', duration('--idle-timeout'))
    .option('--total-timeout <duration>', 'an answer that takes longer has failed', duration('--total-timeout'))
    .option('--cancel-on-disconnect', 'cancel the task when the caller that streams it leaves')
    .option('--web-origin <origin>', 'a web page that may call the proxy; repeatable', collect(originOf))
    .option(
      '--trust-proxy <network>',
      'a reverse proxy in front, address or CIDR, whose X-Forwarded-For is trusted; repeatable',
      collect(String),
    )
    .option('--allow-private-webhooks', 'allow webhooks on this machine and in private networks')
    .option('--allow-private-networks', 'same as --allow-private-webhooks')
    .option(
      '--allow-private-upstreams',
      'allow cards that name other addresses on this machine and in private networks',
    )
    .option('--ask-after-cut', 'after a broken stream ask the agent what became of the task')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'print only the ready line, no requests')
    .addHelpText('before', EXAMPLES)
    .action((upstream: string | undefined, flags: ProxyFlags) => run(upstream, flags, io, stopped))
  addStoreOptions(command, 'time after which other proxies on the same store take over the tasks of a dead one: 5s')
  return addServeTlsOptions(command, MUTUAL)
}

const MUTUAL = "callers: ['mtls'] in the configuration"

async function run(
  upstream: string | undefined,
  flags: ProxyFlags,
  io: CliIo,
  stopped: () => Promise<unknown>,
): Promise<void> {
  const config = configOf(upstream, flags)
  const tls = serveTls({ ...flags, auth: (config.callers ?? []).map(parseAuthSpec) }, MUTUAL)
  const log = flags.quiet === true ? undefined : jsonLog((line) => io.err(line))
  const started = await startProxy(config, {
    ifRecorded: ifRecorded(config, flags),
    ...(log === undefined ? {} : { log }),
    ...(tls === undefined ? {} : { tls }),
    ...(config.translate === undefined ? {} : { onLoss: (loss) => io.err(lossLines(loss)) }),
  })
  const stopLog = flags.quiet === true || flags.output === 'json' ? () => {} : logRequests(io)
  io.out(await readyText(started, config, flags))
  const stopWatching = watchCertificates(
    flags,
    (renewed) => started.proxy.setTls(renewed),
    ({ event, message }) =>
      log === undefined
        ? io.err(`${message}\n`)
        : log(event === 'certificate-replaced' ? 'info' : 'error', event, { message }),
  )
  await stopped()
  stopWatching()
  await started.close()
  stopLog()
  await endWithSpans()
}

function ifRecorded({ record }: ProxyConfig, { append, overwrite }: ProxyFlags): IfRecorded {
  if (append === true && overwrite === true) throw usage('Give --append or --overwrite, not both.')
  const flag = append === true ? '--append' : '--overwrite'
  if (record === undefined && (append ?? overwrite) === true) throw usage(`${flag} needs --record FILE.`)
  return append === true ? 'append' : overwrite === true ? 'overwrite' : 'refuse'
}

/** The file first, flags over it. */
function configOf(upstream: string | undefined, flags: ProxyFlags): ProxyConfig {
  const base = baseOf(upstream, flags)
  const { host, publicUrl, store, storeSync, artifacts, record, grpcPort, transport: transports } = flags
  return {
    ...base,
    ...(transports === undefined ? {} : { agents: base.agents.map((agent) => ({ ...agent, transports })) }),
    ...defined({
      port: flags.port,
      host,
      grpcPort,
      publicUrl,
      store,
      storeSync,
      leaseMs: flags.lease,
      allowVolatile: flags.allowVolatile,
      artifacts,
      record,
      trustProxy: flags.trustProxy,
      webOrigins: flags.webOrigin,
    }),
    ...(flags.allowPrivateWebhooks || flags.allowPrivateNetworks ? { allowPrivateWebhooks: true } : {}),
    ...(flags.allowPrivateUpstreams === true ? { allowPrivateUpstreams: true } : {}),
    ...(flags.translate === undefined ? {} : { translate: parseGenerations(flags.translate) }),
  }
}

function baseOf(upstream: string | undefined, flags: ProxyFlags): ProxyConfig {
  if ((upstream === undefined) === (flags.config === undefined))
    throw usage(
      upstream === undefined
        ? 'Give an agent URL or --config proxy.yaml.'
        : 'Give an agent URL or --config proxy.yaml, not both.',
    )
  if (upstream === undefined) return loadProxyConfig(flags.config ?? '')
  const { bearer, apiKey, apiKeyHeader: header = 'X-API-Key', idleTimeout, totalTimeout } = flags
  if (bearer !== undefined && apiKey !== undefined) throw usage('Give --bearer or --api-key, not both.')
  const auth =
    bearer !== undefined
      ? { auth: { is: 'bearer' as const, token: bearer } }
      : apiKey !== undefined
        ? { auth: { is: 'api-key' as const, header, key: apiKey } }
        : {}
  const agent = {
    ...{ name: 'agent', url: upstream, ...auth },
    cancelOnDisconnect: flags.cancelOnDisconnect ?? false,
    askAfterCut: flags.askAfterCut ?? false,
    ...defined({ idleTimeoutMs: idleTimeout, totalTimeoutMs: totalTimeout }),
  }
  return { agents: [agent], faults: [] }
}

async function readyText({ url, proxy }: StartedProxy, config: ProxyConfig, flags: ProxyFlags): Promise<string> {
  const readiness = await proxy.readiness()
  const grpcAt = (path: string) => {
    const port = proxy.grpc.find((each) => each.path === path)?.port
    return port === undefined ? undefined : `${new URL(config.publicUrl ?? url).hostname}:${port}`
  }
  if (flags.output === 'json') {
    const agents = readiness.map((each, index) => ({ ...each, grpc: grpcAt(proxy.agents[index]?.paths[0] ?? '') }))
    return `${jsonText({ event: 'ready', url, agents })}\n`
  }
  if (flags.quiet === true) return `Listening on ${url}\n`
  const lines = proxy.agents.map(({ paths: [path = ''] }, index) => {
    const agent = readiness[index]
    const state = agent?.ready === true ? 'ready' : `not ready: ${terminalLine(agent?.detail ?? agent?.reason ?? '')}`
    const grpc = grpcAt(path)
    return `  ${url}${path}${grpc === undefined ? '' : `, gRPC ${grpc}`}  →  ${agent?.url ?? ''}  (${state})`
  })
  const first = grpcAt(proxy.agents[0]?.paths[0] ?? '')
  const files = config.artifacts ?? 'memory'
  return `Listening on ${url}

Agents:
${lines.join('\n')}

Files:    ${files === 'off' ? 'pass unchanged' : `kept in ${files}, passed on as artifact:// references`}
Ready?    curl${trustFlag('--cacert', flags)} ${url}/readyz
Try:      ${ownCommand()} send ${url}${proxy.agents[0]?.paths[0] ?? ''} "hello"${trustFlag('--ca-cert', flags)}
${first === undefined ? '' : `gRPC:     ${grpcurlLine(first, grpcurlTrust(flags))}\n`}
Ctrl-C stops the proxy.
`
}

function lossLines({ direction, operation, from, to, losses }: TranslationLoss): string {
  const way = direction === 'to-agent' ? 'to the agent' : 'to the caller'
  return losses
    .map(({ pointer, message }) => `lost ${way} (${operation}, ${from} → ${to}): ${pointer} ${terminalLine(message)}\n`)
    .join('')
}
