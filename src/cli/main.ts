// The command line: finds the command, loads only its module, and turns every way it can end into an exit code and
// one sentence. Nothing imports this file.

import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { EXIT } from '../model/errors.ts'
import { jsonText } from '../trace/json-text.ts'
import { applyConfiguration } from './configuration.ts'
import { describeFailure } from './failure.ts'

interface Entry {
  summary: string
  load(): Promise<() => Command>
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  test: {
    summary: 'certify an agent, with evidence for every finding',
    load: async () => (await import('./test.ts')).testCommand,
  },
  explain: {
    summary: 'what a check wants, why, and how it is tested',
    load: async () => (await import('./explain.ts')).explainCommand,
  },
  serve: {
    summary: 'start the reference agents on every protocol generation',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  send: {
    summary: 'send a message to any agent and print the answer',
    load: async () => (await import('./send.ts')).sendCommand,
  },
  inspect: {
    summary: 'show a card, what is wrong with it, and what is really spoken',
    load: async () => (await import('./inspect.ts')).inspectCommand,
  },
  mock: {
    summary: 'start an agent that follows a script, with faults and a journal',
    load: async () => (await import('./mock.ts')).mockCommand,
  },
  proxy: {
    summary: 'stand between callers and agents, with an artifact service',
    load: async () => (await import('./proxy.ts')).proxyCommand,
  },
  listen: {
    summary: 'receive push notifications, show them and check their shape',
    load: async () => (await import('./listen.ts')).listenCommand,
  },
  push: {
    summary: 'list push notifications that were given up, and replay them',
    load: async () => (await import('./push.ts')).pushCommand,
  },
  run: {
    summary: 'play declarative test cases through the proxy',
    load: async () => (await import('./run.ts')).runCommand,
  },
  demo: {
    summary: 'start the agents, talk to each in every way, print it, stop',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  completion: {
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => {
      const { completionCommand } = await import('./completion.ts')
      return () => completionCommand(loadAll)
    },
  },
}

async function loadAll(): Promise<Command[]> {
  return Promise.all(Object.entries(COMMANDS).map(async ([, { load }]) => (await load())()))
}

const EXAMPLES = `
Examples:
  parley test http://localhost:3000             certify your agent
  parley serve                                  reference agents on http://127.0.0.1:9999
  parley send localhost:9999/echo "hello"       talk to any agent
  parley inspect localhost:9999                 read its card
  parley demo                                   see it all work

parley <command> --help shows the options of a command.`

export async function main(argv: readonly string[]): Promise<void> {
  const wantsJson = asksForJson(argv)
  try {
    const program = await buildProgram(argv)
    if (argv.length === 0) {
      process.stdout.write(`${program.helpInformation()}${EXAMPLES}\n`)
      return
    }
    await program.parseAsync(
      argv.filter((word) => word !== '--debug'),
      { from: 'user' },
    )
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return
    const failure = describeFailure(error, argv.includes('--debug'))
    process.exitCode = failure.exitCode
    if (wantsJson) process.stdout.write(`${jsonText({ error: failure.error })}\n`)
    else process.stderr.write(failure.text)
  }
}

/** Loads the module of the command that is asked for; the others stand in as names, for help and suggestions. */
async function buildProgram(argv: readonly string[]): Promise<Command> {
  const program = new Command('parley')
    .description('The interoperability lab for A2A agents: certify, serve, mock and proxy.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .addHelpText('after', EXAMPLES)
    .option('--debug', 'print the stack of an unexpected failure')
    .showSuggestionAfterError()
  const asked = argv.find((word) => !word.startsWith('-'))
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = name === asked ? (await load())() : new Command(name)
    if (name === asked) await applyConfiguration(command, argv, Object.keys(COMMANDS))
    program.addCommand(settle(command.summary(summary)))
  }
  return settle(program)
}

/** Errors come back as exceptions, so that one place prints them. */
function settle(command: Command): Command {
  return command
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .showSuggestionAfterError()
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
}

function packageVersion(): string {
  const manifest = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}

function asksForJson(argv: readonly string[]): boolean {
  const at = argv.findIndex((word) => word === '-o' || word === '--output')
  return argv.includes('--output=json') || argv.includes('-ojson') || (at >= 0 && argv[at + 1] === 'json')
}

// `parley … | head` closes our output early; that is a reader that has seen enough, not a failure.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(process.exitCode)
  })

process.on('unhandledRejection', (reason) => {
  const failure = describeFailure(reason, process.argv.includes('--debug'))
  process.stderr.write(failure.text)
  process.exit(EXIT.bug)
})
