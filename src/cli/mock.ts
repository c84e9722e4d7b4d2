// `parley mock`: an agent that follows a script, until it is told to stop.

import { writeFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { defined } from '../base/defined.ts'
import { whyUnreadable } from '../base/why-unreadable.ts'
import { httpClientOf } from '../client/a2a-client.ts'
import { reachForTarget } from '../client/agent-reach.ts'
import { discover } from '../discovery/discover.ts'
import { describeEntry } from '../mock/journal.ts'
import { loadRecording } from '../mock/recording/load-recording.ts'
import { loadScript, parseScript } from '../mock/script/load-script.ts'
import { EMPTY_SCRIPT, type Script } from '../mock/script/script.ts'
import { scriptFromCard } from '../mock/script/script-from-card.ts'
import { MockServer } from '../mock/server.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { watchCertificates } from './certificate-watch.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { counted, port, usage, wholeNumber } from './flag-values.ts'
import { grpcurlLine, grpcurlTrust } from './grpcurl-line.ts'
import { ownCommand } from './invocation.ts'
import { addServeTlsOptions, type ServeTlsFlags, serveTls, trustFlag } from './serve-tls.ts'
import { attemptLine } from './target-options.ts'
import { untilStopped } from './until-stopped.ts'
import { FileWatch } from './watch-files.ts'

interface MockFlags extends ServeTlsFlags {
  fromRecording?: string
  fromCard?: string
  write?: string
  check?: boolean
  watch?: boolean
  strict?: boolean
  port: number
  host: string
  grpcPort?: number
  adminToken?: string
  output: 'text' | 'json'
  quiet?: boolean
}

export function mockCommand(io: CliIo = processIo, stopped: () => Promise<unknown> = untilStopped): Command {
  const command = new Command('mock')
    .description('Start an agent that answers as a script says, in every protocol version.')
    .argument(
      '[script]',
      'YAML file with rules, turns and faults; without one, messages carry their script as directives',
    )
    .option('--from-recording <file>', 'answer as a recording of parley proxy --record did, instead of a script')
    .option('--from-card <agent>', 'describe the mock as the card of this agent does; one rule answers everything')
    .option('--write <file>', 'with --from-card: write the script to a new file, to be edited, and stop')
    .option('--check', 'only read the script and say what is wrong with it')
    .option('--watch', 'read the script again when one of its files changes; running tasks continue')
    .option('--strict', 'exit 1 if a request matched no rule or `times` was not met')
    .option('-p, --port <number>', 'port to listen on; 0 takes any free one', port, 0)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--grpc-port <number>',
      'also serve gRPC on this port; 0 takes any free one',
      wholeNumber('--grpc-port', 0, 65_535),
    )
    .addOption(
      new Option('--admin-token <token>', 'token of the control interface; random unless given').env(
        'PARLEY_MOCK_TOKEN',
      ),
    )
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'do not print requests')
    .addHelpText(
      'before',
      'Examples:\n  parley mock agent.yaml\n  parley mock agent.yaml --check\n  parley mock agent.yaml --port 4000 --watch --strict\n  parley mock agent.yaml --grpc-port 50051\n  parley mock --from-recording traffic.jsonl\n  parley mock --from-card https://agent.example.com --write agent.yaml\n',
    )
    .action((script: string | undefined, flags: MockFlags) => run(script, flags, io, stopped))
  return addServeTlsOptions(command)
}

async function run(
  path: string | undefined,
  flags: MockFlags,
  io: CliIo,
  stopped: () => Promise<unknown>,
): Promise<void> {
  const sources = [path, flags.fromRecording, flags.fromCard].filter((source) => source !== undefined)
  if (sources.length > 1) throw usage('Give one of a script, --from-recording and --from-card.')
  if (flags.write !== undefined) return writeScript(flags, io)
  if (path === undefined && (flags.watch || (flags.check && flags.fromRecording === undefined)))
    throw new ParleyError('usage', `${flags.check ? '--check' : '--watch'} needs a script file.`, {
      exitCode: EXIT.usage,
    })
  const files = new Set<string>()
  const script = await scriptOf(path, flags, io, (file) => files.add(file))
  for (const note of notesIn(script)) io.err(`${note}\n`)
  if (flags.check) {
    io.out(inOrder(path ?? flags.fromRecording ?? '', script ?? EMPTY_SCRIPT, flags.output))
    return
  }
  const server = new MockServer({
    ...defined({ script, adminToken: flags.adminToken }),
    onFinished(entry) {
      if (!flags.quiet)
        io.err(`${describeEntry(entry)}${entry.unmatched === undefined ? '' : `: ${entry.unmatched.message}`}\n`)
    },
  })
  const tls = serveTls(flags)
  const { port, host, grpcPort } = flags
  await server.start({ port, host, ...defined({ tls, grpcPort }) })
  io.out(ready(server, flags))
  const watcher = path !== undefined && flags.watch ? reloadOnChange(path, files, server, io) : undefined
  const stopWatching = watchCertificates(
    flags,
    (renewed) => server.setTls(renewed),
    ({ message }) => io.err(`${message}\n`),
  )
  await stopped()
  stopWatching()
  watcher?.close()
  const problems = server.problems()
  await server.stop()
  for (const problem of problems) io.err(`${problem}\n`)
  if (flags.strict && problems.length > 0) io.exit(EXIT.failed)
}

