// A proof repeated by itself: the checks that are to notice a mutant, and others that make the agent speak where a
// check only watches.

import type { PlacedCheck } from '../../src/judge/checks/check.ts'
import { withGrounds } from '../../src/judge/runner/grounds.ts'
import type { Mutant } from './mutant.ts'
import { type Noticed, runMutant, type Verdicts } from './run-mutants.ts'

const SPEAKERS = [
  ...['send-result', 'send-input-required', 'send-message-only', 'get-task-current', 'get-task-unknown', 'list-empty'],
  ...['stream-opens', 'stream-closes', 'cancel-state', 'push-get', 'push-several', 'push-deliver', 'rest-validation'],
  ...['cancel-unknown', 'cancel-twice', 'subscribe-cancel', 'subscribe-works', 'stream-disconnect', 'send-follow-up'],
  ...['artifact-files', 'artifact-data', 'send-to-finished', 'send-snapshot', 'cancel-finished'],
  ...['send-task-ids', 'list-artifacts', 'get-task-idempotent', 'auth-required-message', 'stream-message-only'],
]

/** Says what only UTF-8 can write. */
const SPEAKER_OF_CHARACTERS = 'message-unaltered'

export function prove(
  inner: string,
  mutant: Mutant,
  wanted: readonly string[],
  checks: readonly PlacedCheck[],
  baseline: Verdicts,
): Promise<Noticed> {
  const chosen = checks.filter(({ id }) => wanted.includes(id))
  const isWatched = chosen.some(({ passive }) => passive !== undefined)
  const names = wanted.includes('json-utf8') ? [...SPEAKERS, SPEAKER_OF_CHARACTERS] : SPEAKERS
  const speakers = isWatched ? checks.filter(({ id }) => names.includes(id) && !wanted.includes(id)) : []
  return runMutant(inner, mutant, withGrounds([...chosen, ...speakers], checks), baseline)
}
