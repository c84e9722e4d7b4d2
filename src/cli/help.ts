// `parley help`: the overview, or a topic that belongs to no single command. Help on a command is that command's own.

import { Argument, Command } from 'commander'
import { didYouMean } from '../yaml/did-you-mean.ts'
import { type CliIo, processIo } from './cli-io.ts'
import type { Summaries } from './commands.ts'
import { usage } from './flag-values.ts'
import { TOPICS } from './help-topics.ts'
import { overview } from './overview.ts'

export function helpCommand(commands: Summaries, io: CliIo = processIo): Command {
  return new Command('help')
    .description('Show the overview, the options of a command, or a topic.')
    .addArgument(new Argument('[topic]', `a command, or ${Object.keys(TOPICS).join(', ')}`))
    .addHelpText('before', 'Examples:\n  parley help test\n  parley help exit-codes\n')
    .action((topic: string | undefined) => io.out(helpOn(topic, commands)))
}

function helpOn(topic: string | undefined, commands: Summaries): string {
  if (topic === undefined) return overview(commands)
  const text = TOPICS[topic]
  if (text !== undefined) return text
  const known = [...Object.keys(commands), ...Object.keys(TOPICS)]
  throw usage(`There is no help on '${topic}'${didYouMean(topic, known)}`, `There is help on ${known.join(', ')}.`)
}
