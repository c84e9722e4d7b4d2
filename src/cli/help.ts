// `parley help`: the overview, the options of a command, or a topic that belongs to no single command.

import { Argument, Command } from 'commander'
import { didYouMean } from '../yaml/did-you-mean.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { COMMANDS } from './commands.ts'
import { TOPICS } from './help-topics.ts'
import { overview } from './overview.ts'
import { usage } from './target-options.ts'

export function helpCommand(io: CliIo = processIo): Command {
  return new Command('help')
    .description('Show the overview, the options of a command, or a topic.')
    .addArgument(new Argument('[topic]', `a command, or ${Object.keys(TOPICS).join(', ')}`))
    .addHelpText('before', 'Examples:\n  parley help test\n  parley help exit-codes\n')
    .action(async (topic: string | undefined) => io.out(await helpOn(topic)))
}

async function helpOn(topic: string | undefined): Promise<string> {
  if (topic === undefined) return overview()
  const entry = COMMANDS[topic]
  if (entry !== undefined) return helpText((await entry.load())().summary(entry.summary))
  const text = TOPICS[topic]
  if (text !== undefined) return text
  const known = [...Object.keys(COMMANDS), ...Object.keys(TOPICS)]
  throw usage(`There is no help on '${topic}'${didYouMean(topic, known)}`, `There is help on ${known.join(', ')}.`)
}

/** With its examples, which Commander prints only when it writes the help itself. */
function helpText(command: Command): string {
  let text = ''
  new Command('parley').addCommand(command)
  const writeOut = (words: string) => {
    text += words
  }
  command.configureOutput({ writeOut }).outputHelp()
  return text
}
