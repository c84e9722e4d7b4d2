// A YAML file the user wrote for a run: read strictly, refused with file, line and key.

import { readFile } from 'node:fs/promises'
import { whyUnreadable } from '../../base/why-unreadable.ts'
import { EXIT, ParleyError } from '../../model/errors.ts'
import type { Shape } from '../../yaml/shape.ts'
import { invalidFile, YamlSource } from '../../yaml/source.ts'

export async function readYamlFile<T>(path: string, what: string, shape: Shape<T>): Promise<T> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    const message = `The ${what} file ${path} cannot be read: ${whyUnreadable(cause)}.`
    throw new ParleyError(`${what}-unreadable`, message, { exitCode: EXIT.usage, cause })
  }
  const source = new YamlSource(path, text)
  const value = source.problems.length > 0 ? undefined : shape.read(source.root, source, '')
  if (value === undefined || source.problems.length > 0) throw invalidFile(`bad-${what}`, source.problems)
  return value
}
