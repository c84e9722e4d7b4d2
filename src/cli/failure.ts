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

export function describeFailure(error: unknown, withStack = false): Failure {
  const failure = classify(error)
  const stack = withStack && error instanceof Error && error.stack !== undefined ? `${error.stack}\n` : ''
  const hint = failure.error.hint === undefined ? '' : `${failure.error.hint}\n`
  return { ...failure, text: `parley: ${failure.error.message}\n${hint}${stack}` }
}

function classify(error: unknown): Omit<Failure, 'text'> {
  if (error instanceof ParleyError) {
    const hint = error.hint === undefined ? {} : { hint: error.hint }
    return { exitCode: error.exitCode, error: { code: error.code, message: error.message, ...hint } }
  }
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '')
    const hint = `Run ${ownCommand()} --help, or ${ownCommand()} <command> --help, to see what there is.`
    return { exitCode: EXIT.usage, error: { code: 'usage', message, hint } }
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
