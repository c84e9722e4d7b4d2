// Grades one client twice, as `parley grade` would: a harness in one process for both runs, a command in one for each
// scenario.

import { commandClient } from '../../src/grade/clients/command-client.ts'
import { harnessClient } from '../../src/grade/clients/harness-client.ts'
import { gradeClient } from '../../src/grade/grade.ts'
import { runOfGrade } from '../../src/grade/grade-run.ts'
import type { GradedClient } from '../../src/grade/graded-client.ts'
import { beginRun } from '../../src/run/begin-run.ts'
import type { Run } from '../../src/run/run.ts'
import { jsonText } from '../../src/trace/json-text.ts'
import { filledIn } from './build.ts'
import type { ClosedDoor } from './closed-door.ts'
import { type ClientEntry, type Folder, rulingsFor } from './corpus.ts'
import { type Judged, keepReport, RUNS } from './judged.ts'
import { settle } from './settle.ts'

const DEFAULTS = { timeoutMs: 10_000, concurrency: 4 }

export async function gradeFolderClient(folder: Folder, entry: ClientEntry, door: ClosedDoor): Promise<Judged> {
  const client = await openClient(folder, entry, door)
  const runs: Run[] = []
  try {
    for (let run = 1; run <= RUNS; run++) {
      const header = beginRun({ kind: 'clients', flags: [], target: `${folder.name}/${entry.name}` })
      const { timeout = DEFAULTS.timeoutMs, concurrency = DEFAULTS.concurrency } = entry
      const grade = await gradeClient(client, { timeoutMs: timeout, concurrency })
      const done = runOfGrade(grade, header, { strict: false, isWhole: true })
      runs.push(done)
      await keepReport(`${folder.name}-${entry.name}-${run}.json`, `${jsonText(done, 2)}\n`)
    }
  } finally {
    await client.close()
  }
  const results = runs.map((run) => run.results)
  return {
    ...{ folder: folder.name, role: 'client', peer: entry.name, problems: client.problems?.slice() ?? [] },
    runs: runs.map(({ footer }) => ({
      level: footer.conformanceLevel ?? '',
      verdicts: footer.verdicts,
      durationMs: footer.durationMs,
    })),
    results: results.flat(),
    settlement: settle(results, rulingsFor(entry.name, folder.clientRulings)),
    calledOut: door.takeAttempts(),
  }
}

/** Ready to be given assignments; runs in its folder, with the network closed to it. */
export async function openClient(
  folder: Folder,
  { run, drive, env }: ClientEntry,
  door: ClosedDoor,
): Promise<GradedClient & { problems?: readonly string[] }> {
  const words = filledIn(run, folder)
  const variables = { ...door.env, ...Object.fromEntries(env ?? []), PYTHONDONTWRITEBYTECODE: '1' }
  const options = { variables, cwd: folder.path }
  return drive === 'ndjson' ? harnessClient(words, options) : commandClient(words, options)
}
