// `parley mock`: an agent that follows a script, until it is told to stop.

import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { Command, Option } from 'commander'
import { describeEntry } from '../mock/journal.ts'
import { loadRecording } from '../mock/recording/load-recording.ts'
import { loadScript } from '../mock/script/load-script.ts'
import { EMPTY_SCRIPT, type Script } from '../mock/script/script.ts'
import { MockServer } from '../mock/server.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { ownCommand } from './invocation.ts'
import { untilStopped } from './until-stopped.ts'

interface MockFlags {
  fromRecording?: string
  check?: boolean
  watch?: boolean
  strict?: boolean
  port: string
  host: string
  adminToken?: string
  output: 'text' | 'json'
  quiet?: boolean
}

/** Editors write a file in several steps; one reload is enough. */
const SETTLE_MS = 50

export function mockCommand(io: CliIo = processIo, stopped: () => Promise<unknown> = untilStopped): Command {
  return new Command('mock')
    .description('Start an agent that answers as a script says, on every protocol generation.')
    .argument(
      '[script]',
      'YAML file with rules, turns and faults; without one, messages carry their script as directives',
    )
    .option('--from-recording <file>', 'answer as a recording of parley proxy --record did, instead of a script')
    .option('--check', 'only read the script and say what is wrong with it')
    .option('--watch', 'read the script again when it changes')
    .option('--strict', 'exit with 1 when a request had no answer or the script was not followed')
    .option('-p, --port <number>', 'port to listen on; 0 takes any free one', '0')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .addOption(
      new Option('--admin-token <token>', 'token of the control interface; random unless given').env(
        'PARLEY_MOCK_TOKEN',
      ),
    )
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'do not print requests')
    .addHelpText(
      'before',
      'Examples:\n  parley mock agent.yaml\n  parley mock agent.yaml --check\n  parley mock agent.yaml --port 4000 --watch --strict\n  parley mock --from-recording traffic.jsonl\n',
    )
    .action((script: string | undefined, flags: MockFlags) => run(script, flags, io, stopped))
}

async function run(
  path: string | undefined,
  flags: MockFlags,
  io: CliIo,
  stopped: () => Promise<unknown>,
): Promise<void> {
  if (path !== undefined && flags.fromRecording !== undefined)
    throw new ParleyError('usage', 'Give a script or --from-recording, not both.', { exitCode: EXIT.usage })
  if (path === undefined && (flags.watch || (flags.check && flags.fromRecording === undefined)))
    throw new ParleyError('usage', `${flags.check ? '--check' : '--watch'} needs a script file.`, {
      exitCode: EXIT.usage,
    })
  const script = await scriptOf(path, flags, io)
  for (const note of notesIn(script)) io.err(`${note}\n`)
  if (flags.check) {
    io.out(inOrder(path ?? flags.fromRecording ?? '', script ?? EMPTY_SCRIPT, flags.output))
    return
  }
  const server = new MockServer({
    ...(script === undefined ? {} : { script }),
    ...(flags.adminToken === undefined ? {} : { adminToken: flags.adminToken }),
    onFinished(entry) {
      if (!flags.quiet)
        io.err(`${describeEntry(entry)}${entry.unmatched === undefined ? '' : `: ${entry.unmatched.message}`}\n`)
    },
  })
  await server.start({ port: portOf(flags.port), host: flags.host })
  io.out(ready(server, flags))
  const watcher = path !== undefined && flags.watch ? reloadOnChange(path, server, io) : undefined
  await stopped()
  watcher?.close()
  const problems = server.problems()
  await server.stop()
  for (const problem of problems) io.err(`${problem}\n`)
  if (flags.strict && problems.length > 0) io.exit(EXIT.failed)
}

async function scriptOf(path: string | undefined, flags: MockFlags, io: CliIo): Promise<Script | undefined> {
  if (flags.fromRecording === undefined) return path === undefined ? undefined : loadScript(path)
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
    recording === undefined ? `${rules.length} rules, ${faults.length} faults` : `${recording.calls.length} calls`
  return `${path} is in order: ${what}.\n`
}

function ready(server: MockServer, flags: MockFlags): string {
  const { url, adminToken } = server
  if (flags.output === 'json')
    return `${JSON.stringify({ event: 'ready', url, adminUrl: `${url}/__parley/`, adminToken })}\n`
  return `Listening on ${url}

Card:     ${url}/.well-known/agent-card.json (0.3: ${url}/v0.3, 0.1: ${url}/v0.1)
Control:  curl -H 'Authorization: Bearer ${adminToken}' ${url}/__parley/journal
Try:      ${ownCommand()} send ${url} "hello"

Ctrl-C stops the mock.
`
}

/** A script that became wrong is reported and the last good one stays. */
function reloadOnChange(path: string, server: MockServer, io: CliIo): FSWatcher {
  let settling: NodeJS.Timeout | undefined
  const reload = async (): Promise<void> => {
    try {
      await server.load(loadScript(path))
      io.err(`${path} was read again.\n`)
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      io.err(`${error.message}\nThe script before this change stays in use.\n`)
    }
  }
  return watch(dirname(path), { recursive: true }, () => {
    clearTimeout(settling)
    settling = setTimeout(() => void reload(), SETTLE_MS)
  })
}

function portOf(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new ParleyError('usage', `--port takes a whole number from 0 to 65535, not "${text}".`, {
    exitCode: EXIT.usage,
  })
}
