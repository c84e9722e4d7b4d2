// The commonest event of a long stream, a piece of an artifact's text, read by its pattern instead of by the JSON parser
// and the schema. What fits the pattern is JSON without a member twice, and an event as its definition says; whatever is
// written otherwise is left to the parser and the schema.

import type { ArtifactUpdateEvent, TaskArtifactUpdate } from '../../model/event.ts'

/** A longer event is not made of small costs. */
const LONGEST = 8_192

/** A character that stands for itself in a JSON string. */
const PLAIN = '[^"\\\\\\u0000-\\u001f]'
const ESCAPE = '\\\\(?:["\\\\/bfnrt]|u[0-9A-Fa-f]{4})'
const FLAG = '(true|false)'

const TEXT_CHUNK = new RegExp(
  [
    `^\\{"artifactUpdate":\\{"taskId":"(${PLAIN}+)","contextId":"(${PLAIN}*)",`,
    `"artifact":\\{"artifactId":"(${PLAIN}+)","parts":\\[\\{"text":"(${PLAIN}*(?:${ESCAPE}${PLAIN}*)*)"\\}\\]\\}`,
    `(?:,"append":${FLAG})?(?:,"lastChunk":${FLAG})?\\}\\}$`,
  ].join(''),
)

/** What the parser and the schema would make of the text; undefined when they have to be asked. */
export function readTextChunk(text: string): ArtifactUpdateEvent | undefined {
  const found = text.length > LONGEST ? null : TEXT_CHUNK.exec(text)
  if (found === null) return undefined
  const [, taskId = '', contextId = '', artifactId = '', written = '', append, lastChunk] = found
  const said = written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written
  const update: TaskArtifactUpdate = { taskId, contextId, artifact: { artifactId, parts: [{ text: said }] } }
  if (append !== undefined) update.append = append === 'true'
  if (lastChunk !== undefined) update.lastChunk = lastChunk === 'true'
  return { artifactUpdate: update }
}