async function cardScript(agent: string, io: CliIo): Promise<string> {
  const http = httpClientOf({}, reachForTarget(agent, {}))
  try {
    const { card, readings } = await discover(agent, { http, onAttempt: attemptLine((line) => io.err(line)) })
    if (card === undefined)
      throw new ParleyError('unreadable-card', 'The card cannot be read; parley inspect says why.')
    return scriptFromCard(card, readings[0]?.dialect ?? '1.0')
  } finally {
    http.close()
  }
}

async function writeScript({ fromCard, write = '' }: MockFlags, io: CliIo): Promise<void> {
  if (fromCard === undefined) throw usage('--write needs --from-card AGENT.')
  const script = await cardScript(fromCard, io)
  try {
    writeFileSync(write, script, { flag: 'wx' })
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw usage(isThere ? `There is a file ${write} already.` : `${write} cannot be written: ${whyUnreadable(error)}.`)
  }
  io.err(`Wrote ${write}; start it with: ${ownCommand()} mock ${write} --watch\n`)
}

async function scriptOf(
  path: string | undefined,
  flags: MockFlags,
  io: CliIo,
  onFile: (path: string) => void,
): Promise<Script | undefined> {
  if (flags.fromCard !== undefined) return parseScript(await cardScript(flags.fromCard, io), 'the script of the card')
  if (flags.fromRecording === undefined) return path === undefined ? undefined : loadScript(path, onFile)
  const recording = await loadRecording(flags.fromRecording)
  const { unfinished, skipped } = recording
  if (unfinished !== undefined && flags.strict)
    throw new ParleyError('recording-unfinished', `${unfinished} Record it again, or leave out --strict.`, {
      exitCode: EXIT.usage,
    })
  for (const line of [...(unfinished === undefined ? [] : [unfinished]), ...skipped]) io.err(`${line}\n`)
  return { ...EMPTY_SCRIPT, recording }
}

/** What is no mistake, but good to know. */
function notesIn(script: Script | undefined): string[] {
  const rules = script?.rules ?? []
  return rules.flatMap(({ id, conditions }) =>
    conditions.flatMap(({ note }) => (note === undefined ? [] : [`Rule '${id}': ${note}.`])),
  )
}

function inOrder(path: string, { rules, faults, recording }: Script, output: MockFlags['output']): string {
  const counts =
    recording === undefined
      ? { rules: rules.length, faults: faults.length }
      : {
          calls: recording.calls.length,
          skipped: recording.skipped.length,
          finished: recording.unfinished === undefined,
        }
  if (output === 'json') return `${JSON.stringify({ ok: true, ...counts })}\n`
  const what =
    recording === undefined
      ? `${counted(rules.length, 'rule')}, ${counted(faults.length, 'fault')}`
      : counted(recording.calls.length, 'call')
  return `${path} is valid: ${what}.\n`
}

function ready(server: MockServer, flags: MockFlags): string {
  const { url, adminToken, grpcAddress: grpc } = server
  if (flags.output === 'json')
    return `${JSON.stringify({ event: 'ready', url, adminUrl: `${url}/__parley/`, adminToken, grpc })}\n`
  return `Listening on ${url}

Card:     ${url}/.well-known/agent-card.json (0.3: ${url}/v0.3, 0.1: ${url}/v0.1)
Control:  curl${trustFlag('--cacert', flags)} -H 'Authorization: Bearer ${adminToken}' ${url}/__parley/journal
Try:      ${ownCommand()} send ${url} "hello"${trustFlag('--ca-cert', flags)}
${grpc === undefined ? '' : `gRPC:     ${grpcurlLine(grpc, grpcurlTrust(flags))}\n`}
Ctrl-C stops the mock.
`
}

/** A script that became wrong is reported and the last good one stays. */
function reloadOnChange(path: string, files: ReadonlySet<string>, server: MockServer, io: CliIo): FileWatch {
  const watch = new FileWatch(files, async () => {
    const read = new Set<string>()
    try {
      const script = loadScript(path, (file) => read.add(file))
      const { isAnew } = await server.adopt(script)
      watch.follow(read)
      const tasks = isAnew ? ' The agent is described differently, so its tasks were reset.' : ''
      io.err(`${path} was read again.${tasks}\n`)
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      // Also what the wrong script names, so that putting a missing file in place is noticed.
      watch.follow(read)
      io.err(`${error.message}\nThe previous script stays in use.\n`)
    }
  })
  return watch
}
