// The standard streams of a command under test.

import type { Command } from 'commander'
import type { CliIo } from '../../src/cli/cli-io.ts'

export interface CommandRun {
  out: string
  err: string
  exitCode: number
}

/** Runs one command in this process; what it throws is the caller's. */
export async function runCommand(
  build: (io: CliIo) => Command,
  args: readonly string[],
  stdin = '',
): Promise<CommandRun> {
  const run: CommandRun = { out: '', err: '', exitCode: 0 }
  const io: CliIo = {
    out(text) {
      run.out += text
    },
    err(text) {
      run.err += text
    },
    stdin: async () => stdin,
    exit(code) {
      run.exitCode = code
    },
  }
  await build(io).exitOverride().parseAsync(args, { from: 'user' })
  return run
}
