// `parley ui`: the inspector in a browser, until it is told to stop.

import { spawn } from 'node:child_process'
import { Command, Option } from 'commander'
import { resolveTarget } from '../discovery/target.ts'
import { Inspector } from '../inspector/inspector.ts'
import { isLoopback } from '../net/guard/loopback.ts'
import { reachOf } from '../net/guard/reach.ts'
import { jsonText } from '../trace/json-text.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { collect, port, usage } from './flag-values.ts'
import { addTargetOptions, clientOptions, type TargetFlags } from './target-options.ts'
import { untilStopped } from './until-stopped.ts'

interface UiFlags extends TargetFlags {
  port: number
  host: string
  allowOthers?: boolean
  privateNetworks: boolean
  recording?: string[]
  fleet?: string
  open: boolean
  output: 'text' | 'json'
}

const EXAMPLES = `Examples:
  parley ui                                      the inspector, on any free port
  parley ui localhost:9999/spec                  with an agent opened
  parley ui https://a.example --bearer "$TOKEN"  the token stays in this process
  parley ui --recording traffic.jsonl            what a proxy records, as it is written
  parley ui --no-open --port 8123                only print the address
`

export function uiCommand(io: CliIo = processIo, stopped: () => Promise<unknown> = untilStopped): Command {
  const command = new Command('ui')
    .description('Opens the inspector in a browser: connect to agents, talk to them, see every byte, test them.')
    .argument('[agent]', 'host, URL, card URL or card file to open at once')
    .option('-p, --port <number>', 'port to listen on; 0 takes any free one', port, 0)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--allow-others', 'listen beyond this machine, where others can try to get in')
    .option(
      '--recording <file>',
      'show this recording, also while parley proxy --record writes it; repeatable',
      collect(String),
    )
    .option('--fleet <store>', 'show the fleet of this store: an SQLite file or postgres://…')
    .option('--no-private-networks', 'call public addresses only, whatever is typed in the page')
    .option('--no-open', 'only print the address')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText('before', EXAMPLES)
    .action((agent: string | undefined) => ui(agent, command.opts<UiFlags>(), io, stopped))
  return addTargetOptions(command)
}

async function ui(
  agent: string | undefined,
  flags: UiFlags,
  io: CliIo,
  stopped: () => Promise<unknown>,
): Promise<void> {
  const { host } = flags
  if (host !== 'localhost' && !isLoopback(host) && flags.allowOthers !== true)
    throw usage(
      `${host} can be reached from other machines, and whoever gets hold of the link can use your agents' credentials.`,
      'Leave out --host, or add --allow-others if you mean it.',
    )
  // A mistyped path is told here, not by the page.
  if (agent !== undefined) resolveTarget(agent, { hasCredentials: false })
  const options = clientOptions(flags, (line) => io.err(`${line}\n`))
  const isGuarded = !flags.privateNetworks || flags.allowOthers === true
  const fleet = flags.fleet === undefined ? undefined : await openFleetPage(flags.fleet)
  const inspector = new Inspector({
    ...(fleet === undefined ? {} : { fleet: fleet.view }),
    ...{ port: flags.port, host, recordings: flags.recording ?? [] },
    ...(isGuarded ? { reach: reachOf({ named: flags.allowOrigin ?? [] }) } : {}),
    onError: (error) =>
      io.err(`The inspector could not answer a request: ${error instanceof Error ? error.message : String(error)}\n`),
  })
  const { url } = await inspector.start()
  if (flags.allowOthers === true)
    io.err(
      'Other machines can reach this inspector, without TLS: whoever sees the traffic can use your agents with your credentials. ' +
        "They use this machine's address in the place of 127.0.0.1. Agents at private addresses are not called.\n",
    )
  if (agent !== undefined) inspector.lab.open(agent, { kind: 'none' }, [], options)
  const link = inspector.link()
  if (flags.output === 'json') io.out(`${jsonText({ event: 'ready', url, link })}\n`)
  else
    io.out(
      `The inspector is at\n\n  ${link}\n\nThe link works once; press Enter for another. Ctrl-C stops the inspector.\n`,
    )
  if (flags.open && flags.output === 'text') openBrowser(link, io)
  const onLine = () => io.out(`\n  ${inspector.link()}\n\n`)
  const isTyped = process.stdin.isTTY === true
  if (isTyped) process.stdin.on('data', onLine)
  await stopped()
  if (isTyped) process.stdin.off('data', onLine).pause()
  await inspector.close()
  await fleet?.close()
}

/** The store stays open: each look is one as of then. */
async function openFleetPage(spec: string) {
  const { openFleet } = await import('../fleet/open-fleet.ts')
  const { ResultBook } = await import('../fleet/result-book.ts')
  const { fleetView } = await import('../fleet/page-view.ts')
  const store = await openFleet(spec, { mustExist: true })
  const book = new ResultBook(store.db)
  return { view: async () => fleetView(book, await book.fleet(undefined)), close: () => store.close() }
}

const OPENERS: { readonly [platform: string]: readonly [string, ...string[]] } = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** The address is printed in any case, so a machine without a browser only misses the convenience. */
function openBrowser(link: string, io: CliIo): void {
  if (process.stdout.isTTY !== true) return
  const [program, ...words] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...words, link], { stdio: 'ignore', detached: true })
  const explain = () => io.err('No browser could be opened here; open the address above yourself.\n')
  child.once('error', explain)
  child.once('exit', (code) => {
    if (code !== 0) explain()
  })
  child.unref()
}
