// Files that a person writes: read strictly, refused with file, line and key.

import { readFileUpTo } from '../base/read-file-up-to.ts'
import { whyUnreadable } from '../base/why-unreadable.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { Shape } from './shape.ts'
import { invalidFile, YamlSource } from './source.ts'

/** More than any person writes. */
const MOST_BYTES = 64 * 1024 * 1024

/** The text of a file; `what` is how people call it, and with the code how programs do. */
export function textOfFile(path: string, what: string, code: string): string {
  try {
    return readFileUpTo(path, MOST_BYTES).toString('utf8')
  } catch (cause) {
    throw unreadable(path, what, code, cause)
  }
}

export function unreadable(path: string, what: string, code: string, cause: unknown): ParleyError {
  const message = `The ${what} ${path} cannot be read: ${whyUnreadable(cause)}.`
  return new ParleyError(code, message, { exitCode: EXIT.usage, cause })
}

/** What a source says by its shape; throws everything that is wrong with it, also what `check` reports besides. */
export function readSource<T>(source: YamlSource, shape: Shape<T>, code: string, check?: (value: T) => void): T {
  const value = source.problems.length > 0 ? undefined : shape.read(source.root, source, '')
  if (value !== undefined) check?.(value)
  if (value === undefined || source.problems.length > 0) throw invalidFile(code, source.problems)
  return value
}

export function readYamlFile<T>(path: string, what: string, shape: Shape<T>): T {
  const text = textOfFile(path, `${what} file`, `${what}-unreadable`)
  return readSource(new YamlSource(path, text), shape, `bad-${what}`)
}
