// What an agent produces, as parts another can be given: artifacts and messages of finished tasks, one sample of each
// behaviour that is known to bring forth another kind of part.

import { isSettled } from '../../model/state-machine.ts'
import type { Part } from '../../model/task.ts'
import { quote } from '../probe/assertions.ts'
import type { Behaviour } from '../probe/behaviours.ts'
import type { Probe } from '../probe/probe.ts'

export interface ResultParts {
  what: string
  parts: Part[]
}

const PRODUCING: readonly Behaviour[] = ['task', 'artifact-text', 'artifact-file', 'artifact-data', 'message-only']

export async function resultParts(t: Probe): Promise<ResultParts[]> {
  const collected: ResultParts[] = []
  const seen = new Set<string>()
  for (const behaviour of PRODUCING) {
    const prompt = t.known(behaviour)
    if (prompt === undefined || seen.has(prompt.text)) continue
    seen.add(prompt.text)
    for (const parts of await partsOf(t, behaviour)) {
      if (parts.length > 0) collected.push({ what: `${kindsOf(parts)} of "${behaviour}"`, parts })
    }
  }
  if (collected.length > 0) return collected
  return t.notMeasured('the agent produced no parts', 'a prompt for "task" in the file given with --behaviors')
}

/** Each artifact by itself, or the message. */
async function partsOf(t: Probe, behaviour: Behaviour): Promise<Part[][]> {
  const x = await t.send(behaviour)
  const sent = t.sendResultOf(x)
  const codec = t.surface.dialect.codecs[t.binding]
  if ('message' in sent) {
    const decoded = codec?.decodeResult('sendMessage', t.expectSuccess(x))
    return decoded?.ok === true && 'message' in decoded.value ? [decoded.value.message.parts] : []
  }
  const task = await t.awaitTask(sent.task.id, ({ state }) => state !== undefined && isSettled(state))
  const decoded = codec?.decodeResult('getTask', task.json)
  if (decoded?.ok !== true) {
    return t.fail('the task cannot be read in the protocol version its agent declares', {
      expected: 'a task of that protocol version',
      actual: quote(task.json),
      pointer: task.pointer,
      at: t.exchanges.slice(-1),
    })
  }
  const { artifacts = [], status } = decoded.value
  const found = artifacts.map((artifact) => artifact.parts)
  return status.message === undefined ? found : [...found, status.message.parts]
}

function kindsOf(parts: readonly Part[]): string {
  const kind = (part: Part) => ('text' in part ? 'text' : 'data' in part ? 'data' : 'a file')
  return [...new Set(parts.map(kind))].join(' and ')
}
