// This generation has no artifact ids, only an index per task. Ids made here name their index; for others the artifacts
// of a task are numbered in the order they appear. The numbering of the latest tasks is remembered, because an update
// names only its own artifact.

import { setBounded } from '../../base/bounded.ts'
import type { Artifact } from '../../model/task.ts'

const REMEMBERED_TASKS = 1000

const numbering = new Map<string, Map<string, number>>()

export function artifactIdOf(index: number, taken: ReadonlySet<string> = new Set()): string {
  // Many agents of the time left the index at 0 for every artifact.
  let id = `artifact-${index}`
  for (let copy = 2; taken.has(id); copy++) id = `artifact-${index}.${copy}`
  return id
}

export function indexOf(taskId: string, artifactId: string): number {
  const named = /^artifact-(\d+)(?:\.\d+)?$/.exec(artifactId)?.[1]
  if (named !== undefined) return Number(named)
  const known = numbersOf(taskId)
  const number = known.get(artifactId) ?? known.size
  known.set(artifactId, number)
  return number
}

/** A snapshot tells the true order, also to a server that did not see the updates. */
export function numberArtifacts(taskId: string, artifacts: readonly Artifact[]): readonly number[] {
  return artifacts.map(({ artifactId }) => indexOf(taskId, artifactId))
}

function numbersOf(taskId: string): Map<string, number> {
  const known = numbering.get(taskId) ?? new Map<string, number>()
  numbering.delete(taskId)
  setBounded(numbering, taskId, known, REMEMBERED_TASKS)
  return known
}
