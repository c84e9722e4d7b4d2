// `parley diff`: what changed between two stored runs. Exit code 1 when something got worse, so that CI can ask.

import { Command, Option } from 'commander'
import { EXIT } from '../model/errors.ts'
import { comparisonText } from '../report/comparison-text.ts'
import { styleFor } from '../report/style.ts'
import { compareRuns } from '../run/compare-runs.ts'
import { loadRun } from '../run/load-run.ts'
import { jsonText } from '../trace/json-text.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { usage } from './flag-values.ts'
import { type ReportFlags, wantsColour } from './report-options.ts'

const EXAMPLES = `Examples:
  parley diff yesterday.jsonl today.jsonl     new failures, repaired, level and score; 1 when something got worse
  parley diff main-report.json run.jsonl -o json
`

export function diffCommand(io: CliIo = processIo): Command {
  return new Command('diff')
    .description('Says what changed from one stored run to the next: run records or JSON reports.')
    .argument('<before>', 'the older run')
    .argument('<after>', 'the newer run')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('--verbose', 'show everything that changed, and what still fails')
    .option('--no-color', 'no colors')
    .addHelpText('before', EXAMPLES)
    .action((before: string, after: string, flags: ReportFlags) => diff(before, after, flags, io))
}

function diff(before: string, after: string, flags: ReportFlags, io: CliIo): void {
  const [old, now] = [loadRun(before).run, loadRun(after).run]
  if (old.header.kind !== now.header.kind)
    throw usage(
      `${before} is a run of ${old.header.kind} and ${after} one of ${now.header.kind}; compare runs of one kind.`,
    )
  const comparison = compareRuns(old, now)
  const style = styleFor(wantsColour(flags, process.stdout.isTTY === true))
  if (flags.output === 'json') io.out(`${jsonText(comparison, 2)}\n`)
  else io.out(comparisonText(comparison, { style, verbose: flags.verbose === true }))
  io.exit(comparison.isWorse ? EXIT.failed : EXIT.ok)
}
