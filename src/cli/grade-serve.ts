// `parley grade --listen` and `--serve`: the scenarios wait for a client that somebody drives by hand; Ctrl-C ends them and
// says what was seen.

import { gradeResult, runOfGrade } from '../grade/grade-run.ts'
import type { ClientExit } from '../grade/graded-client.ts'
import { type Planned, planOf, type Selection } from '../grade/plan.ts'
import { judgeClaims } from '../grade/run-scenario.ts'
import { surfaceKey } from '../grade/scenario.ts'
import { Stage } from '../grade/stage.ts'
import { EXIT } from '../model/errors.ts'
import { beginRun } from '../run/begin-run.ts'
import type { CliIo } from './cli-io.ts'
import { counted } from './flag-values.ts'
import type { GradeFlags } from './grade.ts'
import { flagNames, openReporting } from './report-options.ts'
import { untilStopped } from './until-stopped.ts'

/** How it ended is known to whoever drove it. */
const UNKNOWN: ClientExit = {
  ...{ code: undefined, isTimeout: false, isUnknown: true, durationMs: 0 },
  ...{ outcome: undefined, stdout: '', stderr: '' },
}

export async function gradeByHand(selection: Selection, flags: GradeFlags, io: CliIo): Promise<void> {
  const reporting = openReporting(flags, io)
  const header = beginRun({ kind: 'clients', flags: flagNames(), target: 'a client driven by hand' })
  const startedMs = performance.now()
  const stages = await open(planOf(selection), flags.listen ?? 0, io)
  reporting.begin(header)
  await untilStopped()
  io.err('\n')
  const results = stages
    .filter(({ stage }) => stage.calls.length > 0)
    .flatMap(({ planned, stage }) => judgeClaims(planned.scenario, stage, UNKNOWN, 0))
  for (const result of results) reporting.result(gradeResult(result, flags.strict === true))
  await Promise.all(stages.map(({ stage }) => stage.close()))
  const isFailed = results.some(({ verdict }) => verdict === 'fail')
  const exitCode = isFailed ? EXIT.failed : results.length === 0 ? EXIT.inconclusive : EXIT.ok
  const done = { results, complete: true, durationMs: Math.round(performance.now() - startedMs), exitCode }
  await reporting.end(runOfGrade(done, header, { strict: flags.strict === true, isWhole: false }))
  if (exitCode !== EXIT.ok) io.exit(exitCode)
}

async function open(plan: readonly Planned[], port: number, io: CliIo) {
  const stages: { planned: Planned; stage: Stage }[] = []
  try {
    for (const [at, planned] of plan.entries()) {
      const stage = await Stage.open(planned.scenario, planned.surface, port === 0 ? 0 : port + at)
      stages.push({ planned, stage })
      const intent = await planned.scenario.intent(stage)
      io.err(`${planned.scenario.id} (${surfaceKey(planned.surface)})  ${stage.target}\n`)
      io.err(`    ${planned.scenario.about}  Intent: ${JSON.stringify(intent)}\n`)
    }
  } catch (error) {
    await Promise.all(stages.map(({ stage }) => stage.close()))
    throw error
  }
  io.err(
    `${counted(stages.length, 'scenario')} waiting; point your client at them, then press Ctrl-C for the verdict.\n`,
  )
  return stages
}
