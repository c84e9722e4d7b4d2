// `parley serve`: the reference agents, or an agent of the user's own, on one port, until it is told to stop.

import { Command, Option } from 'commander'
import { type ReferenceOptions, referenceAgents } from '../agents/reference.ts'
import { defined } from '../base/defined.ts'
import { SPEC_REVISIONS, type SpecRevision } from '../dialects/dialect.ts'
import { EXIT } from '../model/errors.ts'
import { AUTH_SPEC_FORMS, parseAuthSpec } from '../server/auth/parse-auth-spec.ts'
import { isSignableAddress, newSigningKey } from '../server/card-signing.ts'
import { jsonLog } from '../server/log.ts'
import { createServer, type ServerOptions } from '../server/server.ts'
import { loadAgentModule } from './agent-module.ts'
import { watchCertificates } from './certificate-watch.ts'
import { processIo } from './cli-io.ts'
import { endWithSpans } from './end-with-spans.ts'
import { describeFailure } from './failure.ts'
import { collect, duration, grpcPort, httpUrl, port, usage, wholeNumber } from './flag-values.ts'
import { forwardWith } from './forward.ts'
import { thrown } from './import-failure.ts'
import { itkCallWith } from './itk-call.ts'
import { logRequests } from './request-log.ts'
import { agentsAt, overview } from './serve-overview.ts'
import { addServeTlsOptions, certificateWarning, type ServeTlsFlags, serveTls } from './serve-tls.ts'
import { newsChannel, serveWatched } from './serve-watch.ts'
import { addStoreOptions, type StoreFlags } from './store-flags.ts'
import { terminalLine } from './terminal-text.ts'
import { untilStopped } from './until-stopped.ts'

interface ServeFlags extends ServeTlsFlags, StoreFlags {
  port: number
  host: string
  store: string
  grpcPort?: number | 'same'
  publicUrl?: string
  specRevision?: SpecRevision
  relayTo?: string
  allowRelayTargets?: boolean
  allowPrivateRelay?: boolean
  allowPrivateWebhooks?: boolean
  allowPrivateIssuers?: boolean
  allowPrivateNetworks?: boolean
  requireExtension?: string
  trustProxy?: string[]
  root?: string
  maxTasks?: number
  maxTasksKept?: number
  retain?: number
  watch?: boolean
  loadTimeout: number
  output: 'text' | 'json'
  quiet?: boolean
}

export const DEFAULT_PORT = 9999

const EXAMPLES = `Examples:
  parley serve
  parley serve my-agent.ts --watch
  parley serve --port 0 --store sqlite:tasks.db
  parley serve --grpc-port 50051
  parley serve --root tck --allow-private-webhooks
  parley serve --tls-cert server.pem --tls-key server.key
  parley serve --tls-cert server.pem --tls-key server.key --auth mtls --tls-client-ca clients.pem
`

