// `--format` and what goes with it, the same for every command that makes or shows a run.

import type { Command } from 'commander'
import { FORMATS } from '../report/formats.ts'
import { json } from '../report/json.ts'
import type { ReportFormat } from '../report/reporter.ts'
import { Reporting, type WantedReport } from '../report/reporting.ts'
import { styleFor } from '../report/style.ts'
import { terminal } from '../report/terminal.ts'
import { loadRun } from '../run/load-run.ts'
import { didYouMean } from '../yaml/did-you-mean.ts'
import type { CliIo } from './cli-io.ts'
import { collect, usage } from './flag-values.ts'
import { ownCommand } from './invocation.ts'

export interface FormatFlag {
  format: ReportFormat
  file: string | undefined
}

export interface ReportFlags {
  format?: FormatFlag[]
  compare?: string
  output: 'text' | 'json'
  quiet?: boolean
  verbose?: boolean
  color?: boolean
}

export function addFormatOption(command: Command): Command {
  const names = FORMATS.map(({ name }) => name)
  return command
    .option(
      '--format <format[:file]>',
      `${names.slice(0, -1).join(', ')} or ${names.at(-1)}, to stdout or a file; repeatable`,
      collect(parseFormat),
    )
    .option('--compare <run>', 'an older run record or JSON report that an HTML page compares this run with')
}

/** What was asked for, and the text for a person: on stdout, or beside a document there on stderr. */
export function openReporting(
  flags: ReportFlags,
  io: CliIo,
  { more = [], isBeside = true }: { more?: readonly WantedReport[]; isBeside?: boolean } = {},
): Reporting {
  const wanted: WantedReport[] = [...(flags.format ?? []), ...more]
  if (flags.output === 'json') wanted.push({ format: json, file: undefined })
  const toStdout = wanted.filter(({ file }) => file === undefined)
  if (toStdout.length > 1)
    throw usage('Only one --format can go to stdout; give the others a file: --format junit:out.xml')
  const isPrinted = toStdout.length === 0
  if (isPrinted) wanted.push({ format: terminal, file: undefined })
  else if (isBeside && flags.quiet !== true && !toStdout.some(({ format }) => format === terminal))
    wanted.push({ format: terminal, file: undefined, toStderr: true })
  return new Reporting(wanted, {
    out: io.out,
    err: io.err,
    style: styleFor(wantsColour(flags, isPrinted && process.stdout.isTTY === true)),
    verbose: flags.verbose === true,
    quiet: flags.quiet === true,
    command: ownCommand(),
    ...(flags.compare === undefined ? {} : { before: loadRun(flags.compare).run }),
  })
}

export function wantsColour({ color = true }: ReportFlags, isTty: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env
  if (!color || (NO_COLOR !== undefined && NO_COLOR !== '') || TERM === 'dumb') return false
  return isTty || (FORCE_COLOR !== undefined && FORCE_COLOR !== '0')
}

/** The names of the flags that were typed; their values may be secret. */
export function flagNames(argv: readonly string[] = process.argv.slice(2)): string[] {
  return argv.filter((word) => word.startsWith('--') && word !== '--').map((word) => word.split('=', 1)[0] ?? word)
}

function parseFormat(text: string): FormatFlag {
  const [name = '', ...rest] = text.split(':')
  const format = FORMATS.find((known) => known.name === name)
  const names = FORMATS.map((known) => known.name)
  if (format === undefined)
    throw usage(
      `--format takes ${names.join(', ')}, not ${JSON.stringify(name)}.${didYouMean(name, names).replace(/^[;,] did/, ' Did')}`,
    )
  const file = rest.join(':')
  return { format, file: file === '' ? undefined : file }
}
