// What a person, or a program, learns when a command fails: one sentence, what to do, and the exit code.

import { CommanderError } from 'commander'
import { A2AError, EXIT, ParleyError } from '../model/errors.ts'
import { ownCommand } from './invocation.ts'
import { terminalLine } from './terminal-text.ts'

export interface Failure {
  exitCode: number
  error: { code: string; message: string; hint?: string }
  /** For stderr, with a line break at the end. */
  text: string
}

/** `command` is the one that was asked for, to name its help. */
export function describeFailure(error: unknown, { withStack = false, command = '' } = {}): Failure {
  const failure = classify(error, command)
  const stack = withStack && error instanceof Error && error.stack !== undefined ? `${error.stack}\n` : ''
  const hint = failure.error.hint === undefined ? '' : `${failure.error.hint}\n`
  return { ...failure, text: `parley: ${failure.error.message}\n${hint}${stack}` }
}

function classify(error: unknown, command: string): Omit<Failure, 'text'> {
  if (error instanceof ParleyError) {
    const hint = error.hint === undefined ? {} : { hint: error.hint }
    return { exitCode: error.exitCode, error: { code: error.code, message: error.message, ...hint } }
  }
  if (error instanceof CommanderError) {
    const message = error.message
      .replace(/^error: /, '')
      // Commander compares with the names of commands alone.
      .replace(/^(unknown command '(get|list|cancel|follow)')(?:\n.*)?$/s, '$1\n(Did you mean task $2?)')
    return { exitCode: EXIT.usage, error: { code: 'usage', message, hint: usageHint(error, command) } }
  }
  if (error instanceof A2AError) {
    const message = terminalLine(`The agent answered ${error.label}: ${error.message}`)
    if (error.kind === 'Unauthenticated' || error.kind === 'PermissionDenied') {
      const hint =
        'Give credentials with --bearer TOKEN, --api-key KEY, -H "Name: value", or --client-cert FILE and --client-key FILE.'
      return { exitCode: EXIT.unauthenticated, error: { code: error.kind, message, hint } }
    }
    return { exitCode: EXIT.failed, error: { code: error.label, message } }
  }
  const message = `This is a bug in Parley: ${error instanceof Error ? error.message : String(error)}`
  return {
    exitCode: EXIT.bug,
    error: { code: 'bug', message, hint: 'Run it again with --debug and report what it prints.' },
  }
}

/** Commands that take a text of several words, which a shell hands over as one only in quotes. */
const TAKES_TEXT: ReadonlySet<string> = new Set(['send'])

function usageHint({ code }: CommanderError, command: string): string {
  if (command === '') return `Run ${ownCommand()} --help to see the commands.`
  const quotes =
    code === 'commander.excessArguments' && TAKES_TEXT.has(command) ? 'Put a text of several words in quotes. ' : ''
  return `${quotes}Run ${ownCommand()} ${command} --help to see its arguments and options.`
}
