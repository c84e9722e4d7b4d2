// `parley matrix`: who works with whom. Every client of a file talks to every server of it, through a tap that keeps the
// bytes and says whose are wrong.

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { markKnown, runOfMatrix } from '../matrix/matrix-run.ts'
import { clientsOf, serversOf } from '../matrix/peers.ts'
import { planMatrix } from '../matrix/plan.ts'
import { runMatrix } from '../matrix/run-matrix.ts'
import { EXIT } from '../model/errors.ts'
import { peerBadges } from '../report/badge.ts'
import { beginRun } from '../run/begin-run.ts'
import { loadRun } from '../run/load-run.ts'
import type { Run, RunResult } from '../run/run.ts'
import { readMatrix } from '../scenario/matrix/matrix-shape.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { collect, duration } from './flag-values.ts'
import { interruptible } from './interruptible.ts'
import { addFormatOption, flagNames, openReporting, type ReportFlags } from './report-options.ts'

interface MatrixFlags extends ReportFlags {
  only?: string[]
  resume?: string
  badges?: string
  timeout?: number
}

const EXAMPLES = `Examples:
  parley matrix matrix.yaml
  parley matrix matrix.yaml --format html:matrix.html --format run:matrix.jsonl
  parley matrix matrix.yaml --only 'js→python' --only stream
  parley matrix matrix.yaml --resume matrix.jsonl
`

export function matrixCommand(io: CliIo = processIo): Command {
  const command = new Command('matrix')
    .description('Run every client against every server; where a pair does not work, say which side is wrong.')
    .argument('<file>', 'matrix.yaml: servers, clients, versions, bindings, known failures')
    .option('--only <pair>', "'client→server', a client, a server or a conversation; repeatable", collect(String))
    .option('--resume <run>', 'go on with an interrupted run: what its record holds is not tried again')
    .option('--badges <dir>', 'write a badge for each client and server into this folder, as SVG')
    .option('--timeout <duration>', 'for each conversation (15s, or what the file says)', duration('--timeout'))
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'print only failures and the summary')
    .option('-v, --verbose', 'print evidence in full')
    .addHelpText('before', EXAMPLES)
    .action((file: string) => matrix(file, command.opts<MatrixFlags>(), io))
  return addFormatOption(command)
}

async function matrix(path: string, flags: MatrixFlags, io: CliIo): Promise<void> {
  const file = readMatrix(path)
  const folder = (cwd: string | undefined) => resolve(dirname(path), cwd ?? '.')
  const plan = planMatrix({ clients: clientsOf(file, folder), servers: serversOf(file, folder) }, file, flags.only)
  const done = flags.resume === undefined ? undefined : doneIn(flags.resume)
  const reporting = openReporting(flags, io)
  const header = beginRun({ kind: 'matrix', flags: flagNames(), files: [path] })
  const startedMs = performance.now()
  const results: RunResult[] = []
  reporting.begin(header)
  reporting.plan({ total: plan.cells.length * plan.conversations.length })
  const { stop, exitCode, release } = interruptible()
  const timeoutMs = flags.timeout ?? file.timeout
  try {
    await runMatrix(plan, {
      signal: stop,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(done !== undefined && { done }),
      onResult: (found) => {
        const result = markKnown(found, file.known ?? [])
        results.push(result)
        reporting.result(result)
      },
    })
  } finally {
    release()
  }
  const durationMs = Math.round(performance.now() - startedMs)
  const ending = { durationMs, complete: !stop.aborted, known: file.known ?? [], exitCode: exitCode() }
  const run = runOfMatrix(header, results, ending)
  await reporting.end(run)
  if (flags.badges !== undefined) await writeBadges(flags.badges, run)
  if (run.footer.exitCode !== EXIT.ok) io.exit(run.footer.exitCode)
}

/** Names of peers are names of files: the file of the matrix allows nothing else. */
async function writeBadges(folder: string, run: Run): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, svg] of peerBadges(run)) await writeFile(join(folder, `${name}.svg`), svg)
}

/** Known failures are marked anew, since the file may have changed. */
function doneIn(path: string): ReadonlyMap<string, RunResult> {
  const { results } = loadRun(path).run
  return new Map(
    results.map((result) => [
      result.key,
      result.verdict === 'known' ? { ...result, verdict: 'fail', status: 'fail' } : result,
    ]),
  )
}
