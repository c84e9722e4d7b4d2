// Every mutant there is, in groups; each group names the areas of checks that are about what its mutants get wrong.

import { brinkMutants } from './brink-mutants.ts'
import { callerMutants } from './caller-mutants.ts'
import { cardMutants } from './card-mutants.ts'
import { carelessMutants } from './careless-mutants.ts'
import { claimMutants } from './claim-mutants.ts'
import { consistencyMutants } from './consistency-mutants.ts'
import { contentMutants } from './content-mutants.ts'
import { conversationMutants } from './conversation-mutants.ts'
import { edgeMutants } from './edge-mutants.ts'
import { envelopeMutants } from './envelope-mutants.ts'
import { forgetfulMutants } from './forgetful-mutants.ts'
import { listMutants } from './list-mutants.ts'
import type { Mutant } from './mutant.ts'
import { numberMutants } from './number-mutants.ts'
import { olderMutants } from './older-mutants.ts'
import { olderPlaceMutants } from './older-place-mutants.ts'
import { pushMutants } from './push-mutants.ts'
import { roundTripMutants } from './round-trip-mutants.ts'
import { signatureMutants } from './signature-mutants.ts'
import { singlePlaceMutants } from './single-place-mutants.ts'
import { strangerMutants } from './stranger-mutants.ts'
import { allStreamMutants } from './stream-mutants.ts'
import { taskMutants } from './task-mutants.ts'
import { twinMutants } from './twin-mutants.ts'

export interface MutantGroup {
  areas: readonly string[]
  mutants: readonly Mutant[]
}

const CARD = ['card', 'card-http', 'card-interfaces', 'card-skills', 'card-security', 'extended-card']
const ERRORS = ['errors-jsonrpc', 'errors-rest', 'error-mapping', 'error-texts', 'validation']
const TASKS = ['send', 'get-task', 'cancel', 'input-required', 'in-task-auth', 'data-model', 'schema', 'validation']
const STREAMS = ['streaming', 'stream-frames', 'stream-refusals', 'subscribe']
const CALLERS = [
  'schema',
  'data-model',
  'version',
  'extensions',
  'extended-card',
  'security',
  'isolation',
  'equivalence',
  'push-errors',
]

export const MUTANT_GROUPS: readonly MutantGroup[] = [
  { areas: [...CARD, 'extensions', 'streaming', 'stream-refusals', 'push'], mutants: cardMutants },
  { areas: ['card-signatures'], mutants: signatureMutants },
  { areas: ['error-mapping', 'in-task-auth'], mutants: numberMutants },
  {
    areas: [...ERRORS, 'schema', 'get-task', 'cancel', 'rest-query', 'card-interfaces', 'push-errors', 'extensions'],
    mutants: envelopeMutants,
  },
  { areas: [...TASKS, 'input-validation', 'equivalence'], mutants: [...taskMutants, ...conversationMutants] },
  { areas: ['list', 'schema', 'validation', 'errors-rest', 'rest-query'], mutants: listMutants },
  { areas: [...STREAMS, 'schema', 'data-model'], mutants: allStreamMutants },
  { areas: ['push', 'push-errors', 'push-delivery', 'schema'], mutants: pushMutants },
  { areas: ['push', 'push-delivery', ...ERRORS, ...STREAMS, 'get-task', 'schema', ...CARD], mutants: carelessMutants },
  { areas: CALLERS, mutants: callerMutants },
  {
    areas: ['card-claims', 'card-interfaces', 'list-updates', 'permissions', 'tenants', 'version-interfaces'],
    mutants: claimMutants,
  },
  { areas: [...CARD, ...ERRORS, ...TASKS, 'push-errors'], mutants: olderMutants },
  { areas: [...CARD, ...ERRORS, 'history-length', 'push', 'push-errors', 'get-task'], mutants: edgeMutants },
  {
    areas: ['consistency', ...TASKS, ...STREAMS, 'list', 'errors-jsonrpc', 'errors-rest', 'push-delivery', 'security'],
    mutants: consistencyMutants,
  },
  {
    areas: ['contents', 'consistency', ...TASKS, ...STREAMS, 'list', 'push-delivery'],
    mutants: contentMutants,
  },
  {
    areas: [
      'round-trips',
      'agent-messages',
      'task-progress',
      'same-everywhere',
      'consistency',
      ...TASKS,
      ...STREAMS,
      'list',
    ],
    mutants: roundTripMutants,
  },
  { areas: ['list', 'list-pages', 'request-edges', 'extensions', 'push', 'stream-frames'], mutants: brinkMutants },
  {
    areas: [
      ...TASKS,
      ...STREAMS,
      'list',
      'list-pages',
      'consistency',
      'equivalence',
      'push',
      'push-delivery',
      'security',
      'isolation',
      'same-everywhere',
      'foreign-tasks',
      'errors-jsonrpc',
      'errors-rest',
      'older-ids',
      'contents',
    ],
    mutants: [...singlePlaceMutants, ...strangerMutants, ...olderPlaceMutants],
  },
  { areas: ['stream-twins', 'stream-validation', ...STREAMS], mutants: twinMutants },
  { areas: [...TASKS, 'round-trips', 'list'], mutants: forgetfulMutants },
]

export const allMutants: readonly Mutant[] = MUTANT_GROUPS.flatMap(({ mutants }) => mutants)

/** The areas a mutant belongs to. */
export function areasOf(mutant: Mutant): readonly string[] {
  return MUTANT_GROUPS.find(({ mutants }) => mutants.includes(mutant))?.areas ?? []
}
