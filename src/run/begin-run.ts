// The header of a run that begins now, and the verdict its exit code stands for.

import { randomUUID } from 'node:crypto'
import { packageVersion } from '../base/package-version.ts'
import { EXIT } from '../model/errors.ts'
import { RECORD_VERSION, type RunHeader, type RunOutcome } from './run.ts'

export function beginRun(
  given: Pick<RunHeader, 'kind' | 'flags'> & Partial<Pick<RunHeader, 'target' | 'second' | 'files' | 'specRevision'>>,
): RunHeader {
  return {
    schemaVersion: RECORD_VERSION,
    kind: given.kind,
    id: randomUUID(),
    startedAt: new Date().toISOString(),
    parleyVersion: packageVersion(),
    runtime: `node ${process.versions.node} ${process.platform}`,
    flags: given.flags,
    target: given.target,
    second: given.second,
    files: given.files,
    specRevision: given.specRevision,
  }
}

const OUTCOMES: ReadonlyMap<number, RunOutcome> = new Map([
  [EXIT.ok, 'pass'],
  [EXIT.failed, 'fail'],
  [EXIT.staleBaseline, 'fail'],
  [EXIT.agentStopped, 'fail'],
  [EXIT.bug, 'error'],
])

export function outcomeOf(exitCode: number): RunOutcome {
  return OUTCOMES.get(exitCode) ?? 'inconclusive'
}
