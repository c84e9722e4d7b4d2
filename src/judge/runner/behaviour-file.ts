// The file of --behaviors: behaviour → prompt, or → { text, followUp, messageIdPrefix }.

import { readYamlFile } from '../../yaml/file.ts'
import { either, nonEmptyText, optional, record } from '../../yaml/shape.ts'
import { BEHAVIOURS, type Behaviour, type BehaviourFile, type Prompt } from '../probe/behaviours.ts'

const PROMPT = either(
  nonEmptyText,
  record(
    { text: nonEmptyText, followUp: optional(nonEmptyText), messageIdPrefix: optional(nonEmptyText) },
    {
      text: 'The text to send.',
      followUp: 'What to say when the agent asks for input, so that the task ends.',
      messageIdPrefix: 'How the messageId begins, for agents that are driven by it.',
    },
  ),
)

const ABOUT: Readonly<Record<Behaviour, string>> = {
  task: 'Starts a task that ends.',
  'message-only': 'Is answered with a message, without a task.',
  slow: 'Takes a second or more, and ends.',
  progress: 'Reports progress while it works.',
  cancelable: 'Runs long enough to be canceled.',
  'input-required': 'Asks for input; followUp finishes it.',
  'auth-required': 'Asks for authorization; followUp finishes it.',
  chunked: 'Streams its artifact in pieces.',
  fails: 'Ends failed.',
  rejects: 'Ends rejected.',
  'invalid-response': 'Makes the agent return an invalid answer (InvalidAgentResponse).',
  'artifact-text': 'Ends with a text artifact.',
  'artifact-file': 'Ends with a file.',
  'artifact-data': 'Ends with data.',
  echo: 'Is repeated in the answer.',
  delegate: 'Passes a task on to another agent; {url} and {text} are filled in.',
}

export const behavioursShape = record(Object.fromEntries(BEHAVIOURS.map((name) => [name, optional(PROMPT)])), ABOUT)

/**
 * Reads a file of behaviors; throws a ParleyError that lists everything wrong with it.
 *
 * @example
 * ```ts
 * import { certify, readBehaviours } from 'a2a-parley/judge'
 *
 * const report = await certify('localhost:9999', { behaviours: await readBehaviours('prompts.yaml') })
 * console.log(report.coverage)
 * ```
 */
export async function readBehaviours(path: string): Promise<BehaviourFile> {
  const file: Readonly<Record<string, string | Prompt | undefined>> = readYamlFile(path, 'behaviors', behavioursShape)
  const named: { [name: string]: Prompt } = {}
  for (const [name, prompt] of Object.entries(file)) {
    if (prompt !== undefined) named[name] = typeof prompt === 'string' ? { text: prompt } : prompt
  }
  return named
}