export function serveCommand(): Command {
  const command = new Command('serve')
    .description('Start the reference agents of every protocol version, or your own agent, on one port.')
    .argument(
      '[file]',
      'TypeScript or JavaScript module of your agent: its default export is an agent function, { card, agent }, or the options of createServer',
    )
    .option('--watch', 'start your agent again when one of its files changes')
    .option('--load-timeout <duration>', 'how long your module may take to load', duration('--load-timeout'), 10_000)
    .option('-p, --port <number>', 'port to listen on; 0 takes any free one', port, DEFAULT_PORT)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--grpc-port <port>',
      'serve gRPC too: the port of the first agent, the others above it; 0 takes free ones, same that of HTTP (TLS and one agent)',
      grpcPort,
    )
    .option('--store <store>', 'where tasks are stored: memory, sqlite:<file>, postgres://…, redis://…', 'memory')
    .option(
      '--public-url <url>',
      'base of the URLs in cards, when clients use another address',
      httpUrl('--public-url'),
    )
    .addOption(
      new Option('--spec-revision <revision>', 'the 1.0 release /tck speaks').choices(SPEC_REVISIONS.toReversed()),
    )
    .option('--relay-to <url>', 'the agent /relay sends its messages to')
    .option(
      '--allow-relay-targets',
      'let messages to /relay and /itk name the agent to forward to, at public addresses',
    )
    .option('--allow-private-relay', 'the same, also on this machine and in private networks')
    .option('--allow-private-webhooks', 'allow webhooks on this machine and in private networks')
    .option('--allow-private-networks', 'same as --allow-private-webhooks')
    .option('--allow-private-issuers', 'allow the keys of an --auth issuer at another private address than the issuer')
    .option(
      '--root <mount>',
      'the agent that is also served at the root of the host, for test kits that look for its card there',
      'spec',
    )
    .option('--require-extension <uri>', 'an extension /tck requires of its clients')
    .option('--auth <scheme>', `who may call /secure (repeatable): ${AUTH_SPEC_FORMS}`, collect(parseAuthSpec))
    .option(
      '--trust-proxy <network>',
      'a reverse proxy, address or CIDR, whose X-Forwarded-For is trusted; repeatable',
      collect(String),
    )
  addTaskOptions(command)
  command
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'print only the ready line, no requests')
    .addHelpText('before', EXAMPLES)
    .action((file: string | undefined, flags: ServeFlags) => serve(file, flags, command))
  return addServeTlsOptions(command, '--auth mtls')
}

/** How many tasks, and how long. */
function addTaskOptions(command: Command): void {
  addStoreOptions(command, 'time after which other replicas fail the tasks of a dead replica: 5s')
  command
    .option('--max-tasks <number>', 'how many tasks may run at once', wholeNumber('--max-tasks', 1))
    .option(
      '--max-tasks-kept <number>',
      'how many tasks are kept, those that changed last (memory: 100000, other stores: all)',
      wholeNumber('--max-tasks-kept', 1),
    )
    .option(
      '--retain <duration>',
      'delete tasks so long after their last change, unless they are being worked on: 30d',
      duration('--retain', 1_000, 36_500),
    )
}

async function serve(file: string | undefined, flags: ServeFlags, command: Command): Promise<void> {
  const isGiven = (name: keyof ServeFlags) => !['default', undefined].includes(command.getOptionValueSource(name))
  if (file === undefined && flags.watch) throw usage('--watch needs the file of your agent.')
  if (file !== undefined) refuseReferenceFlags(isGiven)
  if (file !== undefined && flags.watch) {
    await serveWatched(file, process.argv.slice(1), (line) => process.stderr.write(line))
    return
  }
  const tls = serveTls(flags)
  const tellWatcher = newsChannel()
  const served =
    file === undefined ? referenceServer(flags) : await ownServer(file, flags, (path) => tellWatcher?.({ file: path }))
  const store = isGiven('store') || served.store === undefined ? flags.store : served.store
  const log = served.log ?? jsonLog()
  const server = createServer({
    ...served,
    log,
    store,
    ...serverOptions(flags),
    ...(tls === undefined ? {} : { tls }),
  })
  const { url, port } = await server.listen({ port: flags.port, host: flags.host })
  const stopLog = flags.quiet === true || flags.output === 'json' ? () => {} : logRequests(processIo)
  tellWatcher?.({ port })
  const base = (flags.publicUrl ?? served.publicUrl)?.replace(/\/+$/, '') ?? url
  const warning = tls === undefined ? undefined : certificateWarning(tls.cert, base)
  if (warning !== undefined) process.stderr.write(`Warning: ${terminalLine(warning)}\n`)
  const agents = agentsAt(base, server.agents, server.grpc)
  if (flags.output === 'json') print(JSON.stringify({ event: 'ready', url, agents }))
  else {
    print(`Listening on ${url}`)
    if (!flags.quiet && keepsEverything(store, served, flags))
      print('Every task is kept; --retain 30d or --max-tasks-kept 100000 delete old ones.')
    if (!flags.quiet) print(overview(base, agents, { tls: flags, isOwn: file !== undefined }))
  }
  const stopWatching = watchCertificates(
    flags,
    (renewed) => server.setTls(renewed),
    ({ event, message }) => log(event === 'certificate-replaced' ? 'info' : 'error', event, { message }),
  )
  await untilStopped()
  stopWatching()
  await server.close()
  stopLog()
  await endWithSpans()
}

