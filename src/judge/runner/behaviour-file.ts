// The file of --behaviors: behaviour → prompt, or → { text, followUp, messageIdPrefix }.

import { either, nonEmptyText, optional, record } from '../../yaml/shape.ts'
import { BEHAVIOURS, type BehaviourFile, type Prompt } from '../probe/behaviours.ts'
import { readYamlFile } from './yaml-file.ts'

const PROMPT = either(
  nonEmptyText,
  record({ text: nonEmptyText, followUp: optional(nonEmptyText), messageIdPrefix: optional(nonEmptyText) }),
)

const SHAPE = record(Object.fromEntries(BEHAVIOURS.map((name) => [name, optional(PROMPT)])))

export async function readBehaviours(path: string): Promise<BehaviourFile> {
  const file: Readonly<Record<string, string | Prompt | undefined>> = await readYamlFile(path, 'behaviours', SHAPE)
  const named: { [name: string]: Prompt } = {}
  for (const [name, prompt] of Object.entries(file)) {
    if (prompt !== undefined) named[name] = typeof prompt === 'string' ? { text: prompt } : prompt
  }
  return named
}
