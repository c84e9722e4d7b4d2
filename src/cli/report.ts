// `parley report`: a stored run once more, in any format, without calling anybody.

import { Command, Option } from 'commander'
import { loadRun } from '../run/load-run.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { addFormatOption, openReporting, type ReportFlags } from './report-options.ts'

const EXAMPLES = `Examples:
  parley report run.jsonl                              what was printed at the end of the run
  parley report run.jsonl --format markdown            in another format, on stdout
  parley report parley-report.json --format junit:out.xml
`

export function reportCommand(io: CliIo = processIo): Command {
  const command = new Command('report')
    .description(
      'Shows a stored run again: a run record (--format run:FILE), also one that is still being written, or a JSON report.',
    )
    .argument('<run>', 'run record or JSON report')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'only failures')
    .option('--verbose', 'show all findings')
    .option('--no-color', 'no colors')
    .addHelpText('before', EXAMPLES)
    .action((file: string, flags: ReportFlags) => report(file, flags, io))
  return addFormatOption(command)
}

async function report(file: string, flags: ReportFlags, io: CliIo): Promise<void> {
  const { run, arrival, total } = loadRun(file)
  // A document on stdout was asked for; the text beside it would be a repetition.
  const reporting = openReporting(flags, io, { isBeside: false })
  reporting.begin(run.header)
  for (const agent of run.agents) reporting.agent(agent)
  if (total !== undefined) reporting.plan({ total })
  for (const result of arrival) reporting.result(result)
  await reporting.end(run)
}
