// What a streamed event is, in any generation, for mutants of streams and subscriptions.

import type { JsonObject } from '../../src/model/json.ts'
import { at, type Mutation, text } from './mutant.ts'

/** The state an event shows, in any generation. */
export function stateOf(event: JsonObject): string {
  return text(event, 'statusUpdate.status.state') || text(event, 'task.status.state') || text(event, 'status.state')
}

export const isTerminal = (event: JsonObject) =>
  /COMPLETED|FAILED|CANCELED|REJECTED|completed|failed|canceled/.test(stateOf(event))
export const isArtifact = (event: JsonObject) =>
  at(event, 'artifactUpdate') !== undefined || at(event, 'artifact') !== undefined
export const isStatus = (event: JsonObject) =>
  at(event, 'statusUpdate') !== undefined || (at(event, 'status') !== undefined && at(event, 'artifacts') === undefined)

export const of10 = (op: 'streamMessage' | 'subscribeTask', edit: NonNullable<Mutation['event']>): Mutation => ({
  event: (event, stream) => (stream.call.op === op ? edit(event, stream) : undefined),
})