function referenceServer(flags: ServeFlags): ServerOptions {
  return { agents: referenceAgents(referenceOptions(flags)) }
}

/** What the module says about the server holds unless a flag says otherwise. */
async function ownServer(file: string, { auth, loadTimeout }: ServeFlags, onFile: (path: string) => void) {
  const options = await loadAgentModule(file, { timeoutMs: loadTimeout, onFile })
  // From here on an uncaught error is the agent's.
  process.prependListener('unhandledRejection', (reason) => {
    const { text } = describeFailure(thrown(`${file} left a rejected promise unhandled`, reason))
    process.stderr.write(text)
    process.exit(EXIT.failed)
  })
  return auth === undefined ? options : { ...options, agents: options.agents.map((agent) => ({ ...agent, auth })) }
}

const OF_REFERENCE_AGENTS = {
  specRevision: '--spec-revision',
  relayTo: '--relay-to',
  allowRelayTargets: '--allow-relay-targets',
  allowPrivateRelay: '--allow-private-relay',
  root: '--root',
  requireExtension: '--require-extension',
} as const

function refuseReferenceFlags(isGiven: (name: keyof ServeFlags) => boolean): void {
  for (const [name, flag] of Object.entries(OF_REFERENCE_AGENTS))
    if (isGiven(name as keyof ServeFlags))
      throw usage(`${flag} is for the reference agents, not for an agent of your own.`)
}

function serverOptions(flags: ServeFlags): Partial<ServerOptions> {
  return {
    ...defined({
      allowPrivateWebhooks: flags.allowPrivateWebhooks ?? flags.allowPrivateNetworks,
      allowPrivateIssuers: flags.allowPrivateIssuers,
      storeSync: flags.storeSync,
      allowVolatile: flags.allowVolatile,
      trustProxy: flags.trustProxy,
      publicUrl: flags.publicUrl,
      leaseMs: flags.lease,
      maxConcurrentTasks: flags.maxTasks,
      maxTasksKept: flags.maxTasksKept,
      retainMs: flags.retain,
    }),
    ...(flags.grpcPort === undefined ? {} : { grpc: { port: flags.grpcPort } }),
  }
}

/** Whoever leaves a server running should know that its store grows. */
function keepsEverything(store: ServerOptions['store'], served: ServerOptions, flags: ServeFlags): boolean {
  const { retain = served.retainMs, maxTasksKept = served.maxTasksKept } = flags
  return typeof store === 'string' && store !== 'memory' && retain === undefined && maxTasksKept === undefined
}

function referenceOptions(flags: ServeFlags): ReferenceOptions {
  return {
    relay: {
      target: flags.relayTo,
      allowsChosenTargets: flags.allowRelayTargets ?? flags.allowPrivateRelay ?? false,
      forward: forwardWith({ allowsPrivate: flags.allowPrivateRelay ?? false }),
    },
    itk: {
      allowsCalls: flags.allowRelayTargets ?? flags.allowPrivateRelay ?? false,
      call: itkCallWith({ allowsPrivate: flags.allowPrivateRelay ?? false }),
    },
    ...(isSignableAddress(flags.publicUrl, flags.host) ? { signing: { key: newSigningKey() } } : {}),
    ...(flags.auth === undefined ? {} : { auth: flags.auth }),
    ...(flags.specRevision === undefined ? {} : { revision: flags.specRevision }),
    ...(flags.root === undefined ? {} : { root: flags.root }),
    ...(flags.requireExtension === undefined ? {} : { requiredExtension: flags.requireExtension }),
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
