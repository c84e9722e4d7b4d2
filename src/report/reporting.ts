// All reports of one run: opened before it begins, told what happens, written when it ends. Documents are written whole
// or not at all; what cannot be written goes to stdout, because results are never lost.

import { closeSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, parse } from 'node:path'
import { EXIT, ParleyError } from '../model/errors.ts'
import { documentOf } from '../run/json-documents.ts'
import type { Run, RunAgent, RunHeader, RunResult } from '../run/run.ts'
import { jsonText } from '../trace/json-text.ts'
import type { ReportContext, ReportDocument, Reporter, ReportFormat } from './reporter.ts'

/** A format and where it goes: a file, or stdout. */
export interface WantedReport {
  format: ReportFormat
  file: string | undefined
  /** For people beside a machine's document on stdout. */
  toStderr?: boolean
}

export interface ReportingOptions extends Omit<ReportContext, 'append' | 'file' | 'files'> {
  out(text: string): void
  err(text: string): void
}

interface Open {
  wanted: WantedReport
  reporter: Reporter
  stream: FileStream | undefined
}

export class Reporting {
  readonly #options: ReportingOptions
  readonly #files: string[] = []
  readonly #agents: RunAgent[] = []
  readonly #open: Open[]

  constructor(wanted: readonly WantedReport[], options: ReportingOptions) {
    this.#options = options
    this.#open = wanted.map((one) => this.#start(one))
  }

  begin(header: RunHeader): void {
    for (const { reporter } of this.#open) reporter.begin?.(header)
  }

  agent(agent: RunAgent): void {
    this.#agents.push(agent)
    for (const { reporter } of this.#open) reporter.agent?.(agent)
  }

  plan(plan: { total: number }): void {
    for (const { reporter } of this.#open) reporter.plan?.(plan)
  }

  result(result: RunResult): void {
    for (const { reporter } of this.#open) reporter.result?.(result)
  }

  /** Files first, so that what is printed can name them. */
  async end(ended: Run): Promise<void> {
    // Those that were told on the way, as a record has them.
    const run = { ...ended, agents: this.#agents }
    for (const one of this.#open.filter(({ wanted }) => wanted.file !== undefined)) await this.#writeFile(one, run)
    for (const { wanted, reporter } of this.#open) {
      if (wanted.file !== undefined) continue
      const print = wanted.toStderr === true ? this.#options.err : this.#options.out
      for (const { text } of documentsOf(reporter.end?.(run))) print(text)
    }
  }

  #start(wanted: WantedReport): Open {
    const { format, file } = wanted
    const stream = file === undefined ? undefined : new FileStream(file)
    const print = wanted.toStderr === true ? this.#options.err : this.#options.out
    const append = stream === undefined ? print : (text: string) => stream.append(text)
    const reporter = format.open({ ...this.#options, file, files: this.#files, append })
    return { wanted, reporter, stream }
  }

  async #writeFile({ wanted: { file = '' }, reporter, stream }: Open, run: Run): Promise<void> {
    const documents = documentsOf(reporter.end?.(run))
    try {
      if (stream?.isUsed === true) {
        stream.close()
        this.#files.push(file)
      }
      for (const { suffix, text } of documents) {
        const name = documents.length === 1 ? file : withSuffix(file, suffix)
        await writeAtomically(name, text)
        this.#files.push(name)
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#options.err(`The report ${file} could not be written (${why}); here are the raw results.\n`)
      this.#options.out(`${jsonText(documentOf(run))}\n`)
    }
  }
}

/** A file that grows. It is made at its first line; what goes wrong later is told at the end. */
class FileStream {
  readonly #path: string
  #descriptor: number | undefined
  #failure: Error | undefined

  constructor(path: string) {
    this.#path = path
  }

  get isUsed(): boolean {
    return this.#descriptor !== undefined
  }

  /** One write for one text: whoever ends this process leaves whole lines. */
  append(text: string): void {
    this.#descriptor ??= openNew(this.#path)
    if (this.#failure !== undefined) return
    try {
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at)
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
    }
  }

  /** Throws what went wrong on the way. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    if (this.#failure !== undefined) throw this.#failure
  }
}

/** In place of an older one, which whoever reads it keeps. */
function openNew(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true })
    if (isSpecial(path)) return openSync(path, 'w')
    rmSync(path, { force: true })
    return openSync(path, 'wx', 0o600)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new ParleyError('report-unwritable', `The report ${path} cannot be written (${why}); name another file.`, {
      exitCode: EXIT.usage,
      cause,
    })
  }
}

function documentsOf(said: string | readonly ReportDocument[] | undefined): readonly ReportDocument[] {
  return typeof said === 'string' ? [{ suffix: '', text: said }] : (said ?? [])
}

function withSuffix(file: string, suffix: string): string {
  const { dir, name, ext } = parse(file)
  const own = `${name}-${suffix}${ext}`
  return dir === '' ? own : `${dir}/${own}`
}

/** A pipe or a device is written to; renaming a file onto it would take it away from the system. */
function isSpecial(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

async function writeAtomically(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  await mkdir(dirname(path), { recursive: true })
  if (isSpecial(path)) return writeFile(path, text)
  try {
    await writeFile(temporary, text, { mode: 0o600 })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
