// One command from its words to its end: loads only the module of the command that is asked for, and turns every way it
// can end into an exit code and one sentence.

import { Command, CommanderError } from 'commander'
import { packageVersion } from '../base/package-version.ts'
import { EXIT } from '../model/errors.ts'
import { jsonText } from '../trace/json-text.ts'
import { COMMANDS } from './commands.ts'
import { applyConfiguration } from './configuration.ts'
import { refuseEnvironmentProxy } from './environment-proxy.ts'
import { describeFailure } from './failure.ts'

export async function runWords(argv: readonly string[]): Promise<void> {
  const wantsJson = asksForJson(argv)
  try {
    if (argv[0] === '__complete') {
      const { answerCompletion } = await import('./answer-completion.ts')
      process.stdout.write(await answerCompletion(argv.slice(1)))
      return
    }
    const { program, words } = await buildProgram(argv)
    refuseEnvironmentProxy(words)
    await program.parseAsync(
      words.filter((word) => word !== '--debug'),
      { from: 'user' },
    )
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return
    const failure = describeFailure(error, { withStack: argv.includes('--debug'), command: commandIn(argv) })
    process.exitCode = failure.exitCode
    if (wantsJson) process.stdout.write(`${jsonText({ error: failure.error })}\n`)
    else process.stderr.write(failure.text)
  }
}

/** Loads the module of the command that is asked for; the others stand in as names, for help and suggestions. */
async function buildProgram(argv: readonly string[]): Promise<{ program: Command; words: readonly string[] }> {
  const program = new Command('parley')
    .description('The interoperability lab for A2A agents: certify, serve, mock and proxy.')
    .version(packageVersion(), '-v, --version', 'print the version')
    .option('--debug', 'print the stack of an unexpected failure')
    // After the name of a command, -v is that command's.
    .enablePositionalOptions()
    .showSuggestionAfterError()
  const asked = argv.find((word) => !word.startsWith('-'))
  let words = argv
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = name === asked ? (await load())() : new Command(name)
    if (name === asked) words = await applyConfiguration(command, argv, Object.keys(COMMANDS))
    program.addCommand(settle(command.summary(summary)))
  }
  return { program: settle(program), words }
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

function commandIn(argv: readonly string[]): string {
  const asked = argv.find((word) => !word.startsWith('-')) ?? ''
  return asked in COMMANDS ? asked : ''
}

function asksForJson(argv: readonly string[]): boolean {
  const at = argv.findIndex((word) => word === '-o' || word === '--output')
  return argv.includes('--output=json') || argv.includes('-ojson') || (at >= 0 && argv[at + 1] === 'json')
}

process.on('unhandledRejection', (reason) => {
  const failure = describeFailure(reason, { withStack: process.argv.includes('--debug') })
  process.stderr.write(failure.text)
  process.exit(EXIT.bug)
})
