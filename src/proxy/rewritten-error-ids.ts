// Errors of the agent in our ids: the kind, the message and the data stay, the agent's name of the task does not.

import { A2AError, type A2AErrorOptions } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import type { TaskLink } from './task-id-links.ts'

function renamed(error: unknown, link: TaskLink): unknown {
  if (!(error instanceof A2AError)) return error
  const inText = (text: string): string =>
    rename(rename(text, link.downstreamTaskId, link.taskId), link.downstreamContextId, link.contextId)
  const { metadata, details, ...kept } = error.options
  const options: A2AErrorOptions = { ...kept, cause: error }
  // Ids hold no characters that JSON escapes; renaming the text of the data renames them in it.
  if (metadata !== undefined) options.metadata = JSON.parse(inText(JSON.stringify(metadata))) as typeof metadata
  if (details !== undefined) options.details = JSON.parse(inText(JSON.stringify(details))) as JsonObject[]
  return new A2AError(error.kind, inText(error.message), options)
}

/** What the agent refuses about a task, it refuses under our name of it. */
export async function withRewrittenErrorIds<T>(link: TaskLink | undefined, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw link === undefined ? error : renamed(error, link)
  }
}

/** A name as short as a word of prose is left alone: replacing it would garble the sentence. */
function rename(text: string, theirs: string | undefined, ours: string): string {
  return theirs === undefined || theirs.length < 8 ? text : text.replaceAll(theirs, ours)
}
