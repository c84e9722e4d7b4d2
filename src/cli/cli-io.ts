// Where a command reads and writes, so that tests run commands in-process. The result goes to stdout and nothing
// else does; progress and warnings go to stderr.

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
    return Buffer.concat(chunks).toString('utf8')
  },
  exit(code) {
    process.exitCode = code
  },
}
