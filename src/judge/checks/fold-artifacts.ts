// What a client that only observes the stream believes the artifacts to be, and how that differs from the stored ones.

import type { JsonObject } from '../../model/json.ts'
import type { Answer } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { sameMeaning } from '../probe/proto-json.ts'
import { type RawArtifact, type RawEvent, textAt } from '../probe/raw.ts'
import type { RawStream } from '../probe/raw-stream.ts'

/** The first task gives what there was; updates extend or replace. A closing snapshot would hide lost chunks. */
function foldArtifacts(events: readonly RawEvent[]): ReadonlyMap<string, JsonObject[]> {
  const folded = new Map<string, JsonObject[]>()
  for (const { id, parts } of events[0]?.task?.artifacts ?? []) folded.set(id ?? '', [...parts])
  for (const { kind, artifact, append } of events) {
    if (kind !== 'artifact' || artifact === undefined) continue
    const id = artifact.id ?? ''
    folded.set(id, append ? [...(folded.get(id) ?? []), ...artifact.parts] : [...artifact.parts])
  }
  return folded
}

/** Streamed and then read, the task has the same artifacts. */
export function expectSameArtifacts(t: Probe, s: RawStream, x: Answer): void {
  const difference = differenceOf(foldArtifacts(s.events), t.taskOf(x).artifacts)
  t.expect(difference === undefined, difference?.message ?? '', {
    expected: difference?.stored ?? '',
    actual: difference?.streamed ?? '',
    pointer: '/artifacts',
    at: [s.exchange, x.exchange],
  })
}

export interface Difference {
  message: string
  streamed: string
  stored: string
}

function differenceOf(
  streamed: ReadonlyMap<string, JsonObject[]>,
  stored: readonly RawArtifact[],
): Difference | undefined {
  const ids = stored.map(({ id }) => id ?? '')
  const extra = [...streamed.keys()].find((id) => !ids.includes(id))
  if (extra !== undefined) {
    return {
      message: `artifact ${extra} was streamed but is not stored`,
      streamed: [...streamed.keys()].join(', '),
      stored: ids.join(', '),
    }
  }
  for (const { id = '', parts } of stored) {
    const seen = streamed.get(id)
    if (seen === undefined) {
      return {
        message: `artifact ${id} is stored but was never streamed`,
        streamed: [...streamed.keys()].join(', '),
        stored: id,
      }
    }
    if (!sameMeaning(joined(seen), joined(parts))) {
      return {
        message: `the chunks of artifact ${id} do not add up to the stored artifact`,
        streamed: quote(joined(seen)),
        stored: quote(joined(parts)),
      }
    }
  }
  return undefined
}

/** Servers may keep appended text as one part or as many. */
function joined(parts: readonly JsonObject[]): JsonObject[] {
  const result: JsonObject[] = []
  for (const part of parts) {
    const last = result.at(-1)
    const text = textAt(part, 'text')
    const before = textAt(last, 'text')
    if (last !== undefined && text !== undefined && before !== undefined) {
      result[result.length - 1] = { ...last, text: before + text }
    } else {
      result.push(part)
    }
  }
  return result
}
