// `parley grade --listen` and `--serve`: the scenarios wait for a client that is driven by hand; Ctrl-C ends them and
// says what was seen.

import { WaitingScenarios } from '../grade/by-hand.ts'
import { gradeResult, runOfGrade } from '../grade/grade-run.ts'
import { planOf, type Selection } from '../grade/plan.ts'
import { surfaceKey } from '../grade/scenario.ts'
import { EXIT } from '../model/errors.ts'
import { beginRun } from '../run/begin-run.ts'
import type { CliIo } from './cli-io.ts'
import { counted } from './flag-values.ts'
import type { GradeFlags } from './grade.ts'
import { flagNames, openReporting } from './report-options.ts'
import { untilStopped } from './until-stopped.ts'

export async function gradeByHand(selection: Selection, flags: GradeFlags, io: CliIo): Promise<void> {
  const reporting = openReporting(flags, io)
  const header = beginRun({ kind: 'clients', flags: flagNames(), target: 'a client driven by hand' })
  const waiting = await WaitingScenarios.open(
    planOf(selection),
    flags.listen ?? 0,
    ({ scenario, surface, stage, intent }) => {
      io.err(`${scenario.id} (${surfaceKey(surface)})  ${stage.target}\n`)
      io.err(`    ${scenario.about}  Intent: ${JSON.stringify(intent)}\n`)
    },
  )
  const count = counted(waiting.scenarios.length, 'scenario')
  io.err(`${count} waiting; point your client at them, then press Ctrl-C for the verdict.\n`)
  reporting.begin(header)
  await untilStopped()
  io.err('\n')
  const done = waiting.grade()
  const strict = flags.strict === true
  for (const result of done.results) reporting.result(gradeResult(result, strict))
  await waiting.close()
  await reporting.end(runOfGrade(done, header, { strict, isWhole: false }))
  if (done.exitCode !== EXIT.ok) io.exit(done.exitCode)
}
