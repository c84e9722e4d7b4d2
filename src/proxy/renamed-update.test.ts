import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StreamItem } from '../bindings/endpoint-client.ts'
import { readTextChunk } from '../dialects/v1_0/text-chunk.ts'
import { textOfEvent } from '../server/store/stored-event.ts'
import { ArtifactExtractor } from './artifact-extractor.ts'
import { renamedUpdate, updateHeads } from './renamed-update.ts'
import type { TaskLink } from './task-id-links.ts'

function linkOf(theirs: [string, string | undefined], ours: [string, string]): TaskLink {
  const [downstreamTaskId, downstreamContextId] = theirs
  return {
    ...{ scope: { agent: 'a', tenant: '', subject: 's' }, taskId: ours[0], contextId: ours[1] },
    ...{ downstreamTaskId, downstreamContextId, follower: undefined, isElsewhere: false, readers: 0, bytes: 0 },
    files: new ArtifactExtractor(undefined, { app: 'a', user: 's', session: 'c' }),
  }
}

/** As it comes from the agent, with its text where that is known. */
function itemOf(taskId: string, contextId: string, said: string): StreamItem {
  const artifactUpdate = { taskId, contextId, artifact: { artifactId: taskId, parts: [{ text: said }] }, append: true }
  const text = JSON.stringify({ artifactUpdate })
  const event = readTextChunk(text)
  return event === undefined ? { event: { artifactUpdate } } : { event, text }
}

const id = fc.oneof(fc.uuid(), fc.string({ unit: 'binary', minLength: 1 }))

test('an update says the same under our ids, as a value and as text, whatever the ids and texts are', () => {
  fc.assert(
    fc.property(id, id, id, id, fc.string({ unit: 'binary' }), (theirs, theirContext, ours, ourContext, said) => {
      const link = linkOf([theirs, theirContext], [ours, ourContext])
      // Their ids, and what looks like the beginning of an update, also stand in the text.
      const text = `${theirs} ${updateHeads(link).theirs} ${said}`
      const renamed = renamedUpdate(itemOf(theirs, theirContext, text), link, updateHeads(link))
      const artifact = { artifactId: theirs, parts: [{ text }] }
      const expected = { artifactUpdate: { taskId: ours, contextId: ourContext, artifact, append: true } }
      expect(renamed).toEqual(expected)
      expect(JSON.parse(textOfEvent(renamed ?? { taskMetadata: {} }))).toEqual(expected)
    }),
    { numRuns: 500 },
  )
})

test('an agent that tells a context only now has it replaced as a value', () => {
  const link = linkOf(['t', undefined], ['ours', 'context'])
  const renamed = renamedUpdate(itemOf('t', 'told late', 'x'), link, updateHeads(link))
  expect(JSON.parse(textOfEvent(renamed ?? { taskMetadata: {} }))).toMatchObject({
    artifactUpdate: { taskId: 'ours', contextId: 'context' },
  })
})

test('a copy of an update does not keep the text of the original', () => {
  const link = linkOf(['t', 'c'], ['ours', 'context'])
  const renamed = renamedUpdate(itemOf('t', 'c', 'x'), link, updateHeads(link))
  expect(textOfEvent({ ...renamed, taskMetadata: { changed: true } })).toContain('changed')
})

test('what has a message, or may hold files, takes more than other ids', () => {
  const link = linkOf(['t', 'c'], ['ours', 'context'])
  const message = { messageId: 'm', role: 'ROLE_AGENT' as const, taskId: 't', parts: [{ text: 'x' }] }
  const status = { state: 'TASK_STATE_WORKING' as const, message }
  const told = { event: { statusUpdate: { taskId: 't', contextId: 'c', status } } }
  expect(renamedUpdate(told, link, updateHeads(link))).toBeUndefined()
})
