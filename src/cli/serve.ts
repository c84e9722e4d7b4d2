// `parley serve`: the reference agents on one port, until it is told to stop.

import { Command, Option } from 'commander'
import { type ReferenceOptions, referenceAgents } from '../agents/reference.ts'
import { SPEC_REVISIONS, type SpecRevision } from '../dialects/dialect.ts'
import { AUTH_SPEC_FORMS, parseAuthSpec } from '../server/auth/parse-auth-spec.ts'
import { isSignableAddress, newSigningKey } from '../server/card-signing.ts'
import { jsonLog } from '../server/log.ts'
import { createServer } from '../server/server.ts'
import { processIo } from './cli-io.ts'
import { collect, duration, httpUrl, port, wholeNumber } from './flag-values.ts'
import { forwardWith } from './forward.ts'
import { ownCommand } from './invocation.ts'
import { itkCallWith } from './itk-call.ts'
import { logRequests } from './request-log.ts'
import { addServeTlsOptions, certificateWarning, type ServeTlsFlags, serveTls, trustFlag } from './serve-tls.ts'
import { terminalLine } from './terminal-text.ts'
import { untilStopped } from './until-stopped.ts'

interface ServeFlags extends ServeTlsFlags {
  port: number
  host: string
  store: string
  grpcPort?: number
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
  allowVolatile?: boolean
  maxTasks?: number
  maxTasksKept?: number
  retain?: number
  lease?: number
  output: 'text' | 'json'
  quiet?: boolean
}

export const DEFAULT_PORT = 9999

const EXAMPLES = `Examples:
  parley serve
  parley serve --port 0 --store sqlite:tasks.db
  parley serve --grpc-port 50051
  parley serve --root tck --allow-private-webhooks
  parley serve --tls-cert server.pem --tls-key server.key
  parley serve --tls-cert server.pem --tls-key server.key --auth mtls --tls-client-ca clients.pem
`

export function serveCommand(): Command {
  const command = new Command('serve')
    .description('Start the reference agents of every protocol version on one port.')
    .option('-p, --port <number>', 'port to listen on; 0 takes any free one', port, DEFAULT_PORT)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--grpc-port <number>',
      'serve gRPC, too: the port of the first agent, the others above it; 0 takes free ones',
      port,
    )
    .option('--store <store>', 'where tasks live: memory, sqlite:<file>, postgres://…, redis://…', 'memory')
    .option(
      '--public-url <url>',
      'base of the URLs in cards, when clients use another address',
      httpUrl('--public-url'),
    )
    .addOption(
      new Option('--spec-revision <revision>', 'the 1.0 release /tck speaks').choices(SPEC_REVISIONS.toReversed()),
    )
    .option('--relay-to <url>', 'the agent /relay sends its messages to')
    .option('--allow-relay-targets', 'let messages to /relay and /itk choose the agent they go to, at public addresses')
    .option('--allow-private-relay', 'the same, also on this machine and in private networks')
    .option('--allow-private-webhooks', 'let webhooks of callers live on this machine and in private networks')
    .option('--allow-private-networks', 'another name of --allow-private-webhooks')
    .option(
      '--allow-private-issuers',
      'let the keys of an --auth issuer live at another private address than the issuer',
    )
    .option(
      '--root <mount>',
      'the agent that is also at the root of the host, for kits that look for its card there',
      'spec',
    )
    .option('--require-extension <uri>', 'an extension /tck requires of its clients')
    .option('--auth <scheme>', `who may call /secure (repeatable): ${AUTH_SPEC_FORMS}`, collect(parseAuthSpec))
    .option(
      '--trust-proxy <network>',
      'a reverse proxy, address or CIDR, whose word counts about who calls; repeatable',
      collect(String),
    )
    .option('--allow-volatile', 'accept a Redis store without persistence')
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
    .option(
      '--lease <duration>',
      'time after which other replicas fail the tasks of a dead replica: 5s',
      duration('--lease', 100),
    )
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'print only the ready line, no requests')
    .addHelpText('before', EXAMPLES)
    .action((flags: ServeFlags) => serve(flags))
  return addServeTlsOptions(command)
}

