// `parley run`: plays declarative test cases against a scripted agent, the proxy and the artifact service.

import { writeFile } from 'node:fs/promises'
import { Command, Option } from 'commander'
import { BINDING_IDS } from '../bindings/registry.ts'
import type { BindingId, DialectId } from '../dialects/dialect.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { renderJson, renderJunit, renderResult, renderSummary } from '../scenario/cases/render-cases.ts'
import { loadCases, type RunOptions, runCases } from '../scenario/cases/run-cases.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { counted } from './flag-values.ts'

interface RunFlags {
  tag?: string[]
  generation?: DialectId[]
  binding?: BindingId[]
  mode?: 'streaming' | 'blocking' | 'both'
  junit?: string
  json?: string
  check?: boolean
  output: 'text' | 'json'
  quiet?: boolean
}

const EXAMPLES = `Examples:
  parley run cases/*.yaml
  parley run suites/proxy --tag artifacts --junit results.xml
  parley run case.yaml --generation 0.3 1.0 --mode both
`

export function runCommand(io: CliIo = processIo): Command {
  return new Command('run')
    .description('Play declarative test cases against a scripted agent, the proxy and the artifact service.')
    .argument('<files...>', 'case files, or folders of them')
    .option('--tag <tags...>', 'only cases with one of these tags')
    .addOption(
      new Option('--generation <generations...>', 'speak these instead of what the cases say').choices([
        '0.1',
        '0.3',
        '1.0',
      ]),
    )
    .addOption(new Option('--binding <bindings...>', 'use these instead').choices(BINDING_IDS))
    .addOption(new Option('--mode <mode>', 'stream, wait, or both, instead').choices(['streaming', 'blocking', 'both']))
    .option('--check', 'only read the files and say what is wrong with them')
    .option('--junit <file>', 'also write the results as JUnit XML')
    .option('--json <file>', 'also write the results as JSON')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'print only failures and the summary')
    .addHelpText('before', EXAMPLES)
    .action((files: string[], flags: RunFlags) => run(files, flags, io))
}

async function run(files: string[], flags: RunFlags, io: CliIo): Promise<void> {
  if (flags.check === true) {
    const cases = loadCases(files)
    io.out(
      flags.output === 'json'
        ? `${JSON.stringify({ ok: true, cases: cases.length })}\n`
        : `${counted(cases.length, 'case')}, all valid.\n`,
    )
    return
  }
  const isText = flags.output === 'text'
  const report = await runCases(files, {
    ...optionsOf(flags),
    onResult(result) {
      if (isText && (flags.quiet !== true || result.outcome === 'failed')) io.out(renderResult(result))
    },
  })
  io.out(isText ? renderSummary(report) : renderJson(report))
  if (flags.junit !== undefined) await write(flags.junit, renderJunit(report))
  if (flags.json !== undefined) await write(flags.json, renderJson(report))
  if (report.results.some(({ outcome }) => outcome === 'failed')) io.exit(EXIT.failed)
}

function optionsOf({ tag, generation, binding, mode }: RunFlags): RunOptions {
  return {
    ...(tag === undefined ? {} : { tags: tag }),
    variants: {
      ...(generation === undefined ? {} : { generation }),
      ...(binding === undefined ? {} : { binding }),
      ...(mode === undefined ? {} : { streaming: mode === 'both' ? [true, false] : [mode === 'streaming'] }),
    },
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text)
  } catch (cause) {
    throw new ParleyError('report-unwritable', `The results cannot be written to ${path}; check the folder.`, { cause })
  }
}
