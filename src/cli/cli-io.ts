// Where a command reads and writes, so that tests run commands in-process. The result goes to stdout and nothing
// else does; progress and warnings go to stderr.

import { EXIT, ParleyError } from '../model/errors.ts'

export interface CliIo {
  out(text: string): void
  err(text: string): void
  stdin(): Promise<string>
  /** Set when the command did its work and the answer is still not the one hoped for. */
  exit(code: number): void
}

export const processIo: CliIo = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  async stdin() {
    const chunks: Buffer[] = []
    for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
    } catch {
      throw new ParleyError('not-utf-8', 'Standard input is not UTF-8 text, and would arrive changed.', {
        exitCode: EXIT.usage,
        hint: 'Convert it with iconv, or attach the bytes as they are with --file.',
      })
    }
  },
  exit(code) {
    process.exitCode = code
  },
}