async function serve(flags: ServeFlags): Promise<void> {
  const tls = serveTls(flags)
  const server = createServer({
    agents: referenceAgents(referenceOptions(flags)),
    store: flags.store,
    log: jsonLog(),
    allowPrivateWebhooks: flags.allowPrivateWebhooks ?? flags.allowPrivateNetworks ?? false,
    allowPrivateIssuers: flags.allowPrivateIssuers ?? false,
    allowVolatile: flags.allowVolatile ?? false,
    ...(tls === undefined ? {} : { tls }),
    ...(flags.grpcPort === undefined ? {} : { grpc: { port: flags.grpcPort } }),
    ...(flags.trustProxy === undefined ? {} : { trustProxy: flags.trustProxy }),
    ...(flags.publicUrl === undefined ? {} : { publicUrl: flags.publicUrl }),
    ...(flags.lease === undefined ? {} : { leaseMs: flags.lease }),
    ...(flags.maxTasks === undefined ? {} : { maxConcurrentTasks: flags.maxTasks }),
    ...(flags.maxTasksKept === undefined ? {} : { maxTasksKept: flags.maxTasksKept }),
    ...(flags.retain === undefined ? {} : { retainMs: flags.retain }),
  })
  const stopLog = flags.quiet === true || flags.output === 'json' ? () => {} : logRequests(processIo)
  const { url } = await server.listen({ port: flags.port, host: flags.host })
  const base = flags.publicUrl?.replace(/\/+$/, '') ?? url
  const warning = tls === undefined ? undefined : certificateWarning(tls.cert, base)
  if (warning !== undefined) process.stderr.write(`Warning: ${terminalLine(warning)}\n`)
  const agents = agentsAt(base, server.agents, server.grpc)
  if (flags.output === 'json') print(JSON.stringify({ event: 'ready', url, agents }))
  else {
    print(`Listening on ${url}`)
    if (!flags.quiet && keepsEverything(flags))
      print('Every task is kept; --retain 30d or --max-tasks-kept 100000 delete old ones.')
    if (!flags.quiet) print(overview(base, agents, flags))
  }
  await untilStopped()
  await server.close()
  stopLog()
}

/** Whoever leaves a server running should know that its store grows. */
function keepsEverything({ store, retain, maxTasksKept }: ServeFlags): boolean {
  return store !== 'memory' && retain === undefined && maxTasksKept === undefined
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

interface ListedAgent {
  path: string
  card: string
  /** `host:port`, where gRPC is served. */
  grpc?: string
}

function agentsAt(
  base: string,
  agents: readonly { path: string; cardPath: string }[],
  grpc: readonly { path: string; port: number }[],
): ListedAgent[] {
  return agents
    .map(({ path, cardPath }) => {
      const port = grpc.find((each) => each.path === path)?.port
      const listed = { path: path || '/', card: base + cardPath }
      return port === undefined ? listed : { ...listed, grpc: `${new URL(base).hostname}:${port}` }
    })
    .sort((a, b) => a.path.localeCompare(b.path))
}

function overview(base: string, agents: readonly ListedAgent[], flags: ServeTlsFlags): string {
  const trust = trustFlag('--ca-cert', flags)
  const width = Math.max(...agents.map(({ path }) => path.length))
  const rows = agents.map(
    ({ path, card, grpc }) => `  ${path.padEnd(width)}  ${card}${grpc === undefined ? '' : `  gRPC ${grpc}`}`,
  )
  const grpc = agents.find(({ path }) => path === '/echo')?.grpc
  const grpcurl = grpc === undefined ? '' : `\n  ${grpcurlLine(grpc, flags)}`
  return `
Agents and their cards:
${rows.join('\n')}

Try one of these in another terminal:
  curl -s${trustFlag('--cacert', flags)} ${base}/echo -H 'Content-Type: application/json' -H 'A2A-Version: 1.0' -d '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hello"}]}}}'${grpcurl}
  ${ownCommand()} send ${base}/spec "streaming please" --stream${trust}
  ${ownCommand()} test ${base}/spec${trust}

Ctrl-C stops the server.`
}

function grpcurlLine(address: string, flags: ServeTlsFlags): string {
  const trust = flags.tlsCert === undefined ? ' -plaintext' : trustFlag('-cacert', flags)
  const message = `{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hello"}]}}`
  return `grpcurl${trust} -H 'a2a-version: 1.0' -d '${message}' ${address} lf.a2a.v1.A2AService/SendMessage`
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
