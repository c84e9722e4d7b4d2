// The command line. What needs no command is answered at once; everything else is loaded when it is asked for. Nothing
// imports this file.

import { packageVersion } from '../base/package-version.ts'
import { EXIT } from '../model/errors.ts'
import { COMMANDS, summaries } from './commands.ts'
import { watchOutput } from './output-failure.ts'
import { overview } from './overview.ts'

const HELP: ReadonlySet<string> = new Set(['--help', '-h'])
const VERSION: ReadonlySet<string> = new Set(['--version', '-v'])

export async function main(typed: readonly string[]): Promise<void> {
  const words = withCommand(typed)
  const [first = '--help'] = words
  if (HELP.has(first)) process.stdout.write(overview(summaries()))
  else if (VERSION.has(first) && words.length === 1) process.stdout.write(`${packageVersion()}\n`)
  else await run(words)
}

async function run(words: readonly string[]): Promise<void> {
  process.once('exit', reportUnfinished)
  const { runWords } = await import('./run-words.ts')
  await runWords(words)
  process.off('exit', reportUnfinished)
}

/** Node ends when nothing is left to wait for, also in the middle of a command, and calls that success. */
function reportUnfinished(): void {
  if (process.exitCode !== undefined) return
  process.stderr.write('This is a bug in Parley: the command ended before it was done.\n')
  process.exitCode = EXIT.bug
}

/** An address alone asks the question most people come with: is this agent all right? */
function withCommand(typed: readonly string[]): readonly string[] {
  const [first = '', second = ''] = typed
  if (first === 'help' && second in COMMANDS) return [second, '--help']
  if (first === '-V') return ['--version', ...typed.slice(1)]
  const isAddress = /^https?:\/\//i.test(first) || /^[\w.-]+:\d+(?:\/|$)/.test(first)
  return isAddress ? ['test', '--quick', ...typed] : typed
}

watchOutput()
