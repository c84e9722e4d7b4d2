// Everything that comes back is shown to the observers of the run: each answer as a whole, each frame of a stream,
// and what lies inside of them.

import { isJsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import type { Exchange } from '../../trace/exchange.ts'
import type { Answer } from './answer.ts'
import { KIND_OF } from './observation.ts'
import { objectAt, type RawEvent } from './raw.ts'
import type { RunContext } from './run-context.ts'
import type { Surface } from './surface.ts'
import { describesError } from './symptoms.ts'
import { isSpoken } from './traces.ts'

/** An answer, whatever was asked: its envelope and its bytes. */
export function lookAtAnswer(run: RunContext, surface: Surface, { exchange, body, op }: Answer): void {
  if (exchange.response === undefined) return
  const { generation, binding } = surface
  run.watch({ kind: 'answer', generation, binding, value: body ?? null, pointer: '', exchange, op })
}

/** Whatever was asked, an error of JSON-RPC has one shape; but an id we made up against the rules may come back. */
export function isErrorOfRpc({ envelope, error }: Answer, said: JsonValue | undefined): boolean {
  const { id = 0 } = isJsonObject(said) ? said : {}
  return envelope !== undefined && error !== undefined && typeof id !== 'object' && typeof id !== 'boolean'
}

/** What lies in an answer to a call of the protocol. */
export function lookInside(
  run: RunContext,
  surface: Surface,
  answer: Answer,
  how: { begun: number; isSpoiled: boolean },
): void {
  const { exchange, error, result, op } = answer
  const place = { generation: surface.generation, binding: surface.binding, exchange, op, begun: how.begun }
  if (error !== undefined) {
    const value = answer.body ?? (isSpoken(answer.status) ? answer.text : undefined)
    if (value !== undefined) run.watch({ ...place, kind: 'error', value, pointer: '' })
    return
  }
  const kind = op === undefined ? undefined : KIND_OF[op]
  if (kind === undefined || result === undefined) return
  if (kind === 'sendResult') {
    const id = objectAt(result, 'task')?.id ?? (isJsonObject(result) ? result.id : undefined)
    if (typeof id === 'string') run.tasksCreated.add(id)
  }
  if (!how.isSpoiled && !describesError(result))
    run.watch({ ...place, kind, value: result, pointer: answer.resultPointer })
}

export interface StreamWatcher {
  onFrame(payload: JsonValue | undefined): void
  onEvent(event: RawEvent): void
}

export function streamWatcher(
  run: RunContext,
  surface: Surface,
  place: { exchange: Exchange; op: Operation; begun: number },
  isSpoiled: boolean,
): StreamWatcher {
  const { generation, binding } = surface
  const common = { generation, binding, pointer: '', ...place }
  return {
    onFrame: (payload) => run.watch({ ...common, kind: 'frame', value: payload ?? null }),
    onEvent: (event) => {
      if (event.taskId !== undefined) run.tasksCreated.add(event.taskId)
      if (isSpoiled) run.spoiled.answered(event.json)
      run.watch({ ...common, kind: 'event', value: event.json })
    },
  }
}
